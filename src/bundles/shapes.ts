import { type } from 'arktype'
import { type Content, SOURCES, type UrlMetadata as StoredMetadata } from '../../db/schema.ts'
import { type ShapeOf, said } from '../core/shape.ts'
import { CONTROLS, unfit } from '../core/text.ts'
import { line, lines, Url, withText } from '../core/text-shapes.ts'
import { Policy } from '../policies/shapes.ts'
import { BOUNDS } from './bounds.ts'
import { CONTENT, eachText } from './content.ts'

/** What is kept beside each URL (spec 2.1). */
export const UrlMetadata = type({
  'note?': lines(BOUNDS.note),
  'tags?': line(BOUNDS.tag).narrow(withText('a tag with text in it')).array().atMostLength(BOUNDS.tags),
  'openPolicy?': "'auto' | 'manual'",
  '+': 'reject',
} as const satisfies ShapeOf<StoredMetadata>)

/** A text of nothing but space is none. */
const orNone = (text: string | null) => (text === null || text.trim() === '' ? null : text)

const text = ({ lines: count, max }: { lines: 'one' | 'many'; max: number }) =>
  (count === 'one' ? line(max) : lines(max)).or('null').pipe(orNone)

const urls = Url.array().atLeastLength(1).atMostLength(BOUNDS.urls)

/** What can be sent of a bundle's content. */
const sent = optional({
  urls,
  // Bounded here too, before each entry is looked at: a list of a hundred thousand held the process for a second.
  urlMetadata: UrlMetadata.array().atMostLength(BOUNDS.urls),
  ...eachText((name) => text(CONTENT[name])),
  resolutionPolicy: Policy.or('null'),
} satisfies Record<keyof Content, unknown>)

function optional<Shapes extends object>(shapes: Shapes) {
  const entries = Object.entries(shapes).map(([name, shape]) => [`${name}?`, shape])
  return Object.fromEntries(entries) as { [Name in keyof Shapes & string as `${Name}?`]: Shapes[Name] }
}

/** A metadata list may not be longer than the list of URLs that it runs beside. */
const runsBeside = (
  { urls, urlMetadata }: { urls?: string[]; urlMetadata?: unknown[] },
  ctx: { reject(issue: { path: string[]; expected: string }): false },
) =>
  urls === undefined ||
  (urlMetadata?.length ?? 0) <= urls.length ||
  ctx.reject({ path: ['urlMetadata'], expected: `no longer than urls, which has ${urls.length}` })

/** Where a check says what would be right. */
interface Checked {
  mustBe(expected: string): false
}

const SLUG = /^[a-z0-9](-?[a-z0-9])*$/

/**
 * One e-mail address, as accounts have them and as `<input type="email">` takes it: in the grammar of mail headers many more
 * texts are addresses, some of them (`group:a@b.example;`) of somebody else than they seem.
 */
const EMAIL = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+$/

/** A slug that a signed-in caller chooses (decisions 2). What is far too long is not looked at: such patterns take long over it. */
const ChosenSlug = type('string').narrow(
  said({ minLength: 3, maxLength: 64, pattern: SLUG.source }, (slug: string, ctx: Checked) => {
    if (slug.length <= 64 && !SLUG.test(slug)) {
      return ctx.mustBe('lower-case letters and digits, with single hyphens between them')
    }
    return (slug.length >= 3 && slug.length <= 64) || ctx.mustBe('3 to 64 characters')
  }),
)

const Email = type('string').narrow(
  said({ maxLength: BOUNDS.email, pattern: EMAIL.source }, (email: string, ctx: Checked) => {
    const reason = unfit(email, BOUNDS.email, CONTROLS)
    if (reason !== null) return ctx.mustBe(reason)
    return EMAIL.test(email) || ctx.mustBe('an e-mail address')
  }),
)

const { 'urls?': _, ...sentAtFirst } = sent

/** The body of POST /api/links (spec 4.1). */
export const NewBundle = type({
  ...sentAtFirst,
  urls,
  'source?': type.enumerated(...SOURCES),
  'email?': Email,
  'slug?': ChosenSlug,
  '+': 'reject',
}).narrow(runsBeside)

export type NewBundle = typeof NewBundle.infer

/** The body of PATCH /api/links/:slug, with the slug of its path (spec 4.3). */
export const BundleEdit = type({
  slug: 'string',
  ...sent,
  '+': 'reject',
})
  .narrow(runsBeside)
  .narrow((edit, ctx) => Object.keys(edit).length > 1 || ctx.mustBe('an object with at least one field to change'))

export type BundleEdit = typeof BundleEdit.infer

/** The slug of a path. */
export const OneBundle = type({ slug: 'string', '+': 'reject' })

/** The query of GET /api/links/:slug/versions: all of them, or a page that ends before a version. */
export const Versions = type({
  slug: 'string',
  'limit?': '1 <= number.integer <= 100',
  'before?': '1 <= number.integer <= 1000000000000000',
  '+': 'reject',
})

export type Versions = typeof Versions.infer

/** A version of a path. */
export const OneVersion = type({
  slug: 'string',
  versionNumber: '1 <= number.integer <= 1000000000000000',
  '+': 'reject',
})

/** The query of GET /api/me/links (spec 4.5, decisions 11). */
export const Listing = type({
  limit: '1 <= number.integer <= 100 = 20',
  offset: '0 <= number.integer <= 1000000000 = 0',
  'q?': line(BOUNDS.title),
  sort: "'created' | 'updated' | 'title' = 'created'",
  state: "'active' | 'deleted' = 'active'",
  '+': 'reject',
})

export type Listing = typeof Listing.infer

/** What a claim is made with: the token, or the slug of a bundle made with the caller's verified address. */
export const Claim = type({ 'token?': '0 < string <= 200', 'slug?': '0 < string <= 64', '+': 'reject' }).narrow(
  said(
    { oneOf: [{ required: ['token'] }, { required: ['slug'] }] },
    ({ token, slug }: { token?: string; slug?: string }, ctx: { mustBe(expected: string): false }) =>
      (token === undefined) !== (slug === undefined) || ctx.mustBe('an object with a token'),
  ),
)
