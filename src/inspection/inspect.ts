import { setTimeout as sleep } from 'node:timers/promises'
import { BOUNDS } from '../bundles/content/content.ts'
import type { Config } from '../config/config.ts'
import { lazy } from '../core/lazy.ts'
import { Problem } from '../core/problem.ts'
import { FairTurns } from '../core/scheduling.ts'
import type { Service } from '../core/service.ts'
import { object, says } from '../core/shape.ts'
import { MAX_URL } from '../core/text.ts'
import { Url } from '../core/text-shapes.ts'
import { iconPath } from '../icons/site.ts'
import type { Caller } from '../identity/caller.ts'
import { takeAll } from '../limits/rate-limits.ts'
import { implement } from '../operations/operation.ts'
import type { Got } from '../outgoing/request.ts'
import { NotSent } from '../outgoing/target.ts'
import { NoTurn } from '../outgoing/turns.ts'
import { getPage, type Page, pageOf } from './page.ts'
import type { SiteIconFinder } from './site-icons.ts'

/** The body of POST /api/links/inspect. */
const Inspection = object({
  urls: says(Url.array().atLeastLength(1).atMostLength(BOUNDS.urls), 'The links.', ['https://example.com/plan']),
})

const Link = lazy(() =>
  object(
    {
      url: says('string', 'The link.', 'https://example.com/plan'),
      finalUrl: says('string | null', 'Where it leads in the end; null if unknown.', 'https://example.com/plan/2026'),
      status: says('number.integer | null', 'The HTTP status there; null if there was none.', 200),
      title: says('string | null', 'The title of its page; null if unknown.', 'The plan'),
      icon: says('string | null', 'The address of its site’s icon; null if unknown.', null),
      problem: says('string | null', 'What is wrong; null if nothing is.', null),
    },
    'InspectedLink',
  ),
)

/** The result for a link; null where unknown. */
export type InspectedLink = ReturnType<typeof Link>['infer']

/** The results for all links, in the order sent. */
const Inspected = lazy(() => object({ links: says(Link().array(), 'The result for each link, in the order sent.') }))

/** The limit for a link with all its redirects, and its icon. */
const TIMEOUT_MS = 4_000

/** Bounds the links inspected at once, because each may hold an answer in memory; for one account, to those of one call. */
const together = new FairTurns(4 * BOUNDS.urls, BOUNDS.urls)

/**
 * Opens a link as a browser would, without cookies or sign-in. Failures are values: callers must not learn more about an address
 * than that it did not answer.
 */
function inspect(url: string, inspecting: Inspecting): Promise<InspectedLink> {
  return together.run(inspecting.account, () => look(url, inspecting))
}

/** The parameters for inspecting a link. */
interface Inspecting {
  site: Pick<Config, 'origin' | 'outgoingPrivateNetworks'>
  icons: Pick<SiteIconFinder, 'find'>
  /** The caller, as the id of a person or a client address. */
  account: string
}

async function look(url: string, { site, icons, account }: Inspecting): Promise<InspectedLink> {
  const endsAt = performance.now() + TIMEOUT_MS
  const silence = () => sleep(Math.max(0, endsAt - performance.now()))
  try {
    const got = await getPage(url, site, { account, timeoutMs: TIMEOUT_MS })
    const page = await pageOf(got)
    // The time taken reveals no more about an icon’s address than about the link’s own.
    const icon = await icons.find(url, page, { account, endsAt, silence })
    return { ...answered(url, got, page), icon: icon === null ? null : site.origin + iconPath(icon) }
  } catch (error) {
    if (error instanceof NoTurn) return unseen(url, TOO_MANY[error.whose])
    if (!(error instanceof NotSent)) throw error
    if (error.reason !== null && OF_THE_TEXT.has(error.reason.code)) return unseen(url, NOT_LOOKED_AT)
    // A private address, an unknown name and a refused connection take as long as silence.
    await silence()
    return unseen(url, 'It did not answer: the site may be down, or not public.')
  }
}

/** Reasons that concern only the text of an address, and so reveal nothing about its target. */
const OF_THE_TEXT = new Set<string>(['scheme_not_allowed', 'credentials_in_url', 'port_not_allowed'])
const NOT_LOOKED_AT = 'It was not looked at: its address has a password, or a port that web servers do not use.'

/** The messages for too many requests, to the link’s site or by the caller’s account. */
const TOO_MANY: Record<NoTurn['whose'], string> = {
  site: 'It was not looked at: too many links of its site are being looked at. Try again in a few seconds.',
  account: 'It was not looked at: links of yours were asked for too much in the last minute. Try again in a minute.',
}

const unseen = (url: string, problem: string): InspectedLink => {
  return { url, finalUrl: null, status: null, title: null, icon: null, problem }
}

function answered(url: string, { url: last, status }: Got, page: Page | null): InspectedLink {
  return {
    url,
    finalUrl: last.href.length > MAX_URL ? null : last.href,
    status,
    title: page?.title ?? null,
    icon: null,
    problem: status >= 200 && status < 300 ? null : problemOf(status),
  }
}

function problemOf(status: number): string {
  if (status === 404 || status === 410) return `The site answered ${status}: there is no such page.`
  if (status >= 500) return `The site answered ${status}: something is wrong there.`
  return `The site answered ${status}: it may want you to sign in, or let no service look.`
}

/** POST /api/links/inspect. */
export const inspectUrls = implement('inspect_urls', {
  summary: 'Look at up to 25 links: titles, where they lead, what is wrong',
  description: 'Opens each link once, and saves nothing. 60 links per minute.',
  input: Inspection,
  example: { urls: ['https://example.com/plan'] },
  output: Inspected,
  errors: ['INVALID_URLS', 'FORBIDDEN', 'RATE_LIMITED'],
  async run({ urls }, { service, caller }) {
    const { config } = service
    if (config.inspect === 'off') {
      throw new Problem('FORBIDDEN', 'This server doesn’t look at links: its operator has switched that off.')
    }
    await countLinks(service, caller, urls.length)
    const inspecting = { site: config, icons: service.siteIcons, account: accountOf(caller) }
    return { links: await Promise.all(urls.map((url) => inspect(url, inspecting))) }
  },
})

const accountOf = (caller: Caller) => (caller.kind === 'anonymous' ? caller.address : caller.userId)

/** @throws Problem RATE_LIMITED. */
async function countLinks({ bucket, limits }: Service, caller: Caller, links: number): Promise<void> {
  const limit = limits.inspecting
  const key = accountOf(caller)
  const { allowed } = await takeAll(bucket, Array(links).fill({ limit, key }))
  if (allowed) return
  // After a whole window all links pass, whenever the last ones were.
  const retryAfterSeconds = limit.windowMs / 1000
  throw new Problem(
    'RATE_LIMITED',
    `You can have ${limit.max} links looked at per minute. Try again in ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  )
}
