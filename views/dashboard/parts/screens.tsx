/** @jsxImportSource @kitajs/html */
import { refuseMethod } from '../../../src/api/json.ts'
import { countClaimable } from '../../../src/bundles/claims/claims.ts'
import { pinsOn } from '../../../src/bundles/list/pins.ts'
import { lazy } from '../../../src/core/lazy.ts'
import { everyLink, type Linking } from '../../../src/core/links.ts'
import { Problem, unknownUrl } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { waitForReadSlot } from '../../../src/core/scheduling.ts'
import type { Service } from '../../../src/core/service.ts'
import { LONG_FORM, readForm, readFormWithFile, type SentFile } from '../../../src/http/body.ts'
import { callContext } from '../../../src/http/request.ts'
import { empty, htmxTarget, Page, page, pageApp, seeOther } from '../../../src/http/respond.ts'
import { iconsOf } from '../../../src/icons/kept.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { allowsRole, type Session } from '../../../src/identity/caller.ts'
import { countRequest } from '../../../src/limits/rate-limits.ts'
import { execute, respond } from '../../../src/operations/execute.ts'
import type { Answer, CallContext, Conditions, Operation } from '../../../src/operations/operation.ts'
import { usesOf } from '../../../src/plans/owners.ts'
import { countOpen, countOpenFor } from '../../../src/proposals/stored.ts'
import { callAuth as callForForm } from '../../account/parts/account-forms.ts'
import { TypedText } from '../../parts/fields.tsx'
import { headingOf } from '../../parts/notice.tsx'
import { signedInUser } from '../../parts/visitor.ts'
import { type ForAdmins, ForAdminsView } from './form.tsx'
import type { PageNotices } from './notices.tsx'
import {
  DashboardContent,
  DashboardDocument,
  DashboardPage,
  type DashboardSite,
  Head,
  SECTION_NAMES,
  SECTIONS,
  type Section,
} from './shell.tsx'

export interface ScreenPage {
  section: Section
  /** The document's title, without the service's name. */
  title: string
  view: JSX.Element
  /** Content below the navigation. */
  aside?: JSX.Element
  /** What follows from the action that the page's message is about: the end of that message. */
  told?: string | undefined
  /** What stands above the content, if nothing more urgent does. */
  notices?: PageNotices
  /** The error that the page explains; it sets the response's status. */
  problem?: Problem | undefined
  /** Whether its form stays in view after saving: by default a page begins at its top. */
  staysSaved?: true
}

/** Part of a page, for htmx: it replaces the target of the request, or the element that `into` selects. */
interface ScreenFragment {
  part: JSX.Element
  into?: `#${string}`
  /** The swap style: `outerMorph` keeps remaining elements and their focus; `none` is for several targets. */
  swap?: 'outerMorph' | 'none'
}

/** A page, a part of one, or a redirect. */
export type Outcome = ScreenPage | ScreenFragment | { to: string } | Page | Response

/** One route of the dashboard: path, operation and view. */
export interface Screen {
  path: `/dashboard${string}`
  get?(visit: Visit): Promise<Outcome>
  /** Handles a plain form, then redirects to the page that shows the change. */
  post?(visit: Visit, form: URLSearchParams, file: SentFile | null): Promise<Outcome>
  /** The maximum size of an uploaded file in bytes; without it, files are refused. */
  maxFile?: number
}

/** Registers screens as routes for signed-in visitors; htmx gets a fragment, other clients a whole page. */
export function screens(service: Service, table: readonly Screen[]) {
  const app = pageApp()
  for (const { path, get, post, maxFile } of table) {
    const allow = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])]
    app.all(
      path,
      async ({ request, params = {} }) => {
        const isPost = request.method === 'POST'
        const handle = isPost ? post : request.method === 'GET' || request.method === 'HEAD' ? get : undefined
        const visit = await visitOf(request, params, service)
        if (visit === null) return handle === undefined ? refuseMethod(allow) : toSignIn(request)
        try {
          if (handle === undefined) return refuseMethod(allow)
          const { form, file } = isPost ? await sentIn(request, maxFile) : NOTHING_SENT
          await countReading(visit, form, file)
          // Rendering a long bundle blocks the event loop, and pages have no rate limit.
          await waitForReadSlot(visit.session.userId)
          return answer(visit, await handle(visit, form, file))
        } catch (error) {
          return errorPage(visit, error)
        }
      },
      { parse: 'none' },
    )
  }
  app.all(`${routes.bundles.list.path}/*`, async ({ request }) => {
    const visit = await visitOf(request, {}, service)
    if (visit === null) throw unknownUrl()
    return errorPage(visit, unknownUrl())
  })
  return app
}

const NOTHING_SENT = { form: new URLSearchParams(), file: null }

async function sentIn(request: Request, maxFile: number | undefined) {
  if (maxFile !== undefined) return readFormWithFile(request, maxFile)
  return { form: await readForm(request, LONG_FORM), file: null }
}

/**
 * Renders an error inside the dashboard, with its navigation.
 * @throws server errors; for htmx any error of a form or a part of a page, which is shown there, so that no input is lost.
 */
function errorPage(visit: Visit, error: unknown): Page | Response {
  if (!(error instanceof Problem) || error.status >= 500) throw error
  const target = htmxTarget(visit.request)
  if (target !== null && (visit.request.method === 'POST' || target !== 'page')) throw error
  const { pathname } = new URL(visit.request.url)
  const section = SECTION_NAMES.findLast((name) => pathname.startsWith(SECTIONS[name].href)) ?? 'bundles'
  const heading = headingOf(error)
  const view = <ProblemView heading={heading} text={error.userMessage} typed={error.typed} />
  return answer(visit, { section, title: heading, view, problem: error })
}

/** Longer forms are rate limited: parsing the pasted text then costs more than everything else. */
const LONG_FORM_CHARACTERS = 16 * 1024

/**
 * Counts a long form, or a file, against the person's reading limit, before it is parsed.
 * @throws Problem RATE_LIMITED.
 */
async function countReading({ service, session }: Visit, form: URLSearchParams, file: SentFile | null): Promise<void> {
  let characters = file?.bytes.length ?? 0
  for (const value of form.values()) characters += value.length
  if (characters <= LONG_FORM_CHARACTERS) return
  await countRequest(service.bucket, service.limits.reading, session.userId, 'with this much text')
}

function answer({ request, site }: Visit, outcome: Outcome): Page | Response {
  if (outcome instanceof Response || outcome instanceof Page) return outcome
  if ('to' in outcome) return seeOther(outcome.to)
  const vary = { vary: 'Accept-Encoding, HX-Request, HX-Request-Type, HX-Target' }
  if ('part' in outcome) {
    const { part, into, swap = 'outerHTML' } = outcome
    // Keeps the scroll position and adds no history entry.
    const place = { 'hx-reswap': `${swap} show:none`, 'hx-push-url': 'false' }
    return page(part, 200, into === undefined ? vary : { ...vary, ...place, 'hx-retarget': into })
  }
  const { problem, view, section, title, aside, told } = outcome
  const notices = problem === undefined ? outcome.notices : 'within'
  const isFragment = htmxTarget(request) !== null
  const stays = isFragment && isInItsPage(request, outcome)
  const Frame = stays ? DashboardContent : isFragment ? DashboardPage : DashboardDocument
  const { pathname: path, searchParams: query } = new URL(request.url)
  const whole = <Frame {...{ site, section, title, aside, told, notices, path, query }}>{view}</Frame>
  const headers = {
    ...vary,
    ...problem?.headers,
    ...(stays ? { 'hx-retarget': '#main', 'hx-reswap': 'innerMorph show:none' } : {}),
    // A form with errors is the same page: adds no history entry.
    ...(problem === undefined ? {} : { 'hx-push-url': 'false' }),
  }
  return page(whole, problem?.status ?? 200, headers)
}

/** Whether an answer belongs on the form's page: the form was refused, or saved on a page that stays. */
function isInItsPage({ method, url, headers }: Request, { problem, staysSaved }: ScreenPage): boolean {
  if (method === 'POST') return problem !== undefined
  const [source, shown] = [headers.get('hx-source') ?? '', headers.get('hx-current-url') ?? '']
  return staysSaved === true && source.startsWith('form') && URL.parse(shown)?.pathname === new URL(url).pathname
}

/**
 * Redirects to sign-in, and back afterwards. htmx gets a full navigation; otherwise it would put the form into this page.
 * @throws Problem for a submitted form, which stays on screen with its input.
 */
function toSignIn(request: Request): Response {
  if (request.method === 'POST') {
    throw new Problem(
      'UNAUTHORIZED',
      'You’ve been signed out. Sign in again in another tab, then come back here and try again.',
    )
  }
  const { pathname, search } = new URL(request.url)
  const to = `${routes.account.signIn.href()}?next=${encodeURIComponent(pathname + search)}`
  return htmxTarget(request) === null ? seeOther(to) : empty(200, { 'hx-redirect': to })
}

/** Restricts a screen's `get` to admins of the workspace; other members are told whom to ask. */
export function forAdmins(section: Section, words: ForAdmins) {
  return (get: (visit: Visit) => Promise<Outcome>): Screen['get'] =>
    async (visit) => {
      if (isAdmin(visit)) return get(visit)
      return { section, title: words.title, view: <ForAdminsView site={visit.site} {...words} /> }
    }
}

/** Whether the visitor is an admin of the workspace that they act for. */
function isAdmin({ site }: Visit): boolean {
  return allowsRole(site.user.role, 'admin')
}

interface ProblemProps {
  heading: string
  text: string
  /** The typed text from a form that was refused as a whole. */
  typed: string | undefined
}

/** An error in place of a page or a form's result; the navigation stays. */
function ProblemView({ heading, text, typed }: ProblemProps): JSX.Element {
  return (
    <>
      <Head title={heading} lede={text} />
      <TypedText text={typed} />
      <p class="actions">
        <BundlesLink />
      </p>
    </>
  )
}

/** A request for a dashboard page by a signed-in visitor. */
export interface Visit {
  request: Request
  service: Service
  /** Path parameters. */
  params: Record<string, string>
  query: URLSearchParams
  session: Session
  context: CallContext
  site: DashboardSite
}

/** The visit of a request; null if nobody is signed in. */
async function visitOf(request: Request, params: Record<string, string>, service: Service): Promise<Visit | null> {
  const context = await callContext(request, service)
  if (context.caller.kind !== 'session') return null
  const { session, subject } = context.caller
  const { name, origin, shortPaths } = service.config
  const { slug } = params
  const { store } = service
  const badges = lazy(async () => {
    const [claimable, uses, toReview, openProposals, pinned] = await Promise.all([
      countClaimable(store, session),
      usesOf(store, subject, session.userId),
      countOpen(store, subject),
      slug === undefined ? 0 : countOpenFor(store, slug),
      pinsOn(store, session.userId, slug),
    ])
    return { ...uses, claimable, toReview, openProposals, ...pinned }
  })
  const site = { name, origin, shortPaths, user: await signedInUser(session, service), badges }
  return { request, service, params, query: new URL(request.url).searchParams, session, context, site }
}

/**
 * Runs an operation for the visitor, with the same checks as for any other caller.
 * @throws Problem.
 */
export async function run<In, Out>(
  visit: Visit,
  operation: Operation<In, Out>,
  input: unknown,
  conditions: Partial<Conditions> = {},
) {
  const { output } = await answerTo(visit, operation, input, conditions)
  return output
}

/** The same with the response headers, which tell whether the answer is a replay. */
export function answerTo<In, Out>(
  { context, service }: Visit,
  operation: Operation<In, Out>,
  input: unknown,
  conditions: Partial<Conditions>,
): Promise<Answer<Out>> {
  const given = { idempotencyKey: null, expectedVersion: null, ...conditions }
  return execute(operation, () => input, { ...context, conditions: () => given }, service)
}

/**
 * Runs an operation that returns a secret, once for each form, by its idempotency key: null for a repeated request, because a
 * reload sends it again and a secret is shown only once.
 * @throws Problem.
 */
export async function runOnce<In, Out>(
  visit: Visit,
  operation: Operation<In, Out>,
  input: unknown,
  idempotencyKey: string,
): Promise<Out | null> {
  const { output, headers } = await answerTo(visit, operation, input, { idempotencyKey: idempotencyKey || null })
  return headers['idempotency-replayed'] === undefined ? output : null
}

/**
 * Dry-runs an operation for the visitor: it fails like the operation would, and changes nothing.
 * @throws Problem.
 */
export async function dryRun<In, Out>(
  { context, service }: Visit,
  operation: Operation<In, Out>,
  input: Record<string, unknown>,
  conditions: Partial<Pick<Conditions, 'expectedVersion'>> = {},
): Promise<void> {
  const given = { idempotencyKey: null, expectedVersion: null, ...conditions }
  await respond(operation, () => ({ ...input, dryRun: true }), { ...context, conditions: () => given }, service)
}

/**
 * The result of `attempt`, or its Problem if the page itself can explain that: invalid input, a name that is taken, a full plan,
 * an edit conflict, or a rate limit.
 * @throws any other error.
 */
export async function resultOrProblem<Out>(attempt: () => Promise<Out>): Promise<Out | Problem> {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof Problem && EXPLAINED.has(error.code)) return error
    throw error
  }
}

const EXPLAINED = new Set<Problem['code']>([
  'INVALID_URLS',
  'BAD_REQUEST',
  'PLAN_LIMIT',
  'EMAIL_UNVERIFIED',
  'RECENT_SIGN_IN_REQUIRED',
  'SLUG_TAKEN',
  'EXTERNAL_ID_TAKEN',
  'HANDLE_TAKEN',
  'IDEMPOTENCY_CONFLICT',
  'VERSION_CONFLICT',
  'PROPOSAL_CONFLICT',
  'KEY_NOT_ROTATABLE',
  'RATE_LIMITED',
])

/** The parts of a bundle that are shown with icons. */
interface Shown extends Pick<Linking, 'urls'>, Partial<Pick<Linking, 'resolutionPolicy'>> {
  /** Whether its owner wants icons. */
  icons: boolean
}

/** The icons of all linked sites on a page, in one query; none for bundles whose owner wants none. */
export async function iconsFor({ service }: Pick<Visit, 'service'>, ...shown: readonly Shown[]): Promise<SiteIcons> {
  const { config, store } = service
  if (!config.icons) return {}
  const links = shown.flatMap(({ icons, resolutionPolicy = null, urls }) =>
    icons ? everyLink({ urls, resolutionPolicy }) : [],
  )
  return links.length === 0 ? {} : iconsOf(store.db, { urls: links.map(({ url }) => url), resolutionPolicy: null })
}

/**
 * Calls better-auth for the visitor. Returns its answer, or a refusal that the form can explain.
 * @throws Problem for a refusal that no form explains: a role that is too low, or an ended session.
 */
export async function callAuth({ request, service }: Visit, path: string, body: unknown): Promise<Response | Problem> {
  const answer = await callForForm(request, service, path, body)
  if (answer instanceof Problem && !EXPLAINED_AUTH.has(answer.code) && answer.status !== 400) throw answer
  return answer
}

/** Refusals that forms explain, besides invalid input. */
const EXPLAINED_AUTH = new Set<Problem['code']>([
  'PLAN_LIMIT',
  'EMAIL_UNVERIFIED',
  'INVITATION_LIMIT_REACHED',
  'RATE_LIMITED',
])

/**
 * Calls better-auth for the visitor, where no form explains a refusal.
 * @throws Problem for any refusal.
 */
export async function mustCallAuth(visit: Visit, path: string, body: unknown): Promise<Response> {
  const answer = await callAuth(visit, path, body)
  if (answer instanceof Problem) throw answer
  return answer
}

/** A link to the list of bundles, for pages without another destination. */
export function BundlesLink(): JSX.Element {
  return (
    <a class="button" href={routes.bundles.list.href()}>
      Go to your bundles
    </a>
  )
}
