import type { Config } from '../config.ts'
import { Problem } from '../core/problem.ts'
import { addressIn, plainAddress, setClientAddress } from '../http/client.ts'
import type { Handle } from '../http/draining.ts'
import type { Tally } from '../tally.ts'
import type { LauncherPages } from './pages.tsx'

/** Renders an error as a response. */
export type Refuse = (request: Request, problem: Problem) => Response

/**
 * Entry point of every request, on both runtimes. Refuses a foreign Host, which would also mislead the router about
 * where the path starts, and determines the client's address (decisions 8). Cached launchers are answered here, because
 * they need nothing from the router.
 */
export function frontDoor(
  app: { fetch(request: Request): Response | Promise<Response> },
  launchers: LauncherPages,
  { authority, origin, clientIpHeader }: Config,
  tally: Tally,
  refuse: Refuse,
): Handle {
  // Nearly every URL starts with exactly this, which saves parsing it.
  const start = `http://${authority}/`
  const launcher = `${start}l/`
  return (request, socketAddress) => {
    const { url } = request
    const host = request.headers.get('host') ?? ''
    const isHost = host === authority
    const isLauncher = isHost && url.startsWith(launcher)
    const isAtOrigin = isLauncher || (isHost && url.startsWith(start))
    // A target in absolute form (`GET http://x/…`) has its own host besides the header.
    if (!isAtOrigin && !(isFor(authority, host) && isFor(authority, hostOf(url)))) {
      // Health checks use an IP address as Host, which the router must not see either.
      if (/^(?:https?:\/\/[^/]*)?\/healthz$/.test(url)) return app.fetch(new Request(`${origin}/healthz`))
      tally.answered('refused', 421)
      return refuse(request, new Problem('MISDIRECTED_REQUEST', `This server answers for ${authority} only.`))
    }
    // Proxies append, so the last address is the one that the trusted proxy saw.
    const forwarded = clientIpHeader === undefined ? null : request.headers.get(clientIpHeader)
    const address =
      (forwarded && addressIn(forwarded.slice(forwarded.lastIndexOf(',') + 1))) || plainAddress(socketAddress())
    if (isLauncher && request.method === 'GET') {
      const cached = launchers.cached(request, url, launcher.length, address)
      if (cached !== undefined) {
        tally.cachedLaunchers += 1
        return cached
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
