/** The fields of rules and their conditions; see `FIELD_DOCS`. */
export const RULE_FIELDS: Record<string, readonly [description: string, example?: unknown]> = {
  resolutionPolicy: [
    'Shows different viewers different tabs; null for none. If none matches, the viewer gets `urls`. ' +
      'At most 128 KiB of JSON. For example, {"version":1,"rules":[{"name":"Acme staff","when":{"op":"equals","field":' +
      '"emailDomain","value":"acme.com"},"tabs":[{"url":"https://intranet.acme.com/plan"}]}]} shows people ' +
      'at acme.com their own plan.',
  ],
  version: ['The version of the policy language: 1.', 1],
  rules: ['Tried in order; the first match wins.'],
  'rules.id': ['Generated. Send it back to keep the rule’s identity; omit it for a new rule.', 'r_4fGk2bNq8Z'],
  'rules.name': ['The rule’s name, unique within the policy.', 'Acme staff'],
  showBadge: ['Whether matching viewers see “For: <name>”.', true],
  when: ['Which viewers the rule is for.', { op: 'equals', field: 'emailDomain', value: 'acme.com' }],
  tabs: ['The tabs that matching viewers get instead of the bundle’s URLs.', [{ url: 'https://example.com/plan' }]],
  Condition: [
    'A condition on the viewer. and, or (`of`: conditions) and not (`of`: one) combine conditions, at most 4 levels deep. ' +
      'equals, startsWith, endsWith, contains (`field`, `value`) and in (`field`, `values`) compare a field with a string, ' +
      'ignoring case; exists (`field`): it is known; signedIn; before, after (`field`: now, `value`: a time with its UTC ' +
      'offset); timeWindow (`days`, `from`, `to`, `timeZone`). Fields: emailDomain (of a signed-in viewer’s verified ' +
      'address), orgRole (viewer, editor or admin in the owning organisation), language (such as de-AT), client (browser, ' +
      'agent, script), device (desktop, mobile, tablet), os and browser (families such as ios, firefox), country (two ' +
      'letters), referrerDomain, query.<name> of the link (of a variable its value). An unknown field does not match.',
    { op: 'equals', field: 'emailDomain', value: 'acme.com' },
  ],
  TracedCondition: [
    'A condition, with whether it matches the viewer at each of its nodes.',
    { op: 'equals', matched: true, field: 'emailDomain', value: 'acme.com' },
  ],
  of: ['The combined conditions.'],
  field: ['The field to compare.'],
  value: ['The value to compare with.'],
  values: ['Matches any of these.'],
}
