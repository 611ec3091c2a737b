import type { BundleForm } from '../../../views/dashboard/editor/bundle-form.ts'
import { type SeenLink, seenElsewhere } from '../../bundles/seen.ts'
import { within } from '../../core/within.ts'
import { signedIn } from '../../identity/caller.ts'
import type { Visit } from '../parts/visit.ts'

/** How long a page waits for a hint, before which other long reads may have their turn. */
const HINT_MS = 250

/** In which other bundles the links of a form stand, if that is soon known: later it would move what is being read. */
export async function seenSoon(
  { service, context }: Visit,
  form: BundleForm,
  slug: string,
): Promise<readonly SeenLink[]> {
  const urls = form.links.map(({ url }) => url.trim()).filter((url) => url !== '')
  if (urls.length === 0) return []
  return (await within(HINT_MS, seenElsewhere(service.store, signedIn(context.caller), urls, slug))) ?? []
}
