import { or, type SQL, sql } from 'drizzle-orm'
import { bundleSearch, bundles, type Content } from '../../db/schema.ts'
import { TEXT_NAMES, type TextName } from './content.ts'

/** What of a bundle is searched. */
export type Searched = Pick<Content, 'urls' | 'urlMetadata' | TextName> & { slug: string }

/** Letters alike whatever their case, and however they are put together: `ÄPFEL` becomes `äpfel`. Pure. */
function fold(text: string): string {
  // By way of upper case, in which ß is SS; of the two small sigmas the final one depends on what follows.
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

/** The text that a bundle is found by: its slug, texts, links, notes and tags, each on lines of its own. Pure. */
function searchText({ slug, urls, urlMetadata, ...rest }: Searched): string {
  const texts = TEXT_NAMES.map((name) => rest[name] ?? '')
  const beside = urlMetadata.flatMap(({ note = '', tags = [] }) => [note, ...tags])
  return fold([slug, ...texts, ...urls, ...beside].filter((text) => text !== '').join('\n'))
}

/**
 * Writes what a bundle is found by, after the bundle itself, whose change has deleted what there was.
 * @param bundle the condition that names it; where none meets it, nothing is written.
 */
export function insertSearchText(bundle: SQL | undefined, searched: Searched): SQL {
  return sql`INSERT INTO ${bundleSearch} (bundle_id, text) SELECT ${bundles.id}, ${searchText(searched)} FROM ${bundles} WHERE ${bundle} ON CONFLICT DO NOTHING`
}

/** What `found` is given for a text that is looked for. */
export function lookedFor(q: string): { folded: string; pattern: string } {
  return { folded: fold(q), pattern: `*${Array.from(q, anyCase).join('')}*` }
}

/**
 * Whether a bundle holds a text, as a condition with the placeholders of `lookedFor`. One whose row is not written yet
 * is looked for in its own columns.
 */
export function found(): SQL {
  const columns = [bundles.slug, bundles.urls, ...TEXT_NAMES.map((name) => bundles[name])]
  const inColumns = or(...columns.map((column) => sql`${column} GLOB ${sql.placeholder('pattern')}`))
  const inText = sql`SELECT instr(${bundleSearch.text}, ${sql.placeholder('folded')}) FROM ${bundleSearch} WHERE ${bundleSearch.bundleId} = ${bundles.id}`
  return sql`coalesce((${inText}), ${inColumns})`
}

/** A character as a pattern of GLOB that matches it in either case. */
function anyCase(character: string): string {
  if (/[*?[]/.test(character)) return `[${character}]`
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()]
  // Upper case first, for some letters have two lower ones: ς and σ, ſ and s.
  const cases = new Set([character, lower, upper, upper.toLowerCase()].filter((text) => [...text].length === 1))
  return cases.size === 1 ? character : `[${[...cases].join('')}]`
}
