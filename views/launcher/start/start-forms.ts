import { linkOf } from '../../../src/bundles/links/link-fields.ts'
import type { Config } from '../../../src/config/config.ts'
import { firstLine } from '../../../src/core/emphasis.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { count } from '../../../src/core/words.ts'
import { callContext, clientNetwork } from '../../../src/http/request.ts'
import { countForAddress } from '../../../src/limits/rate-limits.ts'
import { execute } from '../../../src/operations/execute.ts'
import type { CallContext } from '../../../src/operations/operation.ts'
import { validate } from '../../../src/operations/validate.ts'
import { FeedQuery, presented } from '../../../src/start-page/answers.ts'
import type { Filter } from '../../../src/start-page/listed.ts'
import { listListed } from '../../../src/start-page/operations.ts'
import { type RecentBundle, recentOf } from '../../../src/start-page/recent.ts'
import { inline, stressedHtml } from '../../parts/markdown.ts'
import { answerForm, atomFeed, FORM_TYPES } from '../parts/forms.ts'

/** The parameters of a start page’s address; others are ignored. */
const FILTERS = ['q', 'tag', 'cursor']
const FEED_FILTERS = ['q', 'tag']
/** For answers that depend on the viewer. */
export const NOT_KEPT = { 'cache-control': 'private, no-store' }

/** The bundles that an address of a start page asks for, and by what. */
export async function listedAt(
  { handle, context }: { handle: string; context: CallContext },
  request: Request,
  service: Service,
) {
  const filters = filtersIn(request, FILTERS)
  const input = { organizationId: handle, ...Object.fromEntries(filters) }
  const { output } = await execute(listListed, () => input, context, service)
  return { output, filters: new Map(filters) }
}

function filtersIn(request: Request, names: readonly string[]): [name: string, value: string][] {
  return [...new URL(request.url).searchParams].filter(([name, value]) => names.includes(name) && value.trim() !== '')
}

/** A start page in another form than HTML. */
export async function startAs(
  { form, handle }: { form: 'json' | 'md' | 'feed'; handle: string },
  request: Request,
  service: Service,
): Promise<Response> {
  const context = await callContext(request, service)
  const type = FORM_TYPES[form === 'md' ? 'markdown' : form]
  if (form === 'feed') {
    return answerForm(request, await feedOf(handle, context, request, service), { type, headers: NOT_KEPT })
  }
  const { config } = service
  const listed = await listedAt({ handle, context }, request, service)
  const body = form === 'md' ? markdownOf(listed, config) : JSON.stringify(presented(listed.output, config))
  // Each answer has a cursor of its own, and an older one leads on as well.
  const { nextCursor } = listed.output.page
  const marked = nextCursor === undefined ? body : body.replace(nextCursor, '')
  return answerForm(request, body, { type, headers: NOT_KEPT, marked })
}

function markdownOf({ output, filters }: Awaited<ReturnType<typeof listedAt>>, config: Config): string {
  const { organization, bundles, nextCursor } = presented(output, config)
  const rows = bundles.map(({ title, slug, url, description }) => {
    const line = description === null ? '' : firstLine(description).trim()
    return `- [${inline(title ?? slug)}](${url})${line === '' ? '' : `: ${inline(line)}`}`
  })
  const address =
    config.origin + routes.startPage.md.href({ handle: organization.handle ?? organization.organizationId })
  const rest = (cursor: string) => new URLSearchParams([...new Map(filters).set('cursor', cursor)])
  const more = nextCursor === undefined ? [] : ['', `[Show more](${address}?${rest(nextCursor)})`]
  return [`# ${inline(organization.name)}`, '', ...rows, ...more, ''].join('\n')
}

async function feedOf(handle: string, { caller }: CallContext, request: Request, service: Service): Promise<string> {
  await countForAddress(service, 'reading', clientNetwork(request), 'feed ')
  const asked = Object.fromEntries(filtersIn(request, FEED_FILTERS))
  const filter = validate<Filter>(FeedQuery, asked)
  const { organization, bundles } = await recentOf(service, caller, handle, filter)
  const { config } = service
  const query = Object.keys(asked).length === 0 ? '' : `?${new URLSearchParams(asked)}`
  const address = { handle: organization.handle ?? organization.id }
  return atomFeed({
    // The organisation’s id: its handle may change.
    id: `${config.origin}${routes.startPage.feed.href({ handle: organization.id })}${query}`,
    title: filter.tag === undefined ? organization.name : `${organization.name}: ${filter.tag}`,
    subtitle: null,
    author: organization.name,
    self: `${config.origin}${routes.startPage.feed.href(address)}${query}`,
    page: `${config.origin}${routes.startPage.page.href(address)}${query}`,
    updated: bundles[0]?.changedAt ?? 0,
    entries: bundles.map((bundle) => entryOf(bundle, config)),
  })
}

/** A bundle as an entry: another one after each change, because most readers show an entry once. */
function entryOf(bundle: RecentBundle, config: Pick<Config, 'origin' | 'shortPaths'>) {
  const { slug, title, description, tabs, tags, changedAt } = bundle
  const page = linkOf(slug, config)
  return {
    id: `${linkOf(slug, { ...config, shortPaths: false })}#${new Date(changedAt).toISOString()}`,
    title: title ?? page,
    updated: changedAt,
    page,
    tags,
    content: () => `${description === null ? '' : `<p>${stressedHtml(description)}</p>`}<p>${count(tabs, 'tab')}</p>`,
  }
}
