import type { Config } from '../config.ts'
import { Problem } from '../problem.ts'
import { clientAddresses, plainAddress } from './client.ts'

/** Answers one request; `socketAddress` is the peer's, as the runtime gives it. */
export type Handle = (request: Request, socketAddress: string) => Response | Promise<Response>

/** Makes the answer that says what is wrong. */
export type Refuse = (request: Request, problem: Problem) => Response

/**
 * Stands before the router on both runtimes: refuses a Host that is not the service's, which would also
 * mislead the router about where the path begins, and settles the client's address (decisions 8).
 */
export function frontDoor(
  app: { fetch(request: Request): Response | Promise<Response> },
  config: Config,
  refuse: Refuse,
): Handle {
  const { authority, origin, clientIpHeader } = config
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
    clientAddresses.set(request, plainAddress(forwarded || socketAddress))
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
