import { or, type SQL, sql } from 'drizzle-orm'
import { bundleSearch, bundles, type Content } from '../../db/schema.ts'
import { TEXT_NAMES, type TextName } from './content.ts'

/** The parts of a bundle that lists search. */
export type SearchableContent = Pick<Content, 'urls' | 'urlMetadata' | TextName> & { slug: string }

/** Folds case and normalises accents: `ÄPFEL` becomes `äpfel`. Pure. */
function fold(text: string): string {
  // Via upper case, so that ß equals SS. A final sigma is folded too, because it depends on what follows.
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

/** The search text of a bundle: its slug, texts, links, notes, sections and tags, one per line. Pure. */
export function searchText({ slug, urls, urlMetadata, ...rest }: SearchableContent): string {
  const texts = TEXT_NAMES.map((name) => rest[name] ?? '')
  const beside = urlMetadata.flatMap(({ note = '', section = '', tags = [] }) => [note, section, ...tags])
  return fold([slug, ...texts, ...urls, ...beside].filter((text) => text !== '').join('\n'))
}

/**
 * Inserts the search text of a bundle. Run it after inserting or updating the bundle: a trigger has deleted the old row.
 * @param bundle the condition that selects the bundle; if none matches, nothing is written.
 */
export function insertSearchText(bundle: SQL | undefined, text: string): SQL {
  return sql`INSERT INTO ${bundleSearch} (bundle_id, text) SELECT ${bundles.id}, ${text} FROM ${bundles} WHERE ${bundle} ON CONFLICT DO NOTHING`
}

/** The values of the placeholders in `matchesSearch`. */
export function searchValues(q: string): { folded: string; pattern: string } {
  return { folded: fold(q), pattern: `*${Array.from(q, anyCase).join('')}*` }
}

/**
 * Whether a bundle contains a text, as a condition with placeholders for `searchValues`. A bundle without a row in
 * `bundle_search` yet is searched in its own columns.
 */
export function matchesSearch(): SQL {
  const columns = [bundles.slug, bundles.urls, ...TEXT_NAMES.map((name) => bundles[name])]
  const inColumns = or(...columns.map((column) => sql`${column} GLOB ${sql.placeholder('pattern')}`))
  const inText = sql`SELECT instr(${bundleSearch.text}, ${sql.placeholder('folded')}) FROM ${bundleSearch} WHERE ${bundleSearch.bundleId} = ${bundles.id}`
  return sql`coalesce((${inText}), ${inColumns})`
}

/** A GLOB pattern that matches a character in either case. */
function anyCase(character: string): string {
  if (/[*?[]/.test(character)) return `[${character}]`
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()]
  // Some letters have two lower cases, such as ς and σ, or ſ and s: the lower case of the upper case is the other one.
  const cases = new Set([character, lower, upper, upper.toLowerCase()].filter((text) => [...text].length === 1))
  return cases.size === 1 ? character : `[${[...cases].join('')}]`
}
