import { launcherFeed } from '../../views/launcher/feed.ts'
import { launcherMarkdown } from '../../views/launcher/markdown.ts'
import { fingerprint } from '../core/hash.ts'
import type { Service } from '../core/service.ts'
import { headersWith, isUnchanged, text } from '../http/respond.ts'
import { changesOf } from '../launcher/changes.ts'
import { queryAt } from '../launcher/filling.ts'
import { seenAt, seenBy, type ViewerBundle } from '../launcher/seen.ts'
import { tabsOf } from '../launcher/tabs.ts'
import { type Asked, FORM_TYPES, NEGOTIATED, type OtherForm } from './asked-form.ts'

/** What a viewer sees of a bundle, in a form. Counts no view: what a program reads, nobody has seen. */
export async function launcherAs(
  { form, slug, value, isNegotiated }: Pick<Asked, 'slug' | 'isNegotiated'> & { form: OtherForm; value?: string },
  request: Request,
  service: Service,
): Promise<Response> {
  const seen = await (value === undefined
    ? seenBy(request, slug, service)
    : seenAt({ slug, value, query: queryAt(request) }, request, service))
  const { bundle, isGuarded } = seen
  const headers = {
    'cache-control': bundle.hasRules || isGuarded || bundle.variables.length > 0 ? 'private, no-store' : 'no-cache',
    'x-robots-tag': 'noindex',
    vary: isNegotiated ? NEGOTIATED : 'Accept-Encoding',
  }
  const body = await bodyOf(form, seen, service)
  // Of the text alone: a version would tell readers of edits that they cannot see.
  const tag = `"${fingerprint(body)}"`
  const tagged = { ...headers, etag: `W/${tag}` }
  if (isUnchanged(request, tag)) return new Response(null, { status: 304, headers: headersWith(tagged) })
  return text(request, body, { type: FORM_TYPES[form], headers: tagged })
}

/** The text of a bundle as a viewer sees it, in a form. */
export async function bodyOf(
  form: OtherForm,
  { bundle, filling, id, launcher }: ViewerBundle,
  service: Service,
): Promise<string> {
  const { config, launchers, store } = service
  if (form === 'json') return JSON.stringify(tabsOf({ bundle, filling }, config))
  if (form === 'markdown') return launcherMarkdown(bundle, filling, config)
  const variant = launchers.variant(launcher, bundle.rule)
  return launchers.feed(launcher, variant, async () => launcherFeed(bundle, await changesOf(store, id, bundle), config))
}
