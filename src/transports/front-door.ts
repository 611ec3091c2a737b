import type { Config } from '../config.ts'
import { Problem } from '../problem.ts'
import { clientAddresses, plainAddress } from './client.ts'
import type { LauncherPages } from './launcher.tsx'

/** Answers one request; `socketAddress` is the peer's, as the runtime gives it. */
export type Handle = (request: Request, socketAddress: string) => Response | Promise<Response>

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
  refuse: Refuse,
): Handle {
  return (request, socketAddress) => {
    const host = request.headers.get('host')
    // A target in absolute form (`GET http://x/…`) brings a host of its own, beside the header.
    if (!isFor(authority, host ?? '') || !isFor(authority, hostOf(request.url))) {
      // Health checks ask by address. The router must not see their Host either.
      if (/^(?:https?:\/\/[^/]*)?\/healthz$/.test(request.url)) return app.fetch(new Request(`${origin}/healthz`))
      return refuse(request, new Problem('MISDIRECTED_REQUEST', `This server answers for ${authority} only.`))
    }
    // Proxies append, so of several addresses the last is the one that the trusted proxy saw.
    const forwarded = clientIpHeader === undefined ? null : request.headers.get(clientIpHeader)?.split(',').at(-1)
    const address = plainAddress(forwarded || socketAddress)
    const kept = request.method === 'GET' ? launchers.kept(request, slugOf(request.url), address) : undefined
    if (kept !== undefined) return kept
    clientAddresses.set(request, address)
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

const AFTER_SCHEME = 'https://'.length
const LAUNCHERS = '/l/'

/** What stands after `/l/`, a slug only if a launcher is kept under it; `''` for every other address. */
function slugOf(url: string): string {
  const path = url.indexOf('/', AFTER_SCHEME)
  if (!url.startsWith(LAUNCHERS, path)) return ''
  const query = url.indexOf('?', path)
  return url.slice(path + LAUNCHERS.length, query === -1 ? undefined : query)
}
