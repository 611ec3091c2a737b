import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OpenallError } from '../sdk/openall.ts'

/** A port of this computer to which a browser returns an answer. */
interface Callback {
  url: string
  /** @throws OpenallError if no answer arrives in time. */
  answer: Promise<URLSearchParams>
  stop(): void
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  connection: 'close',
}

/** Waits on a free port for an answer with this state. Ignores other requests, because pages and programs may send some too. */
export async function listen(state: string, patienceMs: number): Promise<Callback> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  const answer = new Promise<URLSearchParams>((resolve, reject) => {
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
      const isAnswer = request.method === 'GET' && pathname === '/callback' && searchParams.get('state') === state
      response.writeHead(isAnswer ? 200 : 404, HEADERS)
      const text = isAnswer ? (searchParams.has('code') ? 'Signed in.' : 'Not signed in.') : 'Nothing here.'
      // Resolves only after the page was sent, because the server closes once there is an answer.
      response.end(page(text), () => isAnswer && resolve(searchParams))
    })
    const late = new OpenallError('TIMEOUT', 'Nobody connected the command line in time. Run openall login again.')
    timer = setTimeout(() => reject(late), patienceMs)
  })
  // It may reject when nobody waits for it any more.
  answer.catch(() => {})
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    answer,
    stop() {
      clearTimeout(timer)
      server.close()
      // Browsers keep spare connections open.
      server.closeAllConnections()
    },
  }
}

function page(text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Openall</title><p>${text} You can close this page and go back to the terminal.</p></html>\n`
}
