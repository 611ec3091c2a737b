import { FACTS } from '../../db/policy.ts'
import { callOptionSchema, callOptionsOf, inputSchema, type Naming, schemaOf } from '../api/json-schema.ts'
import { DryRun } from '../bundles/content/answers.ts'
import { isContent } from '../bundles/content/content.ts'
import { LINK_NAMES, type LinkName, linkField } from '../bundles/links/link-fields.ts'
import { VARIABLE_LABELS } from '../bundles/variables/variables.ts'
import type { Config } from '../config/config.ts'
import type { JsonSchema } from '../core/shape.ts'
import { allows, type Scope } from '../identity/caller.ts'
import { type Operation, scopeOf } from '../operations/operation.ts'

/** A tool as listed. */
export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema & { type: 'object' }
  outputSchema: JsonSchema & { type: 'object' }
  annotations: Partial<Record<keyof typeof MCP_DEFAULTS, boolean>>
}

/** The values that MCP assumes for omitted annotations. */
const MCP_DEFAULTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

/**
 * Whether an operation is a tool: it reads or uses a credential, has no `noTool`, and is not a download, which may not fit into
 * a message.
 */
export function isTool({ route, auth, keyScope, download, noTool }: Operation): boolean {
  return (
    noTool === undefined &&
    download === undefined &&
    (auth !== 'public' || keyScope !== undefined || route.startsWith('GET '))
  )
}

/** Whether the operator has switched an operation off, so that it is not offered. */
export function isSwitchedOff({ openedBy }: Operation, { inspect }: Pick<Config, 'inspect'>): boolean {
  return openedBy === 'inspect' && inspect === 'off'
}

/** Whether a key with these scopes may call an operation. */
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

/** Descriptions for callers with a key, where the API’s also address others. */
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
    // In MCP, these two mean nothing for a tool that only reads.
    destructiveHint: isDeletion || readOnlyHint,
    idempotentHint: !readOnlyHint && (isDeletion || effect === 'repeatable'),
    openWorldHint: openWorld === true,
  }
  const names = Object.keys(hints) as (keyof typeof hints)[]
  return Object.fromEntries(names.flatMap((name) => (hints[name] === MCP_DEFAULTS[name] ? [] : [[name, hints[name]]])))
}

/** Tools that describe the fields of content; others refer to them. */
const DESCRIBES_CONTENT: readonly string[] = ['create_bundle']
/** The fields of some shapes, shorter than their schemas. */
const METADATA = `{ ${LINK_NAMES.map(metadataField).join(', ')} }`
const ADDED = `{ url, at?, ${LINK_NAMES.map(optional).join(', ')} }: \`at\`: place from 0, else last.`
const VARIABLE = `{ name, ${Object.keys(VARIABLE_LABELS)
  .filter((field) => field !== 'name')
  .map(optional)
  .join(', ')} }: options are the only values.`
const RECEIVER = '{ type: organization, organizationId } or { type: user, userId }'
/** The tool that describes policies, and has the schemas of policies and conditions. */
const SHOWS_POLICIES = 'preview_policy'

/** The fields of a condition whose values or meaning its description does not explain. */
const SAID_THERE: readonly string[] = ['op', 'days', 'field', 'value']

/** That tool’s description of the policy as a whole. */
const TRIED = 'Shows different viewers different tabs; who matches no rule gets `urls`. Null for none.'

const POLICY =
  'Gives different viewers different tabs: { version: 1, rules: [{ name, when: { op: equals, field: country, value: AT }, ' +
  `tabs: [{ url, note? }] }] }. The first match replaces \`urls\`; base: bundle adds to them. See ${SHOWS_POLICIES}.`

/** The descriptions of policies in tools that set them. */
const SETS_POLICIES: Readonly<Record<string, string>> = {
  create_bundle: POLICY,
  update_bundle: 'Gives different viewers different tabs: see preview_policy.',
}

const AS_CREATED = 'As for create_bundle.'

/**
 * Fields without a meaning for tools: `email` is for callers without a credential, `breakdown` for CSV, and `source` is `mcp`
 * by default.
 */
const FOR_OTHERS = ['email', 'breakdown', 'source']

/** Agents add other slugs only to an existing bundle. */
const SETS_ALIASES = 'update_bundle'

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
    if (FOR_OTHERS.includes(field) || (field === 'aliases' && name !== SETS_ALIASES)) return []
    const { description: _, ...structure } = inner
    if (field === 'events' && name !== 'create_webhook') return [[field, shapeOf(structure)]]
    if (field === 'viewer') return [[field, outlining(PLAIN_FACTS, inner)]]
    if (!isContent(field)) return [[field, describing(name, field) === name ? inner : shapeOf(structure)]]
    if (field === 'resolutionPolicy' && name !== SHOWS_POLICIES)
      return [[field, { ...shapeOf(structure), description: SETS_POLICIES[name] ?? AS_CREATED }]]
    if (field === 'resolutionPolicy') return [[field, { ...structure, description: TRIED }]]
    if (hasContent) return [[field, inner]]
    return [[field, field === 'urlMetadata' ? structure : shapeOf(structure)]]
  })
  const properties = Object.fromEntries(fields)
  // The description of conditions explains most of their fields.
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

/** Facts about a viewer that their names and the description of conditions explain. */
const PLAIN_FACTS: readonly string[] = FACTS.filter((fact) => fact !== 'emailDomain')

/** The tool that describes a field of a tool: that one or another. */
function describing(tool: string, field: string): string {
  return DESCRIBED_BY[`${tool}.${field}`] ?? DESCRIBED_BY[field] ?? tool
}

/** Fields that mean the same in each tool, or `tool.field` for one tool, with the tool that describes them. */
const DESCRIBED_BY: Readonly<Record<string, string>> = {
  slug: 'get_bundle',
  expectedVersion: 'update_bundle',
  addUrls: 'update_bundle',
  removeUrls: 'update_bundle',
  setMetadata: 'update_bundle',
  idempotencyKey: 'create_bundle',
  dryRun: 'create_bundle',
  password: 'create_bundle',
  externalId: 'create_bundle',
  metadata: 'create_bundle',
  id: 'get_proposal',
  events: 'create_webhook',
  url: 'create_webhook',
  'update_webhook.format': 'create_webhook',
  deliveryId: 'list_deliveries',
  webhookId: 'list_deliveries',
  limit: 'list_bundles',
  offset: 'list_bundles',
  cursor: 'list_bundles',
  range: 'get_insights',
  'get_overview.from': 'get_insights',
  'get_overview.to': 'get_insights',
}

/** Requires no field, because clients also check a failed call’s `{ error, code }` against this schema. */
function outputOf(operation: Operation): Tool['outputSchema'] {
  const elsewhere = Object.entries(SHOWN_BY).filter(([, [tool]]) => tool !== operation.name)
  const said = Object.fromEntries(elsewhere.map(([shape, [tool, more = '']]) => [shape, `See ${tool}${more}.`]))
  const naming = newNaming('defined', [], { ...OPAQUE, ...said })
  const answers = [
    ...(operation.output === undefined ? [] : [schemaOf(operation.output(), naming)]),
    ...(operation.dryRun === undefined ? [] : [schemaOf(DryRun(), naming)]),
  ]
  const answer = answers.length === 1 ? answers[0] : { anyOf: answers }
  return { ...inlineSingleUses(leanOutput({ ...answer, ...definitionsOf(naming) })), type: 'object' }
}

/** Shapes in the answers of several tools, with the tool that shows them. */
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

/** Shapes that answers do not describe again. */
const OPAQUE = {
  DryRun: '{ dryRun: true, bundle, warnings: [{ path, message }] }',
  UrlMetadata: 'See create_bundle.',
  BulkResult: '{ status, bundle?: { slug, url, versionNumber }, error?, code?, errors? }',
  MatchedRule: '{ id, name }',
  RuleCounts: '{ ruleId, ruleName, base?, omit?, views, openAllClicks, openAllRate }',
  RuleTrace: '{ ruleId, name, base?, omit?, matched, condition }: with `matched` at each node.',
  RefusedValue: '{ name, message }',
  LauncherVariable: '{ name, label, example, options }',
  LinkHealth: '{ url, state, since, finalUrl? }',
  LauncherTab: '{ url, note, section, tags, openPolicy }',
  Policy: AS_SENT,
  SavedPolicy: AS_SENT,
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

// Every agent reads every tool before its first call, so tools leave out what only a validator needs: the server checks
// everything again, and its errors name the place.

type Rule = (schema: JsonSchema) => JsonSchema

/** Bounds from here on are left out: they only say that the value is a number. */
const MAX_BOUND = 1e9
/** Limits from here on are left out: such texts are rare, and the error for a longer one states the limit. */
const LONG_TEXT = 60
/** Bounds that are left out, because they refuse only what nobody sends. */
const MIN_BOUNDS: readonly unknown[] = [0, 1]

/**
 * An input's schema without patterns: most only refuse characters that nobody types, and descriptions state the rest.
 * `additionalProperties: false` is left out.
 */
function leanInput(schema: JsonSchema): JsonSchema {
  return mapped(schema, (inner) => {
    const rest = { ...inner }
    for (const name of ONLY_CHECKED) delete rest[name]
    if (Number(rest.maximum ?? 0) >= MAX_BOUND) delete rest.maximum
    if (Number(rest.maxLength ?? 0) >= LONG_TEXT) delete rest.maxLength
    if (MIN_BOUNDS.includes(rest.minimum)) delete rest.minimum
    if (MIN_BOUNDS.includes(rest.minItems)) delete rest.minItems
    if (rest.additionalProperties === false) delete rest.additionalProperties
    if (NOTHING.has(JSON.stringify(rest.default))) delete rest.default
    return rest
  })
}

/** Defaults that need no mention. */
const NOTHING: ReadonlySet<string | undefined> = new Set(['0', 'false', '{}'])

/** Keywords that the server checks, and nobody has to know before. */
const ONLY_CHECKED = [
  'pattern',
  'allOf',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'maxItems',
  'minLength',
  'writeOnly',
]

/** A longer list of values is left out of answers: the API’s document has it. */
const MAX_OPTIONS = 10

/** An output's schema: only its structure, without `additionalProperties: false`. */
function leanOutput(schema: JsonSchema): JsonSchema {
  const isStructure = ([key, value]: [string, unknown]) =>
    !CONSTRAINTS.has(key) &&
    !(key === 'enum' && (value as unknown[]).length > MAX_OPTIONS) &&
    !(key === 'additionalProperties' && value === false)
  return mapped(schema, (inner) => Object.fromEntries(Object.entries(inner).filter(isStructure)))
}

/** A schema with definitions inlined that are referred to once, which takes fewer bytes. */
function inlineSingleUses({ $defs = {}, ...schema }: JsonSchema): JsonSchema {
  const definitions = $defs as Record<string, JsonSchema>
  const uses = JSON.stringify({ schema, definitions })
  const refTo = (name: string) => `#/$defs/${name}`
  const single = Object.keys(definitions).find((name) => uses.split(JSON.stringify(refTo(name))).length === 2)
  if (single === undefined) return Object.keys(definitions).length === 0 ? schema : { ...schema, $defs }
  const { [single]: meant, ...others } = definitions
  // Inlining a definition that refers to itself would never end.
  if (JSON.stringify(meant).includes(refTo(single))) return { ...schema, $defs }
  const put = (inner: JsonSchema): JsonSchema => {
    const { $ref, ...rest } = inner
    return $ref === refTo(single) ? { ...meant, ...rest } : inner
  }
  return inlineSingleUses(mapped({ ...schema, $defs: others }, put))
}

/** Reduces a field’s schema to its type, and that of its entries. The allowed values are listed elsewhere. */
function shapeOf(schema: JsonSchema): JsonSchema {
  const types = (inner: JsonSchema) => Object.fromEntries(Object.entries(inner).filter(([key]) => TYPES.has(key)))
  const { anyOf, ...rest } = mapped(schema, types) as { anyOf?: JsonSchema[] }
  if (anyOf === undefined) return rest
  // Without their values, several kinds of text are one.
  const kinds = [...new Map(anyOf.map((kind) => [JSON.stringify(kind), kind])).values()]
  return kinds.length === 1 ? { ...rest, ...kinds[0] } : { ...rest, anyOf: kinds }
}

/** An object’s schema with the named fields reduced to their types, without their allowed values. */
function outlining(names: readonly string[], schema: JsonSchema): JsonSchema {
  const fields = Object.entries(schema.properties as Record<string, JsonSchema>)
  const properties = fields.map(([name, field]) => [name, names.includes(name) ? shapeOf(field) : field])
  return { ...schema, properties: Object.fromEntries(properties) }
}

const CONSTRAINTS = new Set(
  'required pattern allOf minLength maxLength minItems maxItems minimum maximum format'.split(' '),
)
const TYPES = new Set('type items anyOf $ref'.split(' '))

/** Applies a rule to a schema and to every schema in it, the innermost first. */
function mapped(schema: JsonSchema, rule: Rule): JsonSchema {
  const inner = Object.entries(schema).map(([key, value]) => {
    if (key !== 'properties' && key !== '$defs') return [key, within(value, rule)]
    const fields = Object.entries(value as Record<string, JsonSchema>)
    return [key, Object.fromEntries(fields.map(([name, field]) => [name, mapped(field, rule)]))]
  })
  return rule(Object.fromEntries(inner))
}

function within(value: unknown, rule: Rule): unknown {
  if (Array.isArray(value)) return value.map((one) => within(one, rule))
  return value !== null && typeof value === 'object' ? mapped(value as JsonSchema, rule) : value
}
