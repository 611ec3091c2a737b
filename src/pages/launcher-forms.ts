import type { Variable } from '../../db/schema.ts'
import { launcherFeed } from '../../views/launcher/feed.ts'
import { launcherMarkdown } from '../../views/launcher/markdown.ts'
import { linkOf } from '../bundles/link.ts'
import { type Link, wholeLink } from '../bundles/link-fields.ts'
import { fingerprint } from '../core/hash.ts'
import type { Service } from '../core/service.ts'
import type { Filling, Invalid, Values } from '../core/template.js'
import { headersWith, isUnchanged, text } from '../http/respond.ts'
import { changesOf } from '../launcher/changes.ts'
import { filledBundle } from '../launcher/filling.ts'
import { seenBy, type ViewerBundle } from '../launcher/seen.ts'
import type { PublicBundle } from '../launcher/served.ts'
import type { Site } from '../operations/operation.ts'
import { type Asked, FORM_TYPES, NEGOTIATED, type OtherForm } from './asked-form.ts'

/** What a viewer sees of a bundle, in a form. Counts no view: what a program reads, nobody has seen. */
export async function launcherAs(
  { form, slug, isNegotiated }: Pick<Asked, 'slug' | 'isNegotiated'> & { form: OtherForm },
  request: Request,
  service: Service,
): Promise<Response> {
  const seen = await seenBy(request, slug, service)
  const { bundle, isGuarded } = seen
  const tag = form === 'feed' ? feedTag(seen) : null
  const headers = {
    'cache-control': bundle.hasRules || isGuarded || bundle.variables.length > 0 ? 'private, no-store' : 'no-cache',
    'x-robots-tag': 'noindex',
    vary: isNegotiated ? NEGOTIATED : 'Accept-Encoding',
  }
  // A feed is asked for again and again, and reads many versions.
  if (tag !== null && isUnchanged(request, tag)) return unchanged(tag, headers)
  const body = await bodyOf(form, seen, service)
  const known = tag ?? tagOf(body)
  if (isUnchanged(request, known)) return unchanged(known, headers)
  return text(request, body, { type: FORM_TYPES[form], headers: { ...headers, etag: `W/${known}` } })
}

/** The text of a bundle as a viewer sees it, in a form. */
export async function bodyOf(
  form: OtherForm,
  { bundle, filling, id }: ViewerBundle,
  service: Service,
): Promise<string> {
  const { config, store } = service
  if (form === 'json') return JSON.stringify(launcherJson(bundle, filling, config))
  if (form === 'markdown') return launcherMarkdown(filledBundle(bundle, filling), filling, config)
  return launcherFeed(bundle, await changesOf(store, id, bundle), config)
}

function unchanged(tag: string, headers: Record<string, string>): Response {
  return new Response(null, { status: 304, headers: headersWith({ ...headers, etag: `W/${tag}` }) })
}

function tagOf(body: string): string {
  return `"${fingerprint(body)}"`
}

/** A feed depends on its versions, on which of their tabs are meant, and on what the viewer sees now. */
function feedTag({ bundle, versionNumber }: ViewerBundle): string {
  return tagOf(JSON.stringify([versionNumber, bundle]))
}

export interface LauncherJson {
  slug: string
  url: string
  title: string | null
  description: string | null
  /** The rule that the viewer matched, with its name if viewers may see it; null for none. */
  matchedRule: { id: string; name: string | null } | null
  /** What can be filled in. */
  variables: Pick<Variable, 'name' | 'label' | 'example' | 'options'>[]
  /** What was filled in. */
  values: Values
  /** While a variable has no value, or one that is refused, texts and links have their placeholders. */
  missing: readonly string[]
  invalid: readonly Invalid[]
  tabs: LauncherTab[]
}

/** A link with all its fields; null for a text that it has not. */
type LauncherTab = {
  [Name in keyof Link]: string extends Link[Name] ? (Name extends 'url' ? string : string | null) : Link[Name]
}

/** What a viewer sees of a bundle, for programs. */
export function launcherJson(template: PublicBundle, filling: Filling, site: Site): LauncherJson {
  const { slug, urls, urlMetadata, variables, title, description, rule, ...rest } = filledBundle(template, filling)
  const { values, missing, invalid } = filling
  const { isUnclaimed: _, hasRules: __, isProtected: ___, isCopyable: ____, ...forgotten } = rest
  // A new field that viewers may see does not compile until this has it.
  forgotten satisfies Record<string, never>
  return {
    slug,
    url: linkOf(slug, site),
    title,
    description,
    matchedRule: rule === null ? null : { id: rule.id, name: rule.badge },
    variables: variables.map(({ name, label = name, example, options }) => ({
      name,
      label,
      ...(example === undefined ? {} : { example }),
      ...(options === undefined ? {} : { options }),
    })),
    values,
    missing,
    invalid,
    tabs: urls.map((url, index) => {
      const link = wholeLink(url, urlMetadata[index])
      return Object.fromEntries(
        Object.entries(link).map(([name, value]) => [name, value === '' ? null : value]),
      ) as LauncherTab
    }),
  }
}
