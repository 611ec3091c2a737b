import { type Type, type } from 'arktype'
import type { UrlMetadata as StoredMetadata } from '../../db/schema.ts'
import { type Checked, refuse, refusing } from '../core/shape.ts'
import { line, lines, Url, withText } from '../core/text-shapes.ts'
import { BOUNDS } from './bounds.ts'
import { each } from './content.ts'
import { LINK_NAMES, type LinkName, linkField } from './link-fields.ts'

// What callers send of links: their metadata, and changes of single ones.

/** The same shapes, none of which is required. */
export function optional<Shapes extends object>(shapes: Shapes) {
  const entries = Object.entries(shapes).map(([name, shape]) => [`${name}?`, shape])
  return Object.fromEntries(entries) as { [Name in keyof Shapes & string as `${Name}?`]: Shapes[Name] }
}

const metadata = each(LINK_NAMES, (name) => shapeOf(linkField(name)))

/** The metadata of a URL: any of the fields of a link. */
export const UrlMetadata = type({ ...optional(metadata), '+': 'reject' }).configure(
  { named: 'UrlMetadata' },
  'self',
) as unknown as Type<StoredMetadata>

function shapeOf(field: ReturnType<typeof linkField>): Type<unknown> {
  switch (field.kind) {
    case 'text':
      return field.lines === 'many' ? lines(field.max) : line(field.max).narrow(withText)
    case 'tags':
      return line(field.max).narrow(withText).array().atMostLength(field.most)
    case 'choice':
      return type.enumerated(...field.options)
    case 'switch':
      return type('boolean')
  }
}

const AddedLink = type({
  url: Url,
  'at?': `0 <= number.integer <= ${BOUNDS.urls - 1}`,
  ...optional(metadata),
  '+': 'reject',
}) as unknown as Type<{ url: string; at?: number } & StoredMetadata>

/** Null removes a field. */
const MetadataChange = type({
  ...optional(each(LINK_NAMES, (name) => metadata[name].or('null'))),
  '+': 'reject',
}).configure({ named: 'MetadataChange' }, 'self') as unknown as Type<{
  [Name in LinkName]?: StoredMetadata[Name] | null
}>

/** Changes of single links, by URL. */
export const linkChanges = optional({
  addUrls: AddedLink.array().atLeastLength(1).atMostLength(BOUNDS.urls),
  removeUrls: Url.array().atLeastLength(1).atMostLength(BOUNDS.urls),
  setMetadata: type({ '[string]': MetadataChange }).narrow(
    refusing({ minProperties: 1, maxProperties: BOUNDS.urls }, (changes: object) => {
      const { length } = Object.keys(changes)
      if (length === 0) return { code: 'too_few', limit: 1, of: 'entry' }
      return length > BOUNDS.urls ? { code: 'too_many', limit: BOUNDS.urls, of: 'entry' } : null
    }),
  ),
})

const NAMES = ['addUrls', 'removeUrls', 'setMetadata'] as const

/** An edit as far as it is of links. */
export interface SentLinks {
  urls?: string[]
  urlMetadata?: StoredMetadata[]
  addUrls?: (typeof AddedLink.infer)[]
  removeUrls?: string[]
  setMetadata?: Record<string, typeof MetadataChange.infer>
}

export function changesLinks(edit: SentLinks): boolean {
  return NAMES.some((name) => edit[name] !== undefined)
}

/** Changes of single links must not be sent with whole lists. */
export const isEitherWay = (edit: SentLinks, ctx: Checked) => {
  const name = NAMES.find((name) => edit[name] !== undefined)
  const isWhole = edit.urls !== undefined || edit.urlMetadata !== undefined
  return name === undefined || !isWhole || refuse(ctx, { code: 'beside_whole_lists' }, name)
}
