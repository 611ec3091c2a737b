import { escapeHtml } from '@kitajs/html'
import { formFor, type Form as NegotiatedForm } from '../../../src/audience/negotiation.ts'
import { omit } from '../../../src/bundles/content/content.ts'
import { type LinkSite, linkOf, publicMarksOf, sectionsOf } from '../../../src/bundles/links/link-fields.ts'
import { dateOf, isDated } from '../../../src/core/dates.js'
import type { Service } from '../../../src/core/service.ts'
import { type Filling, fillText, isComplete } from '../../../src/core/template.js'
import { asSentence, count } from '../../../src/core/words.ts'
import { tabsOf } from '../../../src/launcher/answers.ts'
import { type Change, type Changes, changesOf } from '../../../src/launcher/changes.ts'
import { filledBundle, queryAt } from '../../../src/launcher/filling.ts'
import { seenAt, seenBy, type ViewerBundle } from '../../../src/launcher/seen.ts'
import type { PublicBundle } from '../../../src/launcher/served.ts'
import { destination } from '../../parts/destination.ts'
import type { Site } from '../../parts/layout.tsx'
import { inline, stressedHtml, stressedLines } from '../../parts/markdown.ts'
import { answerForm, atomFeed, FORM_TYPES } from '../parts/forms.ts'
import { headingOf } from '../parts/launcher.tsx'

/** A bundle as its viewer sees it, in another form than the page. Counts no view, because programs read it. */
export async function launcherAs(
  { form, slug, value, isNegotiated }: Pick<Negotiated, 'slug' | 'isNegotiated'> & { form: OtherForm; value?: string },
  request: Request,
  service: Service,
): Promise<Response> {
  const seen = await (value === undefined
    ? seenBy(request, slug, service)
    : seenAt({ slug, value, query: queryAt(request) }, request, service))
  const { bundle, isGuarded } = seen
  const headers = {
    'cache-control': bundle.hasRules || isGuarded || bundle.variables.length > 0 ? 'private, no-store' : 'no-cache',
    vary: isNegotiated ? NEGOTIATED : 'Accept-Encoding',
  }
  const body = await bodyOf(form, seen, service)
  return answerForm(request, body, { type: FORM_TYPES[form], headers })
}

/** The text of a bundle as its viewer sees it, in the requested form. */
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

/**
 * An Atom feed of the changes to a launcher's tabs (RFC 4287). It names only tabs that its viewer sees now, so that it never
 * reveals a removed link or rule.
 */
function launcherFeed(
  bundle: PublicBundle,
  { createdAt, changes }: Changes,
  site: Pick<Site, 'name' | 'origin' | 'shortPaths'>,
): string {
  const page = linkOf(bundle.slug, site)
  // Readers identify a feed by its id, which must survive a change of the short-paths setting.
  const id = `${linkOf(bundle.slug, { ...site, shortPaths: false })}/feed`
  const noteOf = new Map(bundle.urls.map((url, index) => [url, bundle.urlMetadata[index]?.note ?? '']))
  return atomFeed({
    id,
    title: headingOf(bundle),
    subtitle: bundle.description ? stressedHtml(bundle.description) : null,
    author: site.name,
    self: `${page}/feed`,
    page,
    updated: changes[0]?.at ?? createdAt,
    entries: changes.map((change) => ({
      id: `${id}#v${change.versionNumber}`,
      title: summary(change),
      updated: change.at,
      page,
      content: () => details(change, noteOf),
    })),
  })
}

function summary({ versionNumber, added, changed, removed, isReordered }: Change): string {
  if (versionNumber === 1) return `Created with ${count(added.length, 'link')}`
  const said = [
    ...(added.length > 0 ? [`${count(added.length, 'link')} added`] : []),
    ...(removed > 0 ? [`${count(removed, 'link')} removed`] : []),
    ...(changed.length > 0 ? [`${count(changed.length, 'link')} changed`] : []),
    ...(isReordered ? ['order changed'] : []),
  ].join(', ')
  return asSentence(said)
}

function details(change: Change, noteOf: ReadonlyMap<string, string>): string {
  const list = (heading: string, urls: readonly string[]) => {
    const shown = urls.filter((url) => noteOf.has(url))
    const items = shown.map((url) => `<li>${link(url, noteOf.get(url) ?? '')}</li>`)
    return items.length === 0 ? '' : `<p>${heading}:</p><ul>${items.join('')}</ul>`
  }
  return `<p>${summary(change)}.</p>${list('Added', change.added)}${list('Changed', change.changed)}`
}

function link(url: string, note: string): string {
  const { href } = destination(url)
  return `<a href="${escapeHtml(href)}">${escapeHtml(href)}</a>${note === '' ? '' : ` ${stressedHtml(note)}`}`
}

const NOT_SHOWN = ['organization', 'hasRules', 'isProtected', 'isCopyable', 'siteIcons'] as const

/** A launcher as Markdown, with the content of its page, for agents and terminals. */
function launcherMarkdown(bundle: PublicBundle, filling: Filling, site: LinkSite): string {
  // Texts with emphasis are filled piece by piece, so that values add no emphasis.
  const { description, urlMetadata: written } = bundle
  const {
    slug,
    urls,
    urlMetadata,
    variables,
    title,
    description: _filled,
    rule,
    isUnclaimed,
    ...rest
  } = filledBundle(bundle, filling)
  const fill = (text: string) => (isComplete(filling) ? fillText(text, filling.values) : text)
  // A new field for viewers does not compile until it is rendered here.
  omit(NOT_SHOWN, rest) satisfies Record<string, never>
  const badge = rule?.badge ?? null
  const sections = sectionsOf({ urls, urlMetadata })
  const parts = [
    `# ${inline(headingOf({ title, urls }))}`,
    ...(description ? [stressedLines(description, fill).join('  \n')] : []),
    ...(badge === null ? [] : [`For: ${inline(badge)}`]),
    ...(isUnclaimed ? ['Made without an account: nobody vouches for these links.'] : []),
    ...(isComplete(filling) ? [] : [howToFill(linkOf(slug, site), variables, filling)]),
    ...sections.flatMap(({ name, from, urls, urlMetadata }, index) => [
      // Without a heading, these links would seem to belong to the section above.
      ...(name !== '' ? [`## ${inline(name)}`] : index > 0 ? ['---'] : []),
      urls
        .map((url, at) => tab(url, urlMetadata[at] ?? {}, stressedLines(written[from + at]?.note ?? '', fill)))
        .join('\n'),
    ]),
    `The page of this list: <${linkOf(slug, site)}>`,
  ]
  return `${parts.join('\n\n')}\n`
}

/** How to request the launcher with values, and which of the given values are wrong. */
function howToFill(link: string, variables: PublicBundle['variables'], { invalid }: Filling): string {
  const wrong = new Map(invalid.map(({ name, message }) => [name, message]))
  const names = variables.map(({ name, label, example, options, default: value }) => {
    const said = [
      ...(label === undefined ? [] : [inline(label)]),
      ...(options === undefined ? [] : [`one of ${options.map(inline).join(', ')}`]),
      ...(example === undefined ? [] : [`such as ${inline(example)}`]),
      ...(value === undefined ? [] : [`by default ${defaultInWords({ default: value, options })}`]),
    ]
    const message = wrong.get(name)
    return `- \`${name}\`${said.length === 0 ? '' : `: ${said.join('; ')}`}${message === undefined ? '' : `. ${inline(message)}`}`
  })
  const query = variables.map(({ name }) => `${name}=…`).join('&')
  return [`These links have blanks to fill in. Ask for \`${link}.md?${query}\`:`, names.join('\n')].join('\n\n')
}

/** A default; if it stands for a date, which one, and in what form. */
function defaultInWords({ default: text, options }: { default: string; options: string[] | undefined }): string {
  if (!isDated({ default: text, ...(options === undefined ? {} : { options }) })) return inline(text)
  return `${text.slice(1).replace('-', ' ')}, as ${dateOf(text, 'UTC')}, in UTC or the time zone of \`tz=…\``
}

function tab(url: string, metadata: PublicBundle['urlMetadata'][number], note: readonly string[]): string {
  const { tags = [] } = metadata
  const [first, ...more] = note
  const { host } = destination(url)
  const details = [
    ...more,
    ...(tags.length === 0 ? [] : [`Tags: ${tags.map(inline).join(', ')}`]),
    ...publicMarksOf(metadata).map((mark) => `${inline(asSentence(mark))}.`),
  ]
  // The note is not the link text, because readers disagree about escaped brackets there.
  const link = `- [${inline(host)}](${target(url)})${first === undefined ? '' : `: ${first}`}`
  return [link, ...details.map((line) => `  ${line}`)].join('  \n')
}

/** A URL as the target of a link; parsing encodes its spaces and angle brackets. */
function target(url: string): string {
  const { href } = destination(url)
  const escaped = href.replace(/[\\`]|&(?=#|\w+;)/g, '\\$&')
  return /[()]/.test(escaped) ? `<${escaped}>` : escaped
}

type Form = NegotiatedForm | 'feed' | 'calendar'

/** Forms of a launcher other than its page, for those who may see it. */
export type OtherForm = Exclude<Form, 'html' | 'calendar'>

/** The slug and form that a path below `/l/` requests. */
interface Negotiated<F = Form> {
  slug: string
  form: F
  /** Whether the answer depends on the Accept header. */
  isNegotiated: boolean
}

const ENDINGS: Readonly<Record<string, NegotiatedForm>> = { md: 'markdown', json: 'json' }

/** The Vary header of answers at a launcher’s own link. */
export const NEGOTIATED = 'Accept, Accept-Encoding'
/** Headers of uncached pages at a launcher’s own link. */
export const AT_LINK = { 'x-robots-tag': 'noindex', vary: NEGOTIATED }

/** The slug and form that the last part of a launcher's path requests, whether or not the slug exists. */
export function negotiatedFor(part: string, headers: Pick<Headers, 'get'>): Negotiated<NegotiatedForm> {
  const [, slug = part, ending = ''] = /^(.*)\.(md|json)$/s.exec(part) ?? []
  const form = ENDINGS[ending]
  return form === undefined ? { slug, form: formFor(headers), isNegotiated: true } : { slug, form, isNegotiated: false }
}

/**
 * The same for a whole URL, a launcher's or a start page's; null for any other, and for a start page itself, which is always HTML.
 * Works on the text, because the URL may be unparsable with a malformed Host header.
 */
export function negotiatedAt(url: string, headers: Pick<Headers, 'get'>): Negotiated | null {
  const [, area, part, below] =
    /^(?:\w+:\/\/[^/]*)?\/([lo])\/([^/?#]+)(\/feed|\/calendar\.ics)?(?:[?#]|$)/.exec(url) ?? []
  if (part === undefined) return null
  if (below !== undefined) return { slug: part, form: below === '/feed' ? 'feed' : 'calendar', isNegotiated: false }
  const named = negotiatedFor(part, headers)
  return area === 'o' && named.isNegotiated ? null : named
}
