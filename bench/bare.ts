import { readFileSync } from 'node:fs'

// The bare runtime on the same work and with no handicap: no router, one thing done, headers and bytes made once.
// Arguments: the port; what to do; for launchers the file that holds one as the service answered it.
const [port = '', work = '', file = ''] = process.argv.slice(2)

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

Bun.serve({ port: Number(port), hostname: 'localhost', fetch: work === 'launchers' ? launchers() : events() })
