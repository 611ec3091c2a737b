import { type Type, type } from 'arktype'
import { type Content, SOURCES, type Variable as StoredVariable } from '../../../db/schema.ts'
import { Slug } from '../../core/fields.ts'
import { lazy } from '../../core/lazy.ts'
import { Cursor, isOnePlace, limitOf, Offset } from '../../core/paging.ts'
import { type Checked, checked, inOrder, instantThat, object, refuse, refusing, says } from '../../core/shape.ts'
import { CONTROLS, unfit } from '../../core/text.ts'
import { Email, line, lines, Url, withText } from '../../core/text-shapes.ts'
import { isTimeZone } from '../../policies/clock.ts'
import { PolicyOrNone } from '../../policies/shapes.ts'
import { ChosenSlug, ExternalId, unversionedFields } from '../edit/unversioned.ts'
import { isEitherWay, linkChanges, optional, UrlMetadata } from '../links/link-shapes.ts'
import { isVariableName, VARIABLE_NAME, variableOf, wholeVariable } from '../variables/variables.ts'
import { BOUNDS, CHOICE_NAMES, CONTENT, each, SWITCH_NAMES, TEXT_NAMES, TIME_NAMES } from './content.ts'
import { CONTENT_DOCS, OWN_DOCS, SOURCE_DOC } from './field-docs.ts'

const VariableName = type('string').narrow(
  refusing({ pattern: VARIABLE_NAME.source }, (name: string) => {
    if (isVariableName(name)) return null
    return { code: VARIABLE_NAME.test(name) ? 'reserved_name' : 'not_a_variable_name' }
  }),
)

const value = (max: number) => line(max).narrow(withText)

const fields = {
  name: says(
    VariableName,
    'Lower-case letters, digits and _, beginning with a letter. Also the name in the link: ?id=4711.',
    'id',
  ),
  'label?': says(
    line(BOUNDS.variableLabel).narrow(withText),
    'What the launcher calls it; by default its name.',
    'Customer number',
  ),
  'example?': says(value(BOUNDS.variableExample), 'Shows what to fill in.', '4711'),
  'default?': says(value(BOUNDS.variableDefault), 'The value if none is given.', '7d'),
  'options?': says(
    value(BOUNDS.option).array().atLeastLength(1).atMostLength(BOUNDS.options),
    'The only values that it can have; any value if omitted.',
    ['7d', '30d'],
  ),
} as const

/** A variable, which viewers of the launcher fill in. */
export const Variable = type({ ...fields, '+': 'reject' })
  .narrow((variable, ctx) => {
    // As stored, without space around values.
    const { options, ...values } = variableOf(wholeVariable(variable))
    if (options === undefined) return true
    const twice = options.findIndex((option, at) => options.indexOf(option) !== at)
    if (twice !== -1) return refuse(ctx, { code: 'listed_twice' }, 'options', twice)
    for (const name of ['default', 'example'] as const) {
      const given = values[name]
      if (given !== undefined && !options.includes(given)) return refuse(ctx, { code: 'not_an_option' }, name)
    }
    return true
  })
  .configure(inOrder(fields, 'Variable'), 'self') as unknown as Type<StoredVariable>

/** All variables of a bundle. */
export const Variables = Variable.array()
  .atMostLength(BOUNDS.variables)
  .narrow((list, ctx) => {
    const names = list.map(({ name }) => name)
    const twice = names.findIndex((name, at) => names.indexOf(name) !== at)
    const first = names.indexOf(names[twice] ?? '')
    return twice === -1 || refuse(ctx, { code: 'variable_named_twice', variable: first }, twice, 'name')
  })

const Instant = lazy(() => instantThat(() => null))

/** Only whitespace counts as no text. */
const orNone = (text: string | null) => (text === null || text.trim() === '' ? null : text)

const text = ({ lines: count, max }: { lines: 'one' | 'many'; max: number }) =>
  (count === 'one' ? line(max) : lines(max)).or('null').pipe(orNone)

const urls = says(Url.array().atLeastLength(1).atMostLength(BOUNDS.urls), ...CONTENT_DOCS.urls)

/** The content fields that callers can send. */
export const sent = optional({
  urls,
  // Limited here too, before each entry is checked: a list of 100,000 entries blocked the process for a second.
  urlMetadata: says(UrlMetadata.array().atMostLength(BOUNDS.urls), ...CONTENT_DOCS.urlMetadata),
  variables: says(Variables, ...CONTENT_DOCS.variables),
  ...each(TEXT_NAMES, (name) => says(text(CONTENT[name]), ...CONTENT_DOCS[name])),
  ...each(TIME_NAMES, (name) => says(Instant().or('null'), ...CONTENT_DOCS[name])),
  ...each(CHOICE_NAMES, (name) => says(type.enumerated(...CONTENT[name].options), ...CONTENT_DOCS[name])),
  ...each(SWITCH_NAMES, (name) => says('boolean', ...CONTENT_DOCS[name])),
  resolutionPolicy: PolicyOrNone,
} satisfies Record<keyof Content, unknown>)

/** `urlMetadata` must not be longer than `urls`. */
export const isAtMostAsLong = ({ urls, urlMetadata }: { urls?: string[]; urlMetadata?: unknown[] }, ctx: Checked) =>
  urls === undefined ||
  (urlMetadata?.length ?? 0) <= urls.length ||
  refuse(ctx, { code: 'more_metadata_than_urls', urls: urls.length }, 'urlMetadata')

/** The password of a bundle. It is not content: write-only, and in no version. */
const password = {
  'password?': says(
    type('string').narrow(
      refusing({ minLength: 8, maxLength: BOUNDS.password, writeOnly: true }, (text: string) =>
        unfit(text, BOUNDS.password, CONTROLS),
      ),
    ),
    'For `access` `password`: 8 to 128 characters.',
    'four stairs down',
  ),
} as const

const { 'urls?': _, ...sentAtFirst } = sent

const Source = says(type.enumerated(...SOURCES), ...SOURCE_DOC)

const newFields = {
  'slug?': says(
    ChosenSlug,
    'The last part of the link, /l/<slug>: 3 to 64 of a-z, 0-9 and single hyphens; generated if omitted.',
    'launch-day',
  ),
  urls,
  ...sentAtFirst,
  ...password,
  'source?': Source,
  ...unversionedFields,
} as const

const newBundle = object(
  {
    ...newFields,
    'email?': says(
      Email,
      'Where to email the claim link, for callers without an account. Never shown again.',
      'someone@example.com',
    ),
  },
  'NewBundle',
)

/** The body of POST /api/links. */
export const NewBundle = checked(newBundle, newBundle.narrow(isAtMostAsLong))

export type NewBundle = typeof NewBundle.infer

const { 'externalId?': _externalId, ...newFieldsWithoutId } = newFields
const putBundle = object({ externalId: says(ExternalId, ...OWN_DOCS.externalId), ...newFieldsWithoutId })

/** The body of PUT /api/links/ext:<externalId>, with the id of its path. */
export const PutBundle = checked(putBundle, putBundle.narrow(isAtMostAsLong))

export type PutBundle = typeof PutBundle.infer

/** The fields of an edit, including the slug of its bundle. */
export const edited = { slug: Slug, ...sent, ...linkChanges, ...password, ...unversionedFields } as const

/** Fields of an edit that change nothing. */
const NO_CHANGE = ['slug', 'expectedVersion']

/** Whether an edit changes something. */
export const isChange = (edit: object, ctx: Checked) =>
  Object.keys(edit).some((name) => !NO_CHANGE.includes(name)) || refuse(ctx, { code: 'no_change' })

const edit = object(edited)

/** The body of PATCH /api/links/:slug, with the slug of its path. */
export const BundleEdit = checked(edit, edit.narrow(isAtMostAsLong).narrow(isEitherWay).narrow(isChange))

export type BundleEdit = typeof BundleEdit.infer

const TimeZone = type('string').narrow((name, ctx) => isTimeZone(name) || refuse(ctx, { code: 'not_a_time_zone' }))

const copy = object({
  slug: Slug,
  'newSlug?': says(ChosenSlug, 'The slug of the copy; generated if omitted.', 'launch-day-2'),
  'shiftDays?': says(
    `-${BOUNDS.shiftDays} <= number.integer <= ${BOUNDS.shiftDays}`,
    'How many days later its times are, those in rules too.',
    7,
  ),
  'timeZone?': says(TimeZone, 'Where times keep their hour; by default UTC.', 'Europe/Berlin'),
  ...sent,
  ...password,
  'source?': Source,
})

/**
 * The body of POST /api/links/:slug/duplicate, with the slug of its path. `slug` is the original’s, so the copy’s is
 * `newSlug`.
 */
export const Duplication = checked(copy, copy.narrow(isAtMostAsLong))

export type Duplication = typeof Duplication.infer

/** The body of POST /api/links/:slug/rename, with the slug of its path. */
export const Renaming = object({ slug: Slug, newSlug: says(ChosenSlug, 'Its new slug.', 'launch') })

/** The slug in a path. */
export const OneBundle = object({ slug: Slug })

/** The input of pin_bundle and unpin_bundle. */
export const Pinning = object({
  slug: Slug,
  'forEveryone?': says('boolean', 'On the start page: admins.', true),
})

/** The query of GET /api/links/:slug/versions: for all versions, or a page of those before one. */
export const Versions = object({
  slug: Slug,
  'limit?': says(`1 <= number.integer <= ${BOUNDS.page}`, 'At most so many.', 20),
  'before?': says('1 <= number.integer <= 999999999999999', 'Lists only versions older than this one.', 4),
  'cursor?': Cursor,
})

export type Versions = typeof Versions.infer

const listing = object({
  limit: limitOf(BOUNDS.page, 20),
  offset: Offset,
  'cursor?': Cursor,
  'q?': says(line(BOUNDS.title), 'Only bundles with this in their slug, texts, URLs or tags, ignoring case.', 'launch'),
  'tag?': says(line(BOUNDS.tag).narrow(withText), 'Only bundles with exactly this tag on a URL.', 'live'),
  sort: says(
    "'created' | 'updated' | 'title'",
    '`created`: newest first; `updated`: last edited first; `title`: from A to Z.',
    'created',
  ).default('created'),
  state: says(
    "'active' | 'deleted'",
    '`deleted`: deleted bundles, which restore_bundle can restore.',
    'active',
  ).default('active'),
  'externalId?': says(ExternalId, 'Lists only the bundle with this external id.', 'crm-4711'),
  'health?': says("'broken' | 'moved'", 'Only bundles with such a link.', 'broken'),
})

/** The query of GET /api/me/links. */
export const Listing = checked(listing, listing.narrow(isOnePlace))

export type Listing = typeof Listing.infer

const claims = object({ limit: limitOf(BOUNDS.page, BOUNDS.page), offset: Offset, 'cursor?': Cursor })

/** The query of GET /api/me/claims. */
export const Claims = checked(claims, claims.narrow(isOnePlace))

export type Claims = typeof Claims.infer
