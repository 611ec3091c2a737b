import type { Expectation, Hint, Issue, Path, Reason } from './issue.ts'
import { escapeControls } from './text.ts'
import { count } from './words.ts'

/** A phrase for each code; a function of the arguments, for codes that have any. */
export type Words<Of extends { code: string }> = {
  readonly [Code in Of['code']]: string | ((args: Extract<Of, { code: Code }>) => string)
}

/** Text from the caller, such as the name of an unknown field, may be as long as the body. */
const MAX_QUOTED = 200

/** The ends of "it must be …". */
const EXPECTED: Words<Expectation> = {
  type: ({ expected }) => expected,
  either: ({ of }) => [...new Set(of.map(expectationIn))].join(' or '),
  too_high: ({ limit }) => `at most ${limit}`,
  too_low: ({ limit }) => `at least ${limit}`,
  blank: 'a text that is not blank',
  text_too_long: ({ max }) => `at most ${max} characters`,
  url_too_long: ({ max }) =>
    `at most ${max} characters: save its search where it comes from, and send the shorter link`,
  length: ({ min, max }) => `${min} to ${max} characters`,
  turning_marks: 'free of invisible marks that turn the direction of text',
  control_characters: 'free of control characters',
  not_unicode: 'well-formed Unicode',
  not_a_web_address: 'an http: or https: URL',
  not_an_email_address: 'an email address',
  not_an_instant: 'a time with its zone, such as 2026-12-01T09:00:00Z',
  not_a_time_zone: 'an IANA time zone, such as Europe/Berlin or UTC',
  not_a_day: 'a day, such as 2026-11-20',
  not_a_slug: 'lower-case letters and digits, with single hyphens between them',
  not_to_come: 'a time in the future',
  too_far_ahead: ({ years }) => `within the next ${years} years`,
  not_an_idempotency_key: '1 to 255 printable ASCII characters',
  not_a_version: 'the number of a version',
  not_an_etag: 'the ETag of a bundle: "v<N>"',
  not_a_network: 'an address or a network, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32',
  not_a_metadata_key: 'left out: a key of metadata is 1 to 40 letters, digits, _, . or -',
  no_change: 'an object with at least one field to change',
  no_token: 'an object with a token',
  metadata_without_urls: 'sent together with urls',
  not_a_cursor: 'the nextCursor from an answer to the same request',
  more_metadata_than_urls: ({ urls }) => `no longer than urls (${urls})`,
  not_a_variable_name: 'lower-case letters, digits and _, beginning with a letter, at most 30 of them',
  reserved_name: 'another name: lang, format, client and names beginning with utm_ are taken',
  listed_twice: 'different from the options before it',
  not_an_option: 'one of the options',
  variable_named_twice: ({ variable }) => `different from the name of variables[${variable}]`,
  not_a_country: ({ meant }) => `a country’s code of two letters, such as ${meant ?? 'DE'}`,
  not_a_rule_id: 'the id of a rule of this bundle',
  name_taken: ({ rule }) => `different from the name of rules[${rule}]`,
  key_taken: ({ entry }) => `different from the key of entry ${entry + 1}`,
  policy_too_large: ({ kib }) => `at most ${kib} KiB of JSON`,
  not_a_condition: 'a condition: an object with an op',
  no_conditions: 'a list of at least 1 condition',
  not_one_condition: 'one condition',
  empty_text: 'a text with at least 1 character',
  not_now: 'now',
  not_a_language: 'a language tag, such as de or pt-BR',
  too_deep: ({ depth }) => `no deeper: and, or and not may nest ${depth} deep`,
  no_option: ({ options }) => `one of ${options.join(', ')}`,
  no_field: ({ fields, isNow }) =>
    `one of ${fields.join(', ')}, query.<name>${isNow ? ' (now goes with before and after)' : ''}`,
  not_a_text: ({ max }) => `a text of at most ${max} characters`,
  not_texts: ({ max }) => `a list of 1 to ${max} texts`,
  not_days: ({ days }) => `a list of 1 to ${days.length} of ${days.join(', ')}`,
  not_a_time_of_day: ({ last }) => `a time from 00:00 to ${last}`,
}

/** The ends of sentences that begin with the path. */
const SAID: Words<Exclude<Reason, Expectation>> = {
  missing: ({ expected }) => `is missing: it must be ${expected}`,
  unknown_field: 'is not a field of this request: remove it',
  too_few: ({ limit, of }) => `must have at least ${amount(limit, of)}`,
  too_many: ({ limit, of }) => `must have at most ${amount(limit, of)}`,
  placeholder_before_path: ({ name }) =>
    `has {${name}} before its path: a variable can fill the path, the query and the fragment, never the host`,
  too_many_placeholders: ({ max }) => `must have at most ${max} placeholders: remove some of them`,
  too_many_placeholders_seen: ({ max }) =>
    `must have at most ${max} placeholders in the title, the description and one list of links with its notes and sections together: remove some of them`,
  leads_elsewhere: 'must keep every link on its own site and within 2048 characters',
  ends_before_it_begins: 'must be the day of from, or later',
  after_today: 'must not be after today, in UTC',
  beside_range: 'cannot be combined with range: send one of them',
  too_many_days: ({ max }) => `must span at most ${max} days, both ends included`,
  closes_before_it_opens: 'must be after opensAt',
  shifted_too_far: 'must keep all times in the years 1970 to 9999',
  link_in_name: 'must not contain a web address',
  password_missing: 'is required when access becomes "password"',
  password_unused: 'is only for access "password": send that too, or leave it out',
  password_too_short: ({ min }) => `must be at least ${min} characters`,
  password_too_long: ({ max }) => `must be at most ${max} characters`,
  password_too_common: 'must be harder to guess: this is one of the most common passwords',
  password_is_the_service: 'must be harder to guess: this is the name of the service',
  rule_of_another_bundle: 'must be the id of a rule of this bundle: omit it for a new rule',
  omit_without_bundle: 'is only for base "bundle": send that too, or leave it out',
  leaves_no_tab: 'must leave at least one tab: add one, or take a link out of omit',
  rule_id_sent_twice: 'must differ from the ids of earlier rules',
  beside_cursor: 'must be left out beside a cursor',
  not_as_in_path: ({ isSlug }) =>
    `must be the same as in the path, or omitted${isSlug ? ': rename_bundle changes it' : ''}`,
  no_link_of_it: 'is not a link of this bundle: read the bundle again to see its links',
  a_link_already: 'is already a link of this bundle: change it with setMetadata',
  link_sent_twice: 'must differ from the links of earlier entries',
  no_link_left: 'must leave at least one link',
  beside_whole_lists: 'must be sent without urls and urlMetadata, which replace whole lists',
  too_many_links: ({ links, max }) =>
    `would make ${links} links; the limit is ${max}: send fewer, or remove some with removeUrls`,
  host_blocked: ({ host }) => `links to ${host}, which is blocked on this server: remove it`,
  needs_an_account: 'needs an account: sign in, or leave it out',
  reserved_for_the_label: 'is the label of the client that made the bundle, which cannot be changed: leave it out',
  no_picture:
    'must be a PNG, JPEG, WebP or SVG in Base64, of at most 1024 pixels a side, one frame, and in an SVG shapes without scripts, filters and other pictures',
  picture_too_large: 'must be a picture of at most 256 KiB',
  metadata_too_large: ({ max }) => `must be at most ${max} characters of JSON`,
  not_chosen: 'must be chosen',
  no_such_value: ({ value, values, isListed }) =>
    `${isListed ? 'has' : 'is'} “${value}”, which is not one of ${values.join(', ')}`,
  no_country: ({ value, isListed }) => `${isListed ? 'has' : 'is'} “${value}”, which is not a country`,
  scheme_not_allowed: 'must begin with https: or http:',
  credentials_in_url: 'must have no user name or password: check the signature instead',
  port_not_allowed: 'must have a port that web servers use: 80, 443, or one above 1023 that browsers do not refuse',
  address_not_public: 'must lead to a public address',
  host_unknown: 'must have a host that name servers know; /etc/hosts does not count',
}

const HINTS: { readonly [Code in Hint['code']]: (hint: Extract<Hint, { code: Code }>, field: string) => string } = {
  sent_as: ({ name }, field) => `: did you mean ${field} instead of ${name}?`,
  near: ({ name, value }) => `, or did you mean ${name}${value === undefined ? '' : `: ${shown(value)}`}?`,
  as_header: ({ header }) => `, and send ${header} as a header instead`,
  of_call: () => ', and send it once, for the whole call',
  wrapped: () => ', and send its fields beside the others, without an object around them',
  instead_of: ({ sent, meant }) => `, not ${quoted(sent)}${meant === null ? '' : `: did you mean "${meant}"?`}`,
  meant_each: ({ values }) => `: did you mean each of ${values.map(quoted).join(', ')}?`,
  meant: ({ value }) => `: did you mean ${shown(value)}?`,
  meant_json: () => ', not a text with its JSON: send it without the quotes around it',
  meant_text: ({ link }) => `: did you mean ${quoted(link)}? Notes and tags go into urlMetadata`,
  left_out: ({ orNull }) => (orNull ? ': for none, send null' : ': for none, leave it out'),
  by_listed_id: () => ': the id of a key is a number from list_keys, not a part of the key',
  by_link: () => ': links are named by their URL, not by their place',
  by_receiver: () =>
    ': send {"type": "organization", "organizationId": …} or {"type": "user", "userId": …}; who_am_i lists yours',
  by_access: () =>
    ': "link" lets in everybody with the link, "members" the organisation’s members, "password" everybody with the password',
}

/** An expectation, as the end of "it must be …". */
export function expectationIn(expectation: Expectation): string {
  return phrase(EXPECTED, expectation)
}

/** The error of a value, as the end of a sentence that begins with its path. */
export function reasonIn(reason: Reason): string {
  return isExpectation(reason) ? `must be ${clip(expectationIn(reason))}` : phrase(SAID, reason)
}

/** An issue as a sentence for the API, with the probable intention: `urls[3] must be an http: or https: URL`. */
export function sentenceOf({ path, reason, hint }: Issue): string {
  const place = path.length === 0 ? 'the body' : pathText(path)
  return `${place} ${reasonIn(reason)}${hint === undefined ? '' : hintIn(hint, String(path.at(-1)))}`
}

function hintIn(hint: Hint, field: string): string {
  return (HINTS[hint.code] as (hint: Hint, field: string) => string)(hint, field)
}

/** A value as JSON on one line. */
function shown(value: unknown): string {
  const lines = JSON.stringify(value, null, 1)
  return escapeControls(lines.replace(/,\n */g, ', ').replace(/\n */g, ''))
}

/** A JSON path, no longer than a quotation: `resolutionPolicy.rules[0].name`. */
export function pathText(path: Path): string {
  const [header] = path
  if (path.length === 1 && HEADERS.includes(header)) return header as string
  return clip(path.map(keyText).join('').replace(/^\./, ''))
}

/** Headers that are reported with the input's errors. */
const HEADERS: readonly unknown[] = ['Idempotency-Key', 'If-Match']

function keyText(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${quoted(key)}]`
}

/** The phrase from a table for data with a code. */
export function phrase<Of extends { code: string }>(words: Words<Of>, args: Of): string {
  const said = words[args.code as Of['code']] as string | ((args: Of) => string)
  return typeof said === 'string' ? said : said(args)
}

/** Whether a reason is worded as "must be …". */
export function isExpectation(reason: Reason): reason is Expectation {
  return Object.hasOwn(EXPECTED, reason.code)
}

function amount(number: number, of: 'character' | 'entry'): string {
  return of === 'character' ? count(number, 'character') : count(number, 'entry', 'entries')
}

/** The beginning of a sent text, cut to the length of a quotation. */
export function clip(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
}

function quoted(text: string): string {
  return escapeControls(JSON.stringify(text))
}
