import { setTimeout as sleep } from 'node:timers/promises'
import { BOUNDS } from '../bundles/bounds.ts'
import type { Config } from '../config/config.ts'
import { FairTurns } from '../core/fair-turns.ts'
import { MAX_URL } from '../core/text.ts'
import { iconPath } from '../icons/site.ts'
import type { Got } from '../outgoing/request.ts'
import { NotSent } from '../outgoing/target.ts'
import { NoTurn } from '../outgoing/turns.ts'
import { getPage, type Page, pageOf } from './page.ts'
import type { InspectedLink } from './shapes.ts'
import type { SiteIconFinder } from './site-icons.ts'

/** For a link with all its redirects, and its icon. */
const TIMEOUT_MS = 4_000

/** Links that a process looks at at once: each may hold an answer in memory. Of one account, as many as one call may ask for. */
const together = new FairTurns(4 * BOUNDS.urls, BOUNDS.urls)

/**
 * Looks at a link as a browser would open it, without what only its viewer has. What is wrong with it is a value: whoever
 * asks must not learn more of an address than that it did not answer.
 */
export function inspect(url: string, inspecting: Inspecting): Promise<InspectedLink> {
  return together.run(inspecting.account, () => look(url, inspecting))
}

/** What a look at a link needs. */
interface Inspecting {
  site: Pick<Config, 'origin' | 'outgoingPrivateNetworks'>
  icons: Pick<SiteIconFinder, 'find'>
  /** Who asks, by the id of a person, or a client address. */
  account: string
}

async function look(url: string, { site, icons, account }: Inspecting): Promise<InspectedLink> {
  const endsAt = performance.now() + TIMEOUT_MS
  const silence = () => sleep(Math.max(0, endsAt - performance.now()))
  try {
    const got = await getPage(url, site, { account, timeoutMs: TIMEOUT_MS })
    const page = await pageOf(got)
    // Time tells no more of an icon’s address than of the link’s own.
    const icon = await icons.find(url, page, { account, endsAt, silence })
    return { ...answered(url, got, page), icon: icon === null ? null : site.origin + iconPath(icon) }
  } catch (error) {
    if (error instanceof NoTurn) return unseen(url, TOO_MANY[error.whose])
    if (!(error instanceof NotSent)) throw error
    if (error.reason !== null && OF_THE_TEXT.has(error.reason.code)) return unseen(url, NOT_LOOKED_AT)
    // A private address, a name that is not known and a connection that is refused take as long as silence.
    await silence()
    return unseen(url, 'It did not answer: the site may be down, or not public.')
  }
}

/** What is wrong with the address itself, which tells nothing of where it leads. */
const OF_THE_TEXT = new Set<string>(['scheme_not_allowed', 'credentials_in_url', 'port_not_allowed'])
const NOT_LOOKED_AT = 'It was not looked at: its address has a password, or a port that web servers do not use.'

/** By whose requests there are too many of. */
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
