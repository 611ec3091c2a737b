import { everyLink, type Linking } from '../../core/links.ts'
import { iconsOf } from '../../icons/kept.ts'
import type { SiteIcons } from '../../icons/site.ts'
import type { Visit } from './visit.ts'

/** What of a bundle is shown with icons. */
interface Shown extends Pick<Linking, 'urls'>, Partial<Pick<Linking, 'resolutionPolicy'>> {
  /** Whether its owner wants any. */
  icons: boolean
}

/** The icons of all sites that a page shows links to, in one query; none for bundles whose owner wants none. */
export async function iconsFor({ service }: Pick<Visit, 'service'>, ...shown: readonly Shown[]): Promise<SiteIcons> {
  const { config, store } = service
  if (!config.icons) return {}
  const links = shown.flatMap(({ icons, resolutionPolicy = null, urls }) =>
    icons ? everyLink({ urls, resolutionPolicy }) : [],
  )
  return links.length === 0 ? {} : iconsOf(store.db, { urls: links.map(({ url }) => url), resolutionPolicy: null })
}
