import type { Config } from '../config.ts'
import { Problem } from '../core/problem.ts'
import { addressIn, plainAddress, setClientAddress } from '../http/client.ts'
import type { Tally } from '../tally.ts'
import type { LauncherPages } from './pages.tsx'

/** Answers one request; `socketAddress` gives the peer's, which costs as much as all else a kept launcher needs here. */
export type Handle = (request: Request, socketAddress: () => string) => Response | Promise<Response>

/** Makes the answer that says what is wrong. */
export type Refuse = (request: Request, problem: Problem) => Response

/**
 * Stands before the router on both runtimes: refuses a Host that is not the service's, which would also
 * mislead the router about where the path begins, and settles the client's address (decisions 8).
 *
 * A launcher that is kept is answered here: such a view needs nothing that the router makes for a request.
 */
export function frontDoor(
  app: { fetch(request: Request): Response | Promise<Response> },
  launchers: LauncherPages,
  { authority, origin, clientIpHeader }: Config,
  tally: Tally,
  refuse: Refuse,
): Handle {
  // Nearly every address begins in just these letters.
  const ours = `http://${authority}/`
  const launcher = `${ours}l/`
  return (request, socketAddress) => {
    const { url } = request
    const host = request.headers.get('host') ?? ''
    const isHost = host === authority
    const isLauncher = isHost && url.startsWith(launcher)
    const isOurs = isLauncher || (isHost && url.startsWith(ours))
    // A target in absolute form (`GET http://x/…`) brings a host of its own, beside the header.
    if (!isOurs && !(isFor(authority, host) && isFor(authority, hostOf(url)))) {
      // Health checks ask by address. The router must not see their Host either.
      if (/^(?:https?:\/\/[^/]*)?\/healthz$/.test(url)) return app.fetch(new Request(`${origin}/healthz`))
      tally.answered('refused', 421)
      return refuse(request, new Problem('MISDIRECTED_REQUEST', `This server answers for ${authority} only.`))
    }
    // Proxies append, so of several addresses the last is the one that the trusted proxy saw.
    const forwarded = clientIpHeader === undefined ? null : request.headers.get(clientIpHeader)
    const address =
      (forwarded && addressIn(forwarded.slice(forwarded.lastIndexOf(',') + 1))) || plainAddress(socketAddress())
    if (isLauncher && request.method === 'GET') {
      const kept = launchers.kept(request, url, launcher.length, address)
      if (kept !== undefined) {
        tally.keptLaunchers += 1
        return kept
      }
    }
    setClientAddress(request, address)
    return app.fetch(request)
  }
}

function isFor(authority: string, host: string): boolean {
  return host === authority || host.toLowerCase() === authority
}

function hostOf(url: string): string {
  const from = url.indexOf('//') + 2
  return url.slice(from, url.indexOf('/', from))
}
