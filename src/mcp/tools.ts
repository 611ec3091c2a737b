import { FACTS } from '../../db/policy.ts'
import { callOptionSchema, callOptionsOf, inputSchema, type Naming, schemaOf } from '../api/json-schema.ts'
import { DryRun } from '../bundles/answers.ts'
import { isContent } from '../bundles/content.ts'
import { LINK_NAMES, type LinkName, linkField } from '../bundles/link-fields.ts'
import { VARIABLE_LABELS } from '../bundles/variables.ts'
import type { Config } from '../config/config.ts'
import type { JsonSchema } from '../core/shape.ts'
import { allows, type Scope } from '../identity/roles.ts'
import { type Operation, scopeOf } from '../operations/operation.ts'
import { leanInput, leanOutput, outlining, shapeOf, withoutSingles } from './lean.ts'

/** A tool as listed. */
export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema & { type: 'object' }
  outputSchema: JsonSchema & { type: 'object' }
  annotations: Partial<Record<keyof typeof MCP_DEFAULTS, boolean>>
}

/** What MCP takes annotations for that are left out. */
const MCP_DEFAULTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

/** Whether an operation is a tool: all that read or use a credential, unless they say otherwise or their answer may not fit into a message. */
export function isTool({ route, auth, keyScope, download, noTool }: Operation): boolean {
  return (
    noTool === undefined &&
    download === undefined &&
    (auth !== 'public' || keyScope !== undefined || route.startsWith('GET '))
  )
}

/** Whether the operator has switched off what an operation does: then it is not offered. */
export function isSwitchedOff({ openedBy }: Operation, { inspect }: Pick<Config, 'inspect'>): boolean {
  return openedBy === 'inspect' && inspect === 'off'
}

/** Whether a key with these scopes may call it. */
export function isAllowed(operation: Operation, scopes: readonly Scope[]): boolean {
  const needed = scopeOf(operation)
  return needed === undefined || allows(scopes, needed)
}

/** An operation as a tool: its input is a flat object, its output the body of its route. */
export function toTool(operation: Operation): Tool {
  const { name, summary, description } = operation
  return {
    name,
    title: summary,
    description: TO_HOLDERS[name] ?? description,
    inputSchema: inputOf(operation),
    outputSchema: outputOf(operation),
    annotations: hintsOf(operation),
  }
}

/** Descriptions for whoever has a key, where the API’s also speak to others. */
const TO_HOLDERS: Readonly<Partial<Record<string, string>>> = {
  create_bundle:
    'Creates a bundle: an ordered list of 1 to 25 URLs behind one link. Whoever opens its `url` sees them and can open all at once.',
  get_insights: 'Reports how a bundle is used, per UTC day, rule and tab, beside the period before.',
  get_overview:
    'Reports how all your bundles are used together: totals, those of the period before, counts per UTC day, and the ten most viewed.',
  claim_bundle: 'Moves a bundle that was created without an account into yours. Send its claim token or link.',
}

/** Derived from the route’s method, or from the declared effect; only what differs from MCP’s defaults. */
function hintsOf({ route, effect, openWorld }: Operation): Tool['annotations'] {
  const isDeletion = route.startsWith('DELETE ')
  const readOnlyHint = route.startsWith('GET ') || effect === 'none'
  const hints = {
    readOnlyHint,
    // By MCP, these two mean nothing for what only reads.
    destructiveHint: isDeletion || readOnlyHint,
    idempotentHint: !readOnlyHint && (isDeletion || effect === 'repeatable'),
    openWorldHint: openWorld === true,
  }
  const names = Object.keys(hints) as (keyof typeof hints)[]
  return Object.fromEntries(names.flatMap((name) => (hints[name] === MCP_DEFAULTS[name] ? [] : [[name, hints[name]]])))
}

/** Tools that say what content is for; others refer to them. */
const DESCRIBES_CONTENT: readonly string[] = ['create_bundle']
/** Fields of shapes, shorter than their structure. */
const METADATA = `{ ${LINK_NAMES.map(metadataField).join(', ')} }`
const ADDED = `{ url, at?, ${LINK_NAMES.map(optional).join(', ')} }: \`at\`: place from 0, else last.`
const VARIABLE = `{ name, ${Object.keys(VARIABLE_LABELS)
  .filter((field) => field !== 'name')
  .map(optional)
  .join(', ')} }: options are the only values.`
const RECEIVER = '{ type: organization, organizationId } or { type: user, userId }'
/** The one that says what policies are for, and has their structure and that of conditions. */
const SHOWS_POLICIES = 'preview_policy'

/** The fields of a condition whose values or meaning its description does not say. */
const SAID_THERE: readonly string[] = ['op', 'days', 'field', 'value']

/** What that one says of the policy as a whole. */
const TRIED = 'Shows different viewers different tabs; who matches no rule gets `urls`. Null for none.'

/** Those that say in short what policies are. */
const SETS_POLICIES: readonly string[] = ['create_bundle', 'update_bundle']
const POLICY =
  'Gives different viewers different tabs: { version: 1, rules: [{ name, when: { op: equals, field: country, value: AT }, ' +
  `tabs: [{ url, note? }] }] }. The first match replaces \`urls\`. Conditions: see ${SHOWS_POLICIES}.`

const AS_CREATED = 'As for create_bundle.'

/**
 * Fields without a meaning for tools: `email` is for callers without a credential, `breakdown` for CSV, and `source` says what
 * these are.
 */
const FOR_OTHERS = ['email', 'breakdown', 'source']

function optional(field: string): string {
  return `${field}?`
}

function metadataField(name: LinkName): string {
  const field = linkField(name)
  return field.kind === 'choice' ? `${optional(name)}: ${field.options.join('|')}` : optional(name)
}

function inputOf(operation: Operation): Tool['inputSchema'] {
  const { name } = operation
  const hasContent = DESCRIBES_CONTENT.includes(name)
  const naming = newNaming('inline', ['description'], {
    Receiver: RECEIVER,
    AddedLink: ADDED,
    NewBundle: AS_CREATED,
    OneEdit: 'As for update_bundle.',
    MetadataChange: METADATA,
    ...(hasContent ? {} : { UrlMetadata: METADATA }),
    Variable: VARIABLE,
    ...(name === SHOWS_POLICIES ? {} : { Policy: '' }),
  })
  const schema = inputSchema(operation, naming)
  const options = callOptionsOf(operation).map((name) => {
    const { examples: _, ...schema } = callOptionSchema(name)
    return [name, schema] as const
  })
  const own = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const fields = [...own, ...options].flatMap(([field, inner]) => {
    if (FOR_OTHERS.includes(field)) return []
    const { description: _, ...structure } = inner
    if (field === 'events' && name !== 'create_webhook') return [[field, shapeOf(structure)]]
    if (field === 'viewer') return [[field, outlining(PLAIN_FACTS, inner)]]
    if (!isContent(field)) return [[field, (DESCRIBED_BY[field] ?? name) === name ? inner : shapeOf(structure)]]
    if (field === 'resolutionPolicy' && SETS_POLICIES.includes(name))
      return [[field, { ...structure, description: POLICY }]]
    if (field === 'resolutionPolicy' && name !== SHOWS_POLICIES)
      return [[field, { ...shapeOf(structure), description: AS_CREATED }]]
    if (field === 'resolutionPolicy') return [[field, { ...structure, description: TRIED }]]
    if (hasContent) return [[field, inner]]
    return [[field, field === 'urlMetadata' ? structure : shapeOf(structure)]]
  })
  const properties = Object.fromEntries(fields)
  // What conditions are describes most of their fields.
  const definitions = [...naming.definitions].map(([key, defined]) => [
    key,
    outlining(
      Object.keys(defined.properties ?? {}).filter((field) => !SAID_THERE.includes(field)),
      defined,
    ),
  ])
  const $defs = definitions.length === 0 ? {} : { $defs: Object.fromEntries(definitions) }
  const lean = leanInput({ ...schema, properties, ...$defs })
  return { ...lean, type: 'object' }
}

/** Facts about a viewer that the description of conditions explains, and their names say. */
const PLAIN_FACTS: readonly string[] = FACTS.filter((fact) => fact !== 'emailDomain')

/** Fields of many tools that mean the same in each, with the one that describes them. */
const DESCRIBED_BY: Readonly<Record<string, string>> = {
  slug: 'get_bundle',
  expectedVersion: 'update_bundle',
  addUrls: 'update_bundle',
  removeUrls: 'update_bundle',
  setMetadata: 'update_bundle',
  idempotencyKey: 'create_bundle',
  source: 'create_bundle',
  dryRun: 'create_bundle',
  password: 'create_bundle',
  externalId: 'create_bundle',
  metadata: 'create_bundle',
  id: 'get_proposal',
  events: 'create_webhook',
  url: 'create_webhook',
  deliveryId: 'list_deliveries',
  webhookId: 'list_deliveries',
  limit: 'list_bundles',
  offset: 'list_bundles',
  cursor: 'list_bundles',
  range: 'get_insights',
}

/** Requires no field, because a failed call’s `{ error, code }`, which clients check against this schema too, has none. */
function outputOf(operation: Operation): Tool['outputSchema'] {
  const elsewhere = Object.entries(SHOWN_BY).filter(([, [tool]]) => tool !== operation.name)
  const said = Object.fromEntries(elsewhere.map(([shape, [tool, more = '']]) => [shape, `See ${tool}${more}.`]))
  const naming = newNaming('defined', [], { ...OPAQUE, ...said })
  const answers = [
    ...(operation.output === undefined ? [] : [schemaOf(operation.output(), naming, '')]),
    ...(operation.dryRun === undefined ? [] : [schemaOf(DryRun(), naming, '')]),
  ]
  const answer = answers.length === 1 ? answers[0] : { anyOf: answers }
  return { ...withoutSingles(leanOutput({ ...answer, ...definitionsOf(naming) })), type: 'object' }
}

/** Shapes in the answers of several tools, with the one that shows them. */
const SHOWN_BY: Readonly<Record<string, readonly [tool: string, more?: string]>> = {
  Bundle: ['get_bundle'],
  ListedBundle: ['get_bundle', ', without its policy'],
  Version: ['get_bundle', ', with versionNumber, editedAt and editedByIdentityUserId'],
  ApiKey: ['create_key'],
  Subject: ['who_am_i'],
  Proposal: ['propose_edit'],
  Webhook: ['create_webhook'],
  Delivery: ['list_deliveries'],
  ListedProposal: ['propose_edit', ', without changes'],
}

const AS_SENT = `See ${SHOWS_POLICIES}.`

/** What answers do not describe again. */
const OPAQUE = {
  DryRun: '{ dryRun: true, bundle, warnings: [{ path, message }] }',
  UrlMetadata: 'See create_bundle.',
  BulkResult: '{ status, bundle?: { slug, url, versionNumber }, error?, code?, errors? }',
  MatchedRule: '{ id, name }',
  RefusedValue: '{ name, message }',
  LauncherVariable: '{ name, label, example, options }',
  LinkHealth: '{ url, state, since, finalUrl? }',
  LauncherTab: '{ url, note, section, tags, openPolicy }',
  Policy: AS_SENT,
  SavedPolicy: AS_SENT,
  TracedCondition: 'The condition, with `matched` at each node.',
  ProposedChanges: 'See update_bundle.',
  Difference: 'fields: { from, to } by name. links, rules: [{ kind: added, removed or kept, value, changes, … }].',
}

/** Every agent reads all tools, so they say each thing once: inputs have descriptions, outputs only their structure. */
function newNaming(named: Naming['named'], annotations: Naming['annotations'], opaque: Record<string, string>): Naming {
  return {
    prefix: '#/$defs/',
    named,
    annotations,
    flat: true,
    opaque: new Map(Object.entries(opaque)),
    definitions: new Map(),
  }
}

function definitionsOf({ definitions }: Naming): { $defs?: JsonSchema } {
  return definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) }
}
