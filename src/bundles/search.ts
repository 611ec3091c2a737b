import { type SQL, sql } from 'drizzle-orm'
import { bundleSearch, bundles, type Content } from '../../db/schema.ts'
import { type NameWith, TEXT_NAMES } from './content.ts'
import { textsBeside } from './link-texts.ts'
import { labelOf } from './variables.ts'

/** The parts of a bundle that lists search. */
type SearchableContent = Pick<Content, 'urls' | 'urlMetadata' | 'variables' | TextName> & { slug: string }

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

type TextName = NameWith<{ kind: 'text' }>
