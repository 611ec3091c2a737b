/** @jsxImportSource @kitajs/html */

import { linkOf } from '../../../src/bundles/links/link-fields.ts'
import { blanked } from '../../../src/bundles/variables/variables.ts'
import { unstressed } from '../../../src/core/emphasis.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import type { PublicBundle } from '../../../src/launcher/served.ts'
import { hostsOf } from '../../parts/destination.ts'
import { attribute, SearchLink, type Site } from '../../parts/layout.tsx'
import { PICTURE } from './picture.ts'

interface OpenGraphProps {
  site: Site
  bundle: PublicBundle
  heading: string
  /** The name of the preview picture. */
  picture: string
}

/** Offers the address bar a search that fills in the first variable; nothing without variables. */
export function AddressBar({ bundle }: Pick<OpenGraphProps, 'bundle'>): JSX.Element {
  const { slug, variables } = bundle
  return variables.length === 0 ? (
    ''
  ) : (
    <SearchLink href={routes.launcher.search.href({ slug })} name={attribute(searchName(bundle))} />
  )
}

/** The name in the browser's list of searches: the same for all viewers. */
export function searchName({ slug, title, variables }: Pick<PublicBundle, 'slug' | 'title' | 'variables'>): string {
  return title === null
    ? slug
    : blanked(
        title,
        variables.map(({ name }) => name),
      )
}

/** The preview of the link on other sites and in apps. */
export function OpenGraph({ site, bundle, heading, picture }: OpenGraphProps): JSX.Element {
  const names = bundle.variables.map(({ name }) => name)
  // Without values: the text may be cut, and other sites keep it.
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
      <meta property="og:image:type" content="image/png" />
      <meta property="og:image:width" content={String(PICTURE.width)} />
      <meta property="og:image:height" content={String(PICTURE.height)} />
      <meta property="og:image:alt" content={attribute(heading)} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  )
}
