/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { Elysia } from 'elysia'
import { PrivacyPage } from '../../views/docs/privacy.tsx'
import type { HomeForm } from '../../views/home/form.ts'
import { FoundLinks } from '../../views/home/found.tsx'
import { GatedHomePage, HomePage } from '../../views/home/home.tsx'
import { ListParts } from '../../views/home/list.tsx'
import { AwayPage } from '../../views/launcher/away.tsx'
import { BOUNDS } from '../bundles/bounds.ts'
import { ABOUT_NAMES, each } from '../bundles/content.ts'
import { createBundle } from '../bundles/operations.ts'
import type { NewBundle } from '../bundles/shapes.ts'
import { besideField } from '../core/field-words.ts'
import { fingerprint } from '../core/hash.ts'
import { reasonIn } from '../core/issue-words.ts'
import { type Problem, toProblem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { tooMany } from '../core/words.ts'
import { LONG_FORM, RAW, readForm } from '../http/body.ts'
import { callContext, clientNetwork } from '../http/client.ts'
import { type Page, page } from '../http/page.ts'
import { seeOther } from '../http/respond.ts'
import { onOneLine } from '../imports/clean.ts'
import { splitList, toNewBundle } from '../imports/import.ts'
import type { FoundList } from '../imports/plan.ts'
import { readText } from '../imports/reading.ts'
import { countForAddress } from '../limits/count-requests.ts'
import { execute } from '../operations/execute.ts'
import { typedText, unreadListing, WRITTEN } from './home-list.ts'
import { declaredIn, type Pressed, pressed, variablesIn } from './home-variables.ts'
import { type CreatedBundle, resultPath } from './result.ts'
import { plainSite, signInMethods, siteFor } from './site.ts'

/** For what sends no form. */
const NO_REFERRER = { 'referrer-policy': 'no-referrer' }

/** The home page, its preview of the links found in what is typed, and the privacy page. */
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
    .get('/away', () => page(<AwayPage site={{ name, origin, shortPaths }} />, 200, NO_REFERRER))
    .get('/privacy', async ({ request }) => page(<PrivacyPage site={await siteFor(request, service)} />))
    .post('/', ({ request }) => makeBundles(request, service), RAW)
    .post(
      '/found',
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
  declared: [],
  offers: [],
  isWanted: false,
  isAsked: false,
  made: null,
}

/** The form as it is shown after a button that makes nothing. */
function formAfter({ fields, listing, offers, isWanted, focus }: Pressed): HomeForm {
  return {
    ...formAsSent(fields),
    ...each(ABOUT_NAMES, (name) => listing.list[name] ?? ''),
    listing,
    focus,
    offers,
    isWanted,
  }
}

/** The form with what was typed into it, not read. */
function formAsSent(fields: URLSearchParams): HomeForm {
  return {
    ...EMPTY_FORM,
    ...each(ABOUT_NAMES, (name) => typedText(fields, name)),
    text: fields.getAll('urls').join('\n'),
    declared: declaredIn(fields),
  }
}

/** What a form has made so far. */
interface Making {
  inputs: readonly NewBundle[]
  made: CreatedBundle[]
  left: FoundList['counts']
}

/** POST /: shows the list of what was pasted, until the link is asked for and nothing in the list is new. */
async function makeBundles(request: Request, service: Service): Promise<Page | Response> {
  const sent = await readForm(request, undefined, WRITTEN)
  const key = sent.get('idempotencyKey') || null
  const shared = { isGated: !service.config.anonymousBundles, inspect: service.config.inspect }
  const making: Making = { inputs: [], made: [], left: NOTHING_LEFT }
  let form: HomeForm = { ...formAsSent(sent), listing: unreadListing(sent) }
  try {
    // Before it is read, so that a refused request costs no reading; and not with what was read while typing.
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
      // Their claim links are shown nowhere else, and the rest may never be made: the plan may be full.
      made: made.length === 0 ? null : resultPath({ bundles: made, left: NOTHING_LEFT }, service.config),
    }
    // With the same key, resending the form does not create the same parts twice.
    const next = made.length > 0 && key !== null ? key : randomUUID()
    const site = await siteFor(request, service).catch(() => plainSite(service.config))
    const view = <HomePage site={site} form={shown} idempotencyKey={next} {...shared} />
    return page(view, problem.status, problem.headers)
  }
}

/** Runs `create_bundle` for each bundle of a form. */
async function createBundles(request: Request, service: Service, { fields, listing }: Pressed, making: Making) {
  const key = fields.get('idempotencyKey') || null
  const isSplit = fields.get('do') === 'split' && listing.parts > 1
  const { skipped, changed, duplicates } = listing.list.counts
  making.left = { skipped, changed, duplicates }
  making.inputs = (isSplit ? splitList(listing.list) : [listing.list]).map((part) => {
    const bundle = { ...toNewBundle(part), source: 'web' as const }
    return { ...bundle, variables: variablesIn(bundle, declaredIn(fields)) }
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

/** For someone whose session ended while they typed, if bundles require an account. */
const SIGN_IN_FIRST = 'Sign in in another tab, then send this again. Everything you typed is still here.'

const NO_LINKS = 'We found no links in this. Paste at least one web address.'

/** The form with what is wrong, beside its fields and in its list. */
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

/** As much as fits into an address, whichever server or proxy is in front. */
const MAX_SHARED = 16_000

/**
 * What an app or a bookmark shares by the page's address (`title`, `text` and `url`, as in the manifest), as one would paste
 * it. A page's title stands in the line of its address, which some apps put into the text.
 */
function sharedText(query: URLSearchParams): string {
  const [title = '', text = '', url = ''] = ['title', 'text', 'url'].map((name) => typedText(query, name))
  const line = (link: string) => `${onOneLine(title)} ${link}`.trim()
  const isLink = /^https?:\/\/\S+$/i.test(text)
  const other = url === '' || text.includes(url) ? '' : line(url)
  const whole = text === '' || isLink ? other || line(text) : [text, other].join('\n')
  return (isLink && url !== '' && !text.includes(url) ? `${text}\n${whole}` : whole).trim().slice(0, MAX_SHARED)
}
