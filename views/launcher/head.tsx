/** @jsxImportSource @kitajs/html */

import { linkOf } from '../../src/bundles/link.ts'
import { blanked } from '../../src/bundles/variables.ts'
import { count } from '../../src/core/words.ts'
import type { PublicBundle } from '../../src/launcher/served.ts'
import { hostsOf } from '../parts/destination.ts'
import { unstressed } from '../parts/emphasis.ts'
import { attribute, type Site } from '../parts/layout.tsx'
import { SearchLink } from '../parts/open-search.tsx'
import { PICTURE } from './picture.ts'

interface OpenGraphProps {
  site: Site
  bundle: PublicBundle
  heading: string
  /** The name of its picture. */
  picture: string
}

/** Lets the address bar fill in its first variable; nothing without variables. */
export function AddressBar({ bundle }: Pick<OpenGraphProps, 'bundle'>): JSX.Element {
  const { slug, variables } = bundle
  return variables.length === 0 ? (
    ''
  ) : (
    <SearchLink href={`/l/${slug}/opensearch.xml`} name={attribute(searchName(bundle))} />
  )
}

/** What browsers list the search of a launcher as: the same for all its viewers. */
export function searchName({ slug, title, variables }: Pick<PublicBundle, 'slug' | 'title' | 'variables'>): string {
  return title === null
    ? slug
    : blanked(
        title,
        variables.map(({ name }) => name),
      )
}

/** What other sites and apps show of the link. */
export function OpenGraph({ site, bundle, heading, picture }: OpenGraphProps): JSX.Element {
  const names = bundle.variables.map(({ name }) => name)
  // Without values: it is cut, and other sites keep it.
  const description =
    (bundle.description && blanked(unstressed(bundle.description), names)) ??
    `${count(bundle.urls.length, 'link')}: ${hostsOf(bundle.urls).join(', ')}`
  const link = linkOf(bundle.slug, site)
  const summary = [...description].slice(0, 200).join('')
  return (
    <>
      <meta name="description" content={attribute(summary)} />
      <meta name="robots" content="noindex" />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={attribute(site.name)} />
      <meta property="og:title" content={attribute(heading)} />
      <meta property="og:description" content={attribute(summary)} />
      <meta property="og:url" content={link} />
      <meta property="og:image" content={`${link}/picture.png?v=${picture}`} />
      <meta property="og:image:width" content={String(PICTURE.width)} />
      <meta property="og:image:height" content={String(PICTURE.height)} />
      <meta property="og:image:alt" content={attribute(heading)} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  )
}
