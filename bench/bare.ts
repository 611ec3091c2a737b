import { readFileSync } from 'node:fs'

// The bare runtime doing the same work with every advantage: no router, one route, headers and bytes prepared once.
// Arguments: the port; `launchers` or `events`; for launchers, the saved answer to send (`saveAnswer` in bundles.ts).
const [port = '', workload = '', file = ''] = process.argv.slice(2)

function launchers(): () => Response {
  const { headers, body } = JSON.parse(readFileSync(file, 'utf8')) as { headers: [string, string][]; body: string }
  const bytes = new Uint8Array(Buffer.from(body, 'base64'))
  const head = { headers: new Headers(headers) }
  return () => new Response(bytes, head)
}

function events(): (request: Request) => Promise<Response> {
  const head = { status: 204 }
  return async (request) => {
    await request.json()
    return new Response(null, head)
  }
}

Bun.serve({ port: Number(port), hostname: 'localhost', fetch: workload === 'launchers' ? launchers() : events() })
