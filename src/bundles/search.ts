import { type SQL, sql } from 'drizzle-orm'
import { bundleSearch, bundles, type Content, searchPending } from '../../db/schema.ts'
import { TEXT_NAMES, type TextName } from './content.ts'
import { textsBeside } from './link-fields.ts'
import { labelOf } from './variables.ts'

/** The parts of a bundle that lists search. */
export type SearchableContent = Pick<Content, 'urls' | 'urlMetadata' | 'variables' | TextName> & { slug: string }

/** Folds case and normalises accents: `ÄPFEL` becomes `äpfel`. Pure. */
export function fold(text: string): string {
  // Via upper case, so that ß equals SS. A final sigma is folded too, because it depends on what follows.
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

/** The search text of a bundle: its slug, texts, links and the texts beside them, one per line. Pure. */
export function searchText({ slug, urls, urlMetadata, variables, ...rest }: SearchableContent): string {
  const texts = TEXT_NAMES.map((name) => rest[name] ?? '')
  const beside = [...urlMetadata.flatMap(textsBeside), ...variables.map(labelOf)]
  return fold([slug, ...texts, ...urls, ...beside].filter((text) => text !== '').join('\n'))
}

/**
 * Writes the search text of a bundle, in the transaction that writes its content.
 * @param bundle the condition that selects the bundle; if none matches, nothing is written.
 */
export function writeSearchText(bundle: SQL | undefined, text: string): SQL {
  return sql`INSERT INTO ${bundleSearch} (bundle_id, text) SELECT ${bundles.id}, ${text} FROM ${bundles} WHERE ${bundle}
    ON CONFLICT DO UPDATE SET text = excluded.text WHERE ${bundleSearch.text} <> excluded.text`
}

/** Most characters of a search that the index is asked for; the text itself is compared with all of them. */
const INDEXED_LENGTH = 60

/**
 * The condition on `bundle_index` that every bundle with these texts meets: they have the same three characters. Null if
 * no text has three.
 */
export function indexCondition(texts: readonly string[]): string | null {
  const terms = texts.flatMap((text) => {
    const characters = [...fold(text)].slice(0, INDEXED_LENGTH)
    // Every third position is enough, because the text is compared with what is found; and the end.
    const starts = characters.map((_, at) => at).filter((at) => at % 3 === 0 && at + 3 < characters.length)
    return characters.length < 3 ? [] : [...starts, characters.length - 3].map((at) => characters.slice(at, at + 3))
  })
  if (terms.length === 0) return null
  return [...new Set(terms.map((term) => `"${term.join('').replaceAll('"', '""')}"`))].join(' AND ')
}

/**
 * What the index has as the text of an owner: three characters of a range that no script uses, so that the entries of an
 * owner are a list of their own. Entries are also numbered by owner first (`entryOf`): without either, a search would walk
 * over those of all owners.
 */
export function ownerTerm(owner: SQL): SQL {
  return sql`char(983040 + (${owner} & 32767), 983040 + (${owner} >> 15 & 32767), 983040 + (${owner} >> 30 & 32767))`
}

/** The number of an entry in `bundle_index`. It does not fit a number of JavaScript. */
export function entryOf(owner: SQL, bundle: SQL): SQL {
  return sql`((${owner} << 32) + ${bundle})`
}

/**
 * The ids of an owner's bundles that may meet the `indexCondition` in the placeholder `indexed`, as a query: those found in
 * the index, and those whose entry is outdated.
 */
export function foundInIndex(ownerId: SQL): SQL {
  // A subject that owns nothing yet has no id, and SQLite refuses a search for null.
  const owner = sql`coalesce(${ownerId}, 0)`
  const [first, last] = [entryOf(owner, sql`0`), entryOf(owner, sql`4294967295`)]
  return sql`SELECT bundle_id FROM ${searchPending} WHERE owner_id = ${owner}
    UNION ALL SELECT rowid & 4294967295 FROM bundle_index
    WHERE bundle_index MATCH '"' || ${ownerTerm(owner)} || '" AND ' || ${sql.placeholder('indexed')} AND rowid BETWEEN ${first} AND ${last}`
}

/** Whether a bundle contains a text, as a condition with a placeholder for `folded`, which is the `fold` of the text. */
export function matchesSearch(): SQL {
  return sql`instr((SELECT ${bundleSearch.text} FROM ${bundleSearch} WHERE ${bundleSearch.bundleId} = ${bundles.id}), ${sql.placeholder('folded')})`
}
