import { freePort } from '../ports.ts'

/** A request that a site got. */
interface Asked {
  method: string
  path: string
  agent: string
  range: string | null
}

type Answer = (request: Request, at: (name: string) => string) => Response

const page = (status: number, headers: Record<string, string> = {}) =>
  new Response('<head><title>A page</title></head>', { status, headers: { 'content-type': 'text/html', ...headers } })

/** What each site answers; the others are there. */
const ANSWERS: Record<string, Answer> = {
  gone: () => page(404),
  removed: () => page(410),
  lost: () => page(404),
  moved: (_, at) => page(301, { location: at('new') }),
  renamed: (_, at) => page(301, { location: at('name') }),
  'moved-behind-a-wall': (_, at) => page(308, { location: at('forbidden') }),
  wandering: (_, at) => page(302, { location: at('fine') }),
  headless: ({ method }) => page(method === 'HEAD' ? 404 : 206),
  forbidden: () => page(403),
  busy: () => page(429),
  walled: () => page(503, { server: 'cloudflare' }),
  // To a program of whoever opens it.
  mailing: () => page(301, { location: 'mailto:ada@people.example' }),
}

/** Sites on this machine, each with a name and a port of its own; `down` is none. */
export function startChecked() {
  const asked = new Map<string, Asked[]>()
  const down = freePort()
  const found = new Set<string>()
  const names = ['fine', 'new', 'name', 'secret', 'kept-out', 'robots-down', ...Object.keys(ANSWERS)]
  const at = (name: string): string => `http://${name}.localhost:${name === 'down' ? down : ports.get(name)}/${name}`
  const servers = names.map((name) => {
    const requests: Asked[] = []
    asked.set(name, requests)
    return Bun.serve({
      port: 0,
      hostname: 'localhost',
      fetch(request) {
        const { headers, method } = request
        const path = new URL(request.url).pathname
        const agent = headers.get('user-agent') ?? ''
        requests.push({ method, path, agent, range: headers.get('range') })
        if (path === '/robots.txt') {
          if (name === 'robots-down') return page(503)
          return name === 'kept-out' ? new Response('User-agent: Openall\nDisallow: /kept') : page(404)
        }
        const answer = found.has(name) ? undefined : ANSWERS[name]
        return answer === undefined ? page(200) : answer(request, at)
      },
    })
  })
  const ports = new Map(names.map((name, index) => [name, servers[index]!.port]))
  return {
    at,
    /** From now on something is there. */
    find: (name: string) => found.add(name),
    asked: (name: string): readonly Asked[] => asked.get(name) ?? [],
    stop: () => Promise.all(servers.map((server) => server.stop(true))),
  }
}
