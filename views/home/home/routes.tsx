/** @jsxImportSource @kitajs/html */
import { randomUUID } from 'node:crypto'
import { Elysia } from 'elysia'
import { type CreatedBundle, resultPath } from '../../../src/bundles/claims/result.ts'
import { BOUNDS } from '../../../src/bundles/content/content.ts'
import { createBundle } from '../../../src/bundles/edit/operations.ts'
import type { Config } from '../../../src/config/config.ts'
import { lazy } from '../../../src/core/lazy.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { LONG_FORM, RAW, readForm } from '../../../src/http/body.ts'
import { callContext, clientNetwork } from '../../../src/http/request.ts'
import { type Page, page, seeOther, streamParts } from '../../../src/http/respond.ts'
import { iconsOf } from '../../../src/icons/kept.ts'
import { iconOf, iconPath, type SiteIcon } from '../../../src/icons/site.ts'
import { onOneLine } from '../../../src/imports/clean.ts'
import { readText } from '../../../src/imports/reading.ts'
import { type InspectedLink, inspectUrls } from '../../../src/inspection/inspect.ts'
import { countForAddress } from '../../../src/limits/rate-limits.ts'
import { execute } from '../../../src/operations/execute.ts'
import { pressed, typedText, WRITTEN } from '../../parts/builder/form.ts'
import { ListParts } from '../../parts/builder/list.tsx'
import { EMPTY_FORM, formAfter, makePasted, NOTHING_LEFT } from '../../parts/builder/making.ts'
import { FoundLinks } from '../../parts/found.tsx'
import { plainSite, signInMethods, siteFor } from '../../parts/visitor.ts'
import { AwayPage, GatedHomePage, HomePage, PrivacyPage } from './view.tsx'

/** For pages without a form. */
const NO_REFERRER = { 'referrer-policy': 'no-referrer' }

/**
 * The home page, its live list of links, and the privacy page.
 * @param startPage the start page in place of the home page; null if it has nothing to show to the visitor.
 */
export function homePages(service: Service, startPage: (request: Request) => Promise<Page | Response | null>) {
  const { name, origin, shortPaths, anonymousBundles, inspect } = service.config
  const isGated = !anonymousBundles
  const shared = { isGated, inspect, address: pasteAddress(service.config) }
  const pastePage = async (request: Request) => {
    const site = await siteFor(request, service)
    const { pathname, searchParams } = new URL(request.url)
    const text = sharedText(searchParams)
    if (isGated && site.user === null) {
      const { hasSignUpPage } = signInMethods(service.config)
      const next = text === '' ? pathname : `${pathname}?${new URLSearchParams({ text })}`
      return page(<GatedHomePage site={site} hasSignUpPage={hasSignUpPage} next={next} />)
    }
    const form = { ...EMPTY_FORM, text }
    return page(<HomePage site={site} form={form} idempotencyKey={randomUUID()} {...shared} />)
  }
  return new Elysia()
    .get(routes.home.path, async ({ request }) => {
      const isShared = sharedText(new URL(request.url).searchParams) !== ''
      return (isShared ? null : await startPage(request)) ?? pastePage(request)
    })
    .get(routes.paste.path, ({ request }) => pastePage(request))
    .get(routes.away.path, () => page(<AwayPage site={{ name, origin, shortPaths }} />, 200, NO_REFERRER))
    .get(routes.privacy.path, async ({ request }) => page(<PrivacyPage site={await siteFor(request, service)} />))
    .post(routes.home.path, ({ request }) => makeBundles(request, service), RAW)
    .post(routes.paste.path, ({ request }) => makeBundles(request, service), RAW)
    .post(
      routes.found.path,
      async ({ request }) => {
        await countForAddress(service, 'reading', clientNetwork(request))
        const fields = await readForm(request, LONG_FORM, WRITTEN)
        if (!fields.has('listed')) {
          const list = await readText(fields.getAll('urls').join('\n'), 'list')
          return page(<FoundLinks list={list} />, 200, NO_REFERRER)
        }
        return page(<ListParts form={formAfter(await pressed(fields))} />, 200, NO_REFERRER)
      },
      RAW,
    )
}

/** POST /: the form. Its parsing is counted separately from that of the live list. */
async function makeBundles(request: Request, service: Service): Promise<Page | Response> {
  const { config } = service
  const sent = await readForm(request, undefined, WRITTEN)
  const context = lazy(async () => ({ ...(await callContext(request, service)), source: 'web' as const }))
  const taken = await makePasted<CreatedBundle>(sent, {
    count: () => countForAddress(service, 'reading', clientNetwork(request), 'to publish'),
    async create(input, { idempotencyKey }) {
      const conditions = () => ({ idempotencyKey, expectedVersion: null })
      const { output } = await execute(createBundle, () => input, { ...(await context()), conditions }, service)
      return { slug: output.slug, claimToken: output.claimToken ?? null }
    },
  })
  if ('left' in taken) return seeOther(resultPath({ bundles: taken.made, left: taken.left }, config))
  const { made, refused, idempotencyKey } = taken
  const problem = refused?.problem
  if (problem?.code === 'INTERNAL_ERROR')
    service.log.error({ err: refused?.thrown }, 'the form of the home page failed')
  const site = await siteFor(request, service).catch((error) => {
    if (refused === null) throw error
    return plainSite(config)
  })
  // Their claim links appear nowhere else, and the rest may never be created, for example if the plan is full.
  const madeAt = made.length === 0 ? null : resultPath({ bundles: made, left: NOTHING_LEFT }, config)
  const form = { ...taken.form, made: madeAt }
  const shared = { isGated: !config.anonymousBundles, inspect: config.inspect, address: pasteAddress(config) }
  const view = <HomePage site={site} form={form} idempotencyKey={idempotencyKey ?? randomUUID()} {...shared} />
  return page(view, problem?.status ?? 200, problem?.headers)
}

/** The address of the paste page, and of its form. */
function pasteAddress({ homeOrganization }: Pick<Config, 'homeOrganization'>): string {
  return (homeOrganization === undefined ? routes.home : routes.paste).href()
}

/** The longest text that fits into a URL with any server or proxy. */
const MAX_SHARED = 16_000

/**
 * The text that an app or a bookmark shares by the page's query (`title`, `text` and `url`, as in the manifest), as if pasted. A
 * title is on the line of its URL, which some apps put into `text`.
 */
function sharedText(query: URLSearchParams): string {
  const [title = '', text = '', url = ''] = ['title', 'text', 'url'].map((name) => typedText(query, name))
  const line = (link: string) => `${onOneLine(title)} ${link}`.trim()
  const isLink = /^https?:\/\/\S+$/i.test(text)
  const other = url === '' || text.includes(url) ? '' : line(url)
  const whole = text === '' || isLink ? other || line(text) : [text, other].join('\n')
  return (isLink && url !== '' && !text.includes(url) ? `${text}\n${whole}` : whole).trim().slice(0, MAX_SHARED)
}

/** Suggests page titles for links without one, and site icons: one line of JSON for each link as soon as it is known. */
export function titlePages(service: Service) {
  return new Elysia().post(
    routes.foundTitles.path,
    async ({ request }) => {
      const form = await readForm(request)
      const context = await callContext(request, service)
      const conditions = () => ({ idempotencyKey: null, expectedVersion: null })
      const look = async (url: string): Promise<Found | null> => {
        try {
          const { output } = await execute(inspectUrls, () => ({ urls: [url] }), { ...context, conditions }, service)
          const [link] = output.links
          return link === undefined ? null : await foundOf(link, service.store)
        } catch (error) {
          // No suggestion for it, and no error, because nobody asked for one explicitly.
          if (error instanceof Problem) return null
          throw error
        }
      }
      const urls = [...new Set(form.getAll('url'))].slice(0, BOUNDS.urls)
      const onError = (error: unknown) => service.log.error({ err: error }, 'titles of links failed midway')
      const headers = { 'content-type': 'application/x-ndjson' }
      return streamParts({ filename: null, parts: linesOf(urls.map(look)) }, headers, onError)
    },
    { parse: 'none' },
  )
}

/** A line of the response. */
interface Found extends Pick<InspectedLink, 'url' | 'title'> {
  icon: { path: string; tone: SiteIcon['tone'] } | null
}

/** Adds the stored icon with its tone, which tells the backgrounds on which it is visible. */
async function foundOf({ url, title, icon }: InspectedLink, { db }: Service['store']): Promise<Found> {
  const kept = icon === null ? undefined : iconOf(url, await iconsOf(db, { urls: [url], resolutionPolicy: null }))
  return { url, title, icon: kept === undefined ? null : { path: iconPath(kept), tone: kept.tone } }
}

async function* linesOf(looks: readonly Promise<Found | null>[]): AsyncGenerator<string, void> {
  const left = new Map(looks.map((look, at) => [at, look.then((found) => ({ at, found }))]))
  while (left.size > 0) {
    const { at, found } = await Promise.race(left.values())
    left.delete(at)
    if (found !== null) yield `${JSON.stringify(found)}\n`
  }
}
