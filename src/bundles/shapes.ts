import { type } from 'arktype'
import { type Content, SOURCES } from '../../db/schema.ts'
import { Cursor, isOnePlace } from '../core/cursor.ts'
import { lazy } from '../core/lazy.ts'
import { OFFSET } from '../core/paging.ts'
import { type Checked, instantThat, refuse, refusing } from '../core/shape.ts'
import { CONTROLS, unfit } from '../core/text.ts'
import { line, lines, Url, withText } from '../core/text-shapes.ts'
import { isTimeZone } from '../policies/clock.ts'
import { PolicyOrNone } from '../policies/shapes.ts'
import { BOUNDS } from './bounds.ts'
import { CHOICE_NAMES, CONTENT, each, SWITCH_NAMES, TEXT_NAMES, TIME_NAMES } from './content.ts'
import { isEitherWay, linkChanges, optional, UrlMetadata } from './link-shapes.ts'
import { ExternalId, ownFields } from './own-fields.ts'
import { Variables } from './variable-shapes.ts'

const Instant = lazy(() => instantThat(() => null))

/** Whitespace alone counts as no text. */
const orNone = (text: string | null) => (text === null || text.trim() === '' ? null : text)

const text = ({ lines: count, max }: { lines: 'one' | 'many'; max: number }) =>
  (count === 'one' ? line(max) : lines(max)).or('null').pipe(orNone)

const urls = Url.array().atLeastLength(1).atMostLength(BOUNDS.urls)

/** The content fields that callers can send. */
export const sent = optional({
  urls,
  // Limited here too, before each entry is checked: a list of a hundred thousand blocked the process for a second.
  urlMetadata: UrlMetadata.array().atMostLength(BOUNDS.urls),
  variables: Variables,
  ...each(TEXT_NAMES, (name) => text(CONTENT[name])),
  ...each(TIME_NAMES, () => Instant().or('null')),
  ...each(CHOICE_NAMES, (name) => type.enumerated(...CONTENT[name].options)),
  ...each(SWITCH_NAMES, () => type('boolean')),
  resolutionPolicy: PolicyOrNone,
} satisfies Record<keyof Content, unknown>)

/** `urlMetadata` must not be longer than `urls`. */
export const isAtMostAsLong = ({ urls, urlMetadata }: { urls?: string[]; urlMetadata?: unknown[] }, ctx: Checked) =>
  urls === undefined ||
  (urlMetadata?.length ?? 0) <= urls.length ||
  refuse(ctx, { code: 'more_metadata_than_urls', urls: urls.length }, 'urlMetadata')

const SLUG = /^[a-z0-9](-?[a-z0-9])*$/

/**
 * One email address, as accounts and `<input type="email">` accept it. Mail headers allow more forms, some of which
 * (`group:a@b.example;`) address someone other than they seem to.
 */
const EMAIL = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+$/

/**
 * A slug chosen by a signed-in caller. Overlong ones are refused unmatched, because the pattern is slow on
 * them.
 */
export const ChosenSlug = type('string').narrow(
  refusing({ minLength: 3, maxLength: 64, pattern: SLUG.source }, (slug: string) => {
    if (slug.length <= 64 && !SLUG.test(slug)) return { code: 'not_a_slug' }
    return slug.length >= 3 && slug.length <= 64 ? null : { code: 'length', min: 3, max: 64 }
  }),
)

const Email = type('string').narrow(
  refusing(
    { maxLength: BOUNDS.email, pattern: EMAIL.source },
    (email: string) =>
      unfit(email, BOUNDS.email, CONTROLS) ?? (EMAIL.test(email) ? null : { code: 'not_an_email_address' }),
  ),
)

/** The password of a bundle, which is no content: write-only, and in no version. */
const password = {
  'password?': type('string').narrow(
    refusing({ minLength: 8, maxLength: BOUNDS.password, writeOnly: true }, (text: string) =>
      unfit(text, BOUNDS.password, CONTROLS),
    ),
  ),
} as const

const { 'urls?': _, ...sentAtFirst } = sent

const newFields = {
  ...sentAtFirst,
  urls,
  'source?': type.enumerated(...SOURCES),
  'slug?': ChosenSlug,
  ...password,
  ...ownFields,
  '+': 'reject',
} as const

/** The body of POST /api/links. */
export const NewBundle = type({ ...newFields, 'email?': Email }).narrow(isAtMostAsLong)

export type NewBundle = typeof NewBundle.infer

const { 'externalId?': _externalId, ...newFieldsWithoutId } = newFields

/** The body of PUT /api/links/ext:<externalId>, with the id of its path. */
export const PutBundle = type({ ...newFieldsWithoutId, externalId: ExternalId }).narrow(isAtMostAsLong)

export type PutBundle = typeof PutBundle.infer

/** What an edit may have, with the slug of its bundle. */
export const edited = { slug: 'string', ...sent, ...linkChanges, ...password, ...ownFields, '+': 'reject' } as const

/** Fields of an edit that change nothing. */
const NO_CHANGE = ['slug', 'expectedVersion']

/** Whether an edit changes something. */
export const isChange = (edit: object, ctx: Checked) =>
  Object.keys(edit).some((name) => !NO_CHANGE.includes(name)) || refuse(ctx, { code: 'no_change' })

/** The body of PATCH /api/links/:slug, with the slug of its path. */
export const BundleEdit = type(edited).narrow(isAtMostAsLong).narrow(isEitherWay).narrow(isChange)

export type BundleEdit = typeof BundleEdit.infer

const TimeZone = type('string').narrow((name, ctx) => isTimeZone(name) || refuse(ctx, { code: 'not_a_time_zone' }))

/**
 * The body of POST /api/links/:slug/duplicate, with the slug of its path. `slug` is the original’s, so the copy’s is
 * `newSlug`.
 */
export const Duplication = type({
  slug: 'string',
  'newSlug?': ChosenSlug,
  'shiftDays?': `-${BOUNDS.shiftDays} <= number.integer <= ${BOUNDS.shiftDays}`,
  'timeZone?': TimeZone,
  ...sent,
  ...password,
  'source?': type.enumerated(...SOURCES),
  '+': 'reject',
}).narrow(isAtMostAsLong)

export type Duplication = typeof Duplication.infer

/** The slug in a path. */
export const OneBundle = type({ slug: 'string', '+': 'reject' })

/** The query of GET /api/links/:slug/versions: all versions, or a page of those before one. */
export const Versions = type({
  slug: 'string',
  'limit?': `1 <= number.integer <= ${BOUNDS.page}`,
  'before?': '1 <= number.integer <= 999999999999999',
  'cursor?': Cursor,
  '+': 'reject',
})

export type Versions = typeof Versions.infer

/** The query of GET /api/me/links. */
export const Listing = type({
  limit: `1 <= number.integer <= ${BOUNDS.page} = 20`,
  offset: OFFSET,
  'cursor?': Cursor,
  'q?': line(BOUNDS.title),
  'tag?': line(BOUNDS.tag).narrow(withText),
  'externalId?': ExternalId,
  'health?': "'broken' | 'moved'",
  sort: "'created' | 'updated' | 'title' = 'created'",
  state: "'active' | 'deleted' = 'active'",
  '+': 'reject',
}).narrow(isOnePlace)

export type Listing = typeof Listing.infer

/** The query of GET /api/me/claims. */
export const Claims = type({
  limit: `1 <= number.integer <= ${BOUNDS.page} = ${BOUNDS.page}`,
  offset: OFFSET,
  'cursor?': Cursor,
  '+': 'reject',
}).narrow(isOnePlace)

export type Claims = typeof Claims.infer
