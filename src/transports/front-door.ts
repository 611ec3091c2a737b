import type { Config } from '../config.ts'
import { Problem } from '../problem.ts'
import { clientAddresses, plainAddress } from './client.ts'
import type { LauncherPages } from './launcher.tsx'
import { jsonProblem } from './respond.ts'

/** Answers one request; `socketAddress` is the peer's, as the runtime gives it. */
export type Handle = (request: Request, socketAddress: string) => Response | Promise<Response>

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
): Handle {
  return (request, socketAddress) => {
    const host = request.headers.get('host')
    if (host !== authority && host?.toLowerCase() !== authority) {
      // Health checks ask by address. The router must not see their Host either.
      if (/^https?:\/\/[^/]*\/healthz$/.test(request.url)) return app.fetch(new Request(`${origin}/healthz`))
      return jsonProblem(new Problem('MISDIRECTED_REQUEST', `This server answers for ${authority} only.`))
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

const AFTER_SCHEME = 'https://'.length
const LAUNCHERS = '/l/'

/** What stands after `/l/`, a slug only if a launcher is kept under it; `''` for every other address. */
function slugOf(url: string): string {
  const path = url.indexOf('/', AFTER_SCHEME)
  return url.startsWith(LAUNCHERS, path) ? url.slice(path + LAUNCHERS.length) : ''
}
