/** @jsxImportSource @kitajs/html */
import { randomUUID } from 'node:crypto'
import { Elysia } from 'elysia'
import { type CreatedBundle, resultPath } from '../../../src/bundles/claims/result.ts'
import { ABOUT_NAMES, BOUNDS, each } from '../../../src/bundles/content/content.ts'
import type { NewBundle } from '../../../src/bundles/content/shapes.ts'
import { createBundle } from '../../../src/bundles/edit/operations.ts'
import { besideField } from '../../../src/core/field-words.ts'
import { reasonIn } from '../../../src/core/issue-words.ts'
import { Problem, toProblem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { fingerprint } from '../../../src/core/secrets.ts'
import type { Service } from '../../../src/core/service.ts'
import { tooMany } from '../../../src/core/words.ts'
import { LONG_FORM, RAW, readForm } from '../../../src/http/body.ts'
import { callContext, clientNetwork } from '../../../src/http/request.ts'
import { type Page, page, seeOther, streamParts } from '../../../src/http/respond.ts'
import { iconsOf } from '../../../src/icons/kept.ts'
import { iconOf, iconPath, type SiteIcon } from '../../../src/icons/site.ts'
import { onOneLine } from '../../../src/imports/clean.ts'
import { splitList, toNewBundle } from '../../../src/imports/import.ts'
import type { FoundList } from '../../../src/imports/plan.ts'
import { readText } from '../../../src/imports/reading.ts'
import { type InspectedLink, inspectUrls } from '../../../src/inspection/inspect.ts'
import { countForAddress } from '../../../src/limits/rate-limits.ts'
import { execute } from '../../../src/operations/execute.ts'
import { FoundLinks } from '../../parts/found.tsx'
import { plainSite, signInMethods, siteFor } from '../../parts/visitor.ts'
import { type HomeForm, type Pressed, pressed, typedText, unreadListing, variablesIn, WRITTEN } from './form.ts'
import { ListParts } from './list.tsx'
import { AwayPage, GatedHomePage, HomePage, PrivacyPage } from './view.tsx'

/** For pages without a form. */
const NO_REFERRER = { 'referrer-policy': 'no-referrer' }

/** The home page, its live list of links, and the privacy page. */
export function homePages(service: Service) {
  const { name, origin, shortPaths, anonymousBundles, inspect } = service.config
  const isGated = !anonymousBundles
  const shared = { isGated, inspect }
  return new Elysia()
    .get('/', async ({ request }) => {
      const site = await siteFor(request, service)
      const text = sharedText(new URL(request.url).searchParams)
      if (isGated && site.user === null) {
        const { hasSignUpPage } = signInMethods(service.config)
        const next = text === '' ? '/' : `/?${new URLSearchParams({ text })}`
        return page(<GatedHomePage site={site} hasSignUpPage={hasSignUpPage} next={next} />)
      }
      const form = { ...EMPTY_FORM, text }
      return page(<HomePage site={site} form={form} idempotencyKey={randomUUID()} {...shared} />)
    })
    .get(routes.away.path, () => page(<AwayPage site={{ name, origin, shortPaths }} />, 200, NO_REFERRER))
    .get(routes.privacy.path, async ({ request }) => page(<PrivacyPage site={await siteFor(request, service)} />))
    .post('/', ({ request }) => makeBundles(request, service), RAW)
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

const EMPTY_FORM: HomeForm = {
  ...each(ABOUT_NAMES, () => ''),
  text: '',
  errors: {},
  listing: null,
  focus: null,
  names: { declared: [], plain: [], left: [] },
  offers: [],
  isWanted: false,
  isAsked: false,
  made: null,
}

/** The form after a button that publishes nothing. */
function formAfter({ fields, listing, names, offers, isWanted, focus }: Pressed): HomeForm {
  return {
    ...formAsSent(fields),
    ...each(ABOUT_NAMES, (name) => listing.list[name] ?? ''),
    listing,
    focus,
    names,
    offers,
    isWanted,
  }
}

/** The form as sent, without parsing its text. */
function formAsSent(fields: URLSearchParams): HomeForm {
  return {
    ...EMPTY_FORM,
    ...each(ABOUT_NAMES, (name) => typedText(fields, name)),
    text: fields.getAll('urls').join('\n'),
  }
}

/** The bundles to create from a form, and those created so far. */
interface Making {
  inputs: readonly NewBundle[]
  made: CreatedBundle[]
  left: FoundList['counts']
}

/** POST /: lists the pasted links; publishes once that is requested and the list has nothing new. */
async function makeBundles(request: Request, service: Service): Promise<Page | Response> {
  const sent = await readForm(request, undefined, WRITTEN)
  const key = sent.get('idempotencyKey') || null
  const shared = { isGated: !service.config.anonymousBundles, inspect: service.config.inspect }
  const making: Making = { inputs: [], made: [], left: NOTHING_LEFT }
  let form: HomeForm = { ...formAsSent(sent), listing: unreadListing(sent) }
  try {
    // Counted before parsing, so that a refused request costs none; separate from the limit for the live list.
    await countForAddress(service, 'reading', clientNetwork(request), 'to publish')
    const press = await pressed(sent)
    form = formAfter(press)
    if (press.isReady) {
      await createBundles(request, service, press, making)
      return seeOther(resultPath({ bundles: making.made, left: making.left }, service.config))
    }
    const site = await siteFor(request, service)
    const asked = { ...form, isAsked: !sent.has('do') }
    return page(<HomePage site={site} form={asked} idempotencyKey={key ?? randomUUID()} {...shared} />)
  } catch (thrown) {
    const problem = toProblem(thrown)
    if (problem.code === 'INTERNAL_ERROR') service.log.error({ err: thrown }, 'the form of the home page failed')
    const { made } = making
    const shown = {
      ...withErrors(form, problem, making),
      // Their claim links appear nowhere else, and the rest may never be created, for example if the plan is full.
      made: made.length === 0 ? null : resultPath({ bundles: made, left: NOTHING_LEFT }, service.config),
    }
    // With the same key, resubmitting does not create the same parts twice.
    const next = made.length > 0 && key !== null ? key : randomUUID()
    const site = await siteFor(request, service).catch(() => plainSite(service.config))
    const view = <HomePage site={site} form={shown} idempotencyKey={next} {...shared} />
    return page(view, problem.status, problem.headers)
  }
}

/** Runs `create_bundle` for each bundle of a form. */
async function createBundles(request: Request, service: Service, { fields, listing, names }: Pressed, making: Making) {
  const key = fields.get('idempotencyKey') || null
  const isSplit = fields.get('do') === 'split' && listing.parts > 1
  const { skipped, changed, duplicates } = listing.list.counts
  making.left = { skipped, changed, duplicates }
  making.inputs = (isSplit ? splitList(listing.list) : [listing.list]).map((part) => {
    const bundle = { ...toNewBundle(part), source: 'web' as const }
    return { ...bundle, variables: variablesIn(bundle, names.declared) }
  })
  const context = { ...(await callContext(request, service)), source: 'web' as const }
  for (const [part, input] of making.inputs.entries()) {
    // Parts after the first get keys derived from the form's.
    const idempotencyKey = part === 0 ? key : key && fingerprint(`${key} ${part}`)
    const conditions = () => ({ idempotencyKey, expectedVersion: null })
    const { output } = await execute(createBundle, () => input, { ...context, conditions }, service)
    making.made.push({ slug: output.slug, claimToken: output.claimToken ?? null })
  }
}

const NOTHING_LEFT = { skipped: 0, changed: 0, duplicates: 0 }

/** For visitors whose session ended while they typed, if bundles require an account. */
const SIGN_IN_FIRST = 'Sign in in another tab, then send this again. Everything you typed is still here.'

const NO_LINKS = 'We found no links in this. Paste at least one web address.'

/** The form with its errors, beside fields and in the list. */
function withErrors(form: HomeForm, problem: Problem, { inputs, made }: Making): HomeForm {
  const errors: HomeForm['errors'] = {}
  const urls = inputs[made.length]?.urls ?? []
  const titles = new Map<string | undefined, string>()
  for (const { path, reason } of problem.issues) {
    const [field, index] = path
    const about = ABOUT_NAMES.find((name) => name === field)
    if (about !== undefined) errors[about] = besideField(reason)
    else if (field === 'urls' && typeof index === 'number') errors.urls ??= `${urls[index]} ${reasonIn(reason)}.`
    else if (field === 'urls') errors.urls = urls.length === 0 ? NO_LINKS : tooMany(urls.length, BOUNDS.urls)
    // The list has one title per link, so too many titles means too many links.
    else if (field !== 'urlMetadata') errors.form = problem.message
    else if (typeof index === 'number') titles.set(urls[index], besideField(reason))
  }
  if (problem.issues.length === 0) errors.form = problem.code === 'UNAUTHORIZED' ? SIGN_IN_FIRST : problem.message
  if (made.length > 0) {
    const reason = errors.form ?? errors.urls ?? ''
    errors.form = `${made.length} of ${inputs.length} bundles have been created. ${reason} Then press “Create ${inputs.length} bundles instead” again.`
  }
  const { listing } = form
  if (listing === null || titles.size === 0) return { ...form, errors }
  const links = listing.links.map((link) => ({ ...link, error: titles.get(link.url) }))
  return { ...form, errors, listing: { ...listing, links } }
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
