const ID = ['Identifies the proposal.', 'p_4fGk2bNq8Z'] as const
/** Of the entries of lists. */
const DIFFERENCES = ['LinkDifference', 'VariableDifference', 'RuleDifference']
const REASON = ['Why; for whoever decides.', 'It takes until Friday.'] as const

/** The fields of proposals; see `FIELD_DOCS`. */
export const PROPOSAL_FIELDS: Record<string, readonly [description: string, example?: unknown]> = {
  ...forEach(
    [
      'Proposal',
      'ListedProposal',
      'ProposalInFull',
      'get_proposal',
      'accept_proposal',
      'reject_proposal',
      'withdraw_proposal',
    ],
    'id',
    ID,
  ),
  ...forEach(['Proposal', 'ListedProposal', 'ProposalInFull', 'propose_edit'], 'reason', REASON),
  ...forEach(['Proposal', 'ListedProposal', 'ProposalInFull'], 'note', ['What was said to its rejection.', 'Not yet.']),
  ...forEach(['Proposal', 'ListedProposal', 'ProposalInFull'], 'state', ['`open` until it is decided.', 'open']),
  ...forEach(['Proposal', 'ListedProposal', 'ProposalInFull'], 'versionNumber', [
    'The version that accepting it made.',
    3,
  ]),
  ...forEach(['Proposal', 'ListedProposal', 'ProposalInFull'], 'createdAt', [
    'When it was made.',
    '2026-11-20T09:00:00.000Z',
  ]),
  'reject_proposal.note': ['Tells who made it why.', 'We moved this to another bundle.'],
  'list_proposals.state': ['Lists those in this state, or all.', 'open'],
  baseVersion: ['The version that the changes are based on; the newest if omitted.', 2],
  proposals: ['Newest first.'],
  'bundles.proposals': ['Its proposals, newest first.'],
  'ExportedData.proposals': ['The proposals that the user made.'],
  changes: ['The fields that it changes, as sent.', { title: 'Launch week' }],
  ...forEach(DIFFERENCES, 'changes', ['The old and new value of each field that differs.', {}]),
  proposedBy: [
    'Who proposed it; null once the account is deleted; { type: "service" } if it repairs a link that has moved or is broken.',
    'u_19xk',
  ],
  'ServiceAuthor.type': ['The service itself.', 'service'],
  'Version.proposedBy': ['Who proposed it, if the editor accepted a proposal; else null.', 'u_19xk'],
  decidedBy: ['Who decided or withdrew it; null once the account is deleted.', 'u_19xk'],
  decidedAt: ['When that was.', '2026-11-20T10:00:00.000Z'],
  difference: ['What it changes of the version that it is based on.'],
  fields: ['Texts and times, by name; an empty string is none.', { title: { from: 'Launch day', to: 'Launch week' } }],
  'fields.*': ['Its old and new text.'],
  'TextChange.from': ['The text before; an empty string is none.', 'Launch day'],
  'TextChange.to': ['The text after; an empty string is none.', 'Launch week'],
  links: ['The URLs that differ, with their metadata.'],
  'Difference.variables': ['The variables that differ.'],
  'VariableDifference.value': ['The variable.'],
  'value.name': ['Its name.', 'id'],
  'value.label': ['What the launcher calls it; an empty string is its name.', 'Customer number'],
  'value.example': ['Shows what to fill in; an empty string is none.', '4711'],
  'value.default': ['The value if none is given; an empty string is none.', '7d'],
  'value.options': ['The only values that it can have; [] for any.', ['7d', '30d']],
  'Difference.rules': ['The rules that differ.'],
  ...forEach(DIFFERENCES, 'kind', ['`kept`: in both, but changed or moved.', 'added']),
  ...forEach(DIFFERENCES, 'from', ['Its place before, from 0.', 0]),
  ...forEach(DIFFERENCES, 'to', ['Its place after, from 0.', 1]),
  isMoved: ['Whether its order changed.', false],
  'value.url': ['The URL itself.', 'https://example.com/plan'],
  'LinkDifference.value': ['The URL with its metadata.'],
  'RuleDifference.value': ['The rule.'],
  'changes.from': ['The value before.'],
  'changes.to': ['The value after.'],
  conflicts: ['What a newer version changed too; empty if it can be accepted as it is.', []],
  'Conflict.path': ['What it is.', 'Title'],
  base: ['The value that both changed; null for none.', 'Launch day'],
  newest: ['Its value in the newest version.', 'Launch eve'],
  proposed: ['Its proposed value.', 'Launch week'],
}

function forEach(places: readonly string[], name: string, doc: readonly [description: string, example?: unknown]) {
  return Object.fromEntries(places.map((place) => [`${place}.${name}`, doc]))
}
