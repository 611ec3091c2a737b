import { NotFoundError } from 'elysia'
import { inline, lines } from '../../views/parts/markdown.ts'
import type { Config } from '../config/config.ts'
import { OWN_PATHS } from '../core/launcher-link.ts'
import { type Met, Problem, toProblem, unknownUrl } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { addressIn, fromOtherSite, isFromOwnPage, plainAddress, setClientAddress } from '../http/client.ts'
import { draining, type Handle } from '../http/draining.ts'
import { inPlaceOf, observed, pathIn, requestId } from '../http/observe.ts'
import { jsonProblem, text } from '../http/respond.ts'
import { audienceAt, challenge } from '../oauth/resources.ts'
import { askedAt, FORM_TYPES, NEGOTIATED, type OtherForm } from '../pages/asked-form.ts'
import { headingOf, problemPage } from '../pages/problem-page.tsx'
import { createRouter } from './router.ts'

/**
 * The whole server as a function of a request, the same on every runtime.
 * @param later is given what may be prepared once the service is up, so that no request has to wait for it; see `createRouter`.
 */
export function createApp(service: Service, later?: (work: () => Promise<unknown>) => void): Handle {
  const { config } = service
  const { authority, origin, clientIpHeader, shortPaths } = config
  const refuse = (request: Request, problem: Problem) => {
    const met = { requestId: requestId(request), origin }
    if (isForMachines(request)) {
      const said = problem.headers['www-authenticate']
      if (said?.startsWith('Bearer'))
        problem.headers['www-authenticate'] = challenge(said, origin, audienceAt(request.url))
      return jsonProblem(problem, met)
    }
    const { method, url, headers } = request
    const asked = method === 'GET' || method === 'HEAD' ? askedAt(url, headers) : null
    if (asked === null) return problemPage(request, problem, service)
    const { form, isNegotiated } = asked
    const answer = form === 'html' ? problemPage(request, problem, service) : problemAs(form, request, problem, met)
    if (isNegotiated) answer.headers.set('vary', NEGOTIATED)
    return answer
  }
  const failed = (request: Request, error: unknown) => {
    const problem = error instanceof NotFoundError ? unknownUrl() : toProblem(error)
    const { log, store } = service
    const context = { id: requestId(request), method: request.method }
    if (problem.code === 'INTERNAL_ERROR') log.error({ err: error, ...context }, 'a request failed')
    if (problem.code === 'STORE_UNAVAILABLE') {
      const { writesFailSince } = store
      log.warn({ err: problem.cause, ...context, writesFailSince }, 'a request was refused: the store does not answer')
    }
    return refuse(request, problem)
  }
  const app = createRouter(service, failed, later)
  // Nearly every URL starts with exactly this, which saves parsing it. Whatever the scheme of the base address, requests come
  // in plain HTTP: TLS ends at a proxy.
  const start = `http://${authority}/`
  const names = [authority, `${authority}:${origin.startsWith('https:') ? 443 : 80}`]
  const isOurs = (host: string) => names.includes(host) || names.includes(host.toLowerCase())
  const answer = (sent: Request) => {
    const { url } = sent
    const host = sent.headers.get('host') ?? ''
    let request = sent
    if (host !== authority || !url.startsWith(start)) {
      const path = pathIn(url)
      // Probes name an address, or whatever their cluster calls this process.
      const isProbe = /^\/(?:healthz|readyz)(?:\?|$)/.test(path)
      // A target in absolute form (`GET http://x/…`) has its own host besides the header.
      if (!isProbe && !(isOurs(host) && isOurs(hostIn(url)))) return refuse(sent, misdirected(authority))
      // Elysia looks for the path from the seventh character on, which is right for `http://` alone.
      if (isProbe || !url.startsWith('http://')) request = inPlaceOf(sent, new Request(start + path.slice(1), sent))
    }
    const refusal = refusalOf(request, config)
    return refusal === null ? app.fetch(request) : failed(request, refusal)
  }
  const answerObserved = observed(answer, app, service)
  const handle: Handle = (request, socketAddress) => {
    // Proxies append, so the last address is the one that the trusted proxy saw.
    const forwarded = clientIpHeader === undefined ? null : request.headers.get(clientIpHeader)
    const address = forwarded && addressIn(forwarded.slice(forwarded.lastIndexOf(',') + 1))
    setClientAddress(request, address || plainAddress(socketAddress()))
    return answerObserved(request)
  }
  if (!shortPaths) return draining(handle, service.stopping)
  return draining((request, socketAddress) => handle(atLauncher(request), socketAddress), service.stopping)
}

/** What may be a launcher at a short path, with what is below it. */
const SHORT = /^(https?:\/\/[^/?#]+)(\/([a-z0-9-]{3,64})(?:\.(?:json|md))?(?:[/?#].*)?)$/i

/** A request for a launcher at its short path as one at its long path; any other as it is. */
function atLauncher(request: Request): Request {
  const [, origin, path, slug = ''] = SHORT.exec(request.url) ?? []
  if (origin === undefined || OWN_PATHS.includes(slug.toLowerCase()) || !URL.canParse(request.url)) return request
  return new Request(`${origin}/l${path}`, request)
}

/**
 * The refusal of a request for another host; in most cases it is this one's own proxy that has changed the header. The other
 * host is not repeated.
 */
function misdirected(authority: string): Problem {
  return new Problem(
    'MISDIRECTED_REQUEST',
    `This server answers for ${authority} only. A proxy before it must pass on the Host header that it was sent (nginx: proxy_set_header Host $host;), and SERVICE_BASE_URL must be the address that people open.`,
  )
}

/** What holds for all routes alike. */
function refusalOf(request: Request, config: Config): Problem | null {
  if (!isDecodable(request.url)) return unknownUrl()
  const { method } = request
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || isForMachines(request)) return null
  // Forms, whoever is signed in: a page of another site could use up what its visitor may send, or sign them in as itself.
  return isFromOwnPage(request, config) ? null : fromOtherSite(config)
}

/** Whether every escape in the path of a URL is UTF-8. For a parameter with another, Elysia passes null to the handler. */
function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  const [path = ''] = url.split('?', 1)
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function hostIn(url: string): string {
  const from = url.indexOf('//') + 2
  return url.slice(from, url.indexOf('/', from))
}

/**
 * Whether only programs read what is at a URL. Works on the text: with a malformed Host the URL may not parse, and on Bun
 * without one it is only a path.
 */
function isForMachines({ url }: Pick<Request, 'url'>): boolean {
  return /^(?:\w+:\/\/[^/]*)?\/(?:(?:api|register|oauth\/(?:register|token|revoke|introspect|device_authorization))(?:[/?#]|$)|\.well-known\/)/.test(
    url,
  )
}

/** An error in the form of a launcher that was asked for. */
function problemAs(form: OtherForm, request: Request, problem: Problem, met: Met): Response {
  if (form === 'json') return jsonProblem(problem, met)
  const { status, headers, message } = problem
  // Readers of feeds show the text of an error, if anything.
  const type = form === 'feed' ? 'text/plain; charset=utf-8' : FORM_TYPES.markdown
  const body = `# ${inline(headingOf(problem))}\n\n${lines(message).join('  \n')}\n`
  return text(request, body, { type, status, headers })
}
