import type { UrlMetadata } from '../../db/schema.ts'

/** Neighbouring links under one heading. */
export interface Section {
  /** `''` for links without a section. */
  name: string
  /** The index of its first link. */
  from: number
  urls: string[]
  urlMetadata: UrlMetadata[]
}

/** The links of a bundle by section, in their order. Links of one name that are apart are several sections. Pure. */
export function sectionsOf({ urls, urlMetadata }: Readonly<Pick<Section, 'urls' | 'urlMetadata'>>): Section[] {
  const sections: Section[] = []
  for (const [index, url] of urls.entries()) {
    const metadata = urlMetadata[index] ?? {}
    const { section: name = '' } = metadata
    let last = sections.at(-1)
    if (last?.name !== name) sections.push((last = { name, from: index, urls: [], urlMetadata: [] }))
    last.urls.push(url)
    last.urlMetadata.push(metadata)
  }
  return sections
}
