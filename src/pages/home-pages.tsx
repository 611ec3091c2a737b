/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { Elysia } from 'elysia'
import { PrivacyPage } from '../../views/docs/privacy.tsx'
import { FoundLinks } from '../../views/home/found.tsx'
import { GatedHomePage, type HomeForm, HomePage } from '../../views/home/home.tsx'
import { AwayPage } from '../../views/launcher/away.tsx'
import { BOUNDS } from '../bundles/bounds.ts'
import { ABOUT_NAMES, CONTENT, each } from '../bundles/content.ts'
import { createBundle } from '../bundles/operations.ts'
import type { NewBundle } from '../bundles/shapes.ts'
import { besideField } from '../core/field-words.ts'
import { fingerprint } from '../core/hash.ts'
import { reasonIn } from '../core/issue-words.ts'
import { type Problem, toProblem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { tooMany } from '../core/words.ts'
import { LONG_FORM, readForm } from '../http/body.ts'
import { callContext, clientNetwork } from '../http/client.ts'
import { type Page, page } from '../http/page.ts'
import { seeOther } from '../http/respond.ts'
import { splitList, toNewBundle } from '../imports/import.ts'
import type { FoundList } from '../imports/plan.ts'
import { countForAddress } from '../limits/count-requests.ts'
import { execute } from '../operations/execute.ts'
import { listIn, mayHaveVariables, offersOf, pressed, variablesIn } from './home-variables.ts'
import { type CreatedBundle, resultPath } from './result.ts'
import { plainSite, signInMethods, siteFor } from './site.ts'

const RAW = { parse: 'none' } as const

/** For what sends no form. */
const NO_REFERRER = { 'referrer-policy': 'no-referrer' }

/** Maximum bundles that a long list is split into here; longer lists go through the import. */
const MAX_PARTS = 4

/** The home page, its preview of the links found in what is typed, and the privacy page. */
export function homePages(service: Service) {
  const { name, origin, shortPaths, anonymousBundles } = service.config
  const isGated = !anonymousBundles
  return new Elysia()
    .get('/', async ({ request }) => {
      const site = await siteFor(request, service)
      if (isGated && site.user === null)
        return page(<GatedHomePage site={site} hasSignUpPage={signInMethods(service.config).hasSignUpPage} />)
      return page(<HomePage site={site} form={emptyForm()} isGated={isGated} />)
    })
    .get('/away', () => page(<AwayPage site={{ name, origin, shortPaths }} />, 200, NO_REFERRER))
    .get('/privacy', async ({ request }) => page(<PrivacyPage site={await siteFor(request, service)} />))
    .post('/', ({ request }) => makeBundles(request, service), RAW)
    .post(
      '/found',
      async ({ request }) => {
        await countForAddress(service, 'reading', clientNetwork(request))
        const fields = await readForm(request, LONG_FORM)
        const list = listIn(fields)
        const offers = fields.has('offer') ? offersOf(list, fields.getAll('declared')) : []
        return page(<FoundLinks list={list} offers={offers} />, 200, NO_REFERRER)
      },
      RAW,
    )
}

function emptyForm(): HomeForm {
  return {
    ...each(ABOUT_NAMES, () => ''),
    text: '',
    errors: {},
    found: null,
    declared: [],
    offers: [],
    isWanted: false,
    parts: 0,
    made: null,
    idempotencyKey: randomUUID(),
  }
}

/** POST /: what the form makes, or what it asks first. */
async function makeBundles(request: Request, service: Service): Promise<Page | Response> {
  const sent = await readForm(request)
  if (!mayHaveVariables(sent)) return createBundles(request, service, sent)
  await countForAddress(service, 'reading', clientNetwork(request))
  const { fields, offers, isWanted, isReady } = pressed(sent)
  if (isReady) return createBundles(request, service, fields)
  const list = listIn(fields)
  const parts = splitList(list).length
  const form: HomeForm = {
    ...emptyForm(),
    ...each(ABOUT_NAMES, (name) => fields.get(name) ?? ''),
    text: fields.getAll('urls').join('\n'),
    found: list,
    declared: fields.getAll('declared'),
    offers,
    isWanted,
    parts: parts <= MAX_PARTS ? parts : 0,
    idempotencyKey: fields.get('idempotencyKey') || randomUUID(),
  }
  const isGated = !service.config.anonymousBundles
  return page(<HomePage site={await siteFor(request, service)} form={form} isGated={isGated} />)
}

/** Runs `create_bundle` for each bundle of a form, then redirects to the page with their links. */
async function createBundles(request: Request, service: Service, fields: URLSearchParams): Promise<Page | Response> {
  const typed = each(ABOUT_NAMES, (name) => {
    const sent = fields.get(name) ?? ''
    return (CONTENT[name].lines === 'many' ? sent.replaceAll('\r\n', '\n') : sent).trim()
  })
  const key = fields.get('idempotencyKey') || null
  const mayBeSeveral = fields.get('do') === 'split'
  const read: { list: FoundList | null; inputs: NewBundle[] } = { list: null, inputs: [] }
  /** Called after the rate limit, so that a refused request costs no parsing. */
  const readFirst = () => {
    const found = listIn(fields)
    const list = { ...found, ...each(ABOUT_NAMES, (name) => typed[name] || found[name]) }
    const parts = splitList(list)
    const isSplit = mayBeSeveral && parts.length > 1 && parts.length <= MAX_PARTS
    const inputs = (isSplit ? parts : [list]).map((part) => {
      const made = { ...toNewBundle(part), source: 'web' as const }
      return { ...made, variables: variablesIn(made, fields.getAll('declared')) }
    })
    Object.assign(read, { list, inputs })
    return inputs[0]
  }
  const made: CreatedBundle[] = []
  try {
    const context = { ...(await callContext(request, service)), source: 'web' as const }
    const make = async (input: () => unknown) => {
      // Parts after the first get keys derived from the form's.
      const own = made.length === 0 ? key : key && fingerprint(`${key} ${made.length}`)
      const conditions = () => ({ idempotencyKey: own, expectedVersion: null })
      const { output } = await execute(createBundle, input, { ...context, conditions }, service)
      made.push({ slug: output.slug, claimToken: output.claimToken ?? null })
    }
    await make(readFirst)
    for (const input of read.inputs.slice(1)) await make(() => input)
    return seeOther(resultPath({ bundles: made, left: leftOf(read.list) }, service.config))
  } catch (thrown) {
    const problem = toProblem(thrown)
    if (problem.code === 'INTERNAL_ERROR') service.log.error({ err: thrown }, 'the form of the home page failed')
    const isGated = !service.config.anonymousBundles
    const parts = read.list === null ? 0 : splitList(read.list).length
    const form: HomeForm = {
      ...typed,
      text: fields.getAll('urls').join('\n'),
      errors: explain(problem, read.inputs, made.length),
      found: read.list,
      declared: fields.getAll('declared'),
      offers: [],
      isWanted: false,
      parts: parts <= MAX_PARTS ? parts : 0,
      // Their claim links are shown nowhere else, and the rest may never be made: the plan may be full.
      made: made.length === 0 ? null : resultPath({ bundles: made, left: leftOf(null) }, service.config),
      // With the same key, resending the form does not create the same parts twice.
      idempotencyKey: made.length > 0 && key !== null ? key : randomUUID(),
    }
    const site = await siteFor(request, service).catch(() => plainSite(service.config))
    return page(<HomePage site={site} form={form} isGated={isGated} />, problem.status, problem.headers)
  }
}

function leftOf(list: FoundList | null) {
  const { skipped = 0, changed = 0, duplicates = 0 } = list?.counts ?? {}
  return { skipped, changed, duplicates }
}

/** For someone whose session ended while they typed, if bundles require an account. */
const SIGN_IN_FIRST = 'Sign in in another tab, then send this again. Everything you typed is still here.'

const NO_LINKS = 'We found no links in this. Paste at least one web address.'

/** The errors of the form, by field. */
function explain(problem: Problem, inputs: readonly NewBundle[], made: number): HomeForm['errors'] {
  const errors: HomeForm['errors'] = {}
  const urls = inputs[0]?.urls ?? []
  for (const { path, reason } of problem.issues) {
    const [field, index] = path
    const about = ABOUT_NAMES.find((name) => name === field)
    if (about !== undefined) errors[about] = besideField(reason)
    else if (field === 'urls' && typeof index === 'number') errors.urls ??= `${urls[index]} ${reasonIn(reason)}.`
    else if (field === 'urls') errors.urls = urls.length === 0 ? NO_LINKS : tooMany(urls.length, BOUNDS.urls)
    // The form has one note per link, so too many notes means too many links.
    else if (field !== 'urlMetadata') errors.form = problem.message
  }
  if (problem.issues.length === 0) errors.form = problem.code === 'UNAUTHORIZED' ? SIGN_IN_FIRST : problem.message
  if (made > 0) {
    const reason = errors.form ?? errors.urls ?? ''
    errors.form = `${made} of ${inputs.length} bundles have been created. ${reason} Then press “Create ${inputs.length} bundles instead” again.`
  }
  return errors
}
