import { Webhook as Standard } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'
import { freePort } from './ports.ts'

/** What a receiver got, verified with the official libraries if it has a secret. */
interface Received {
  type: string
  timestamp: string
  data: {
    slug: string
    url: string
    title: string | null
    versionNumber: number
    urls: string[]
    owner: object
    externalId: string | null
    metadata: object | null
    deletedAt?: string
  }
  /** Its `webhook-id`. */
  id: string
  path: string
  headers: Headers
  text: string
}

/** A receiver of webhooks on this machine. */
export interface Receiver {
  url: string
  /** Everything that arrived, oldest first. */
  received: Received[]
  /** The secret to verify with; set it once the webhook exists. */
  secret: string | null
  /** How it answers; by default 204. */
  answer: (received: Received) => Response | Promise<Response>
  /** Closes it, connections included. */
  stop(): Promise<void>
  /** Listens again on the same port. */
  start(): void
}

/** Starts a receiver. @throws from the request, so that the sender gets a 500, if a signature is wrong. */
export function startReceiver(): Receiver {
  const port = freePort()
  const received: Received[] = []
  const listen = () =>
    Bun.serve({
      port,
      hostname: '127.0.0.1',
      async fetch(request) {
        const text = await request.text()
        const headers = Object.fromEntries(request.headers)
        if (receiver.secret !== null) {
          new Standard(receiver.secret).verify(text, headers)
          const renamed = ['id', 'timestamp', 'signature'].map((name) => [
            `svix-${name}`,
            headers[`webhook-${name}`] ?? '',
          ])
          new Svix(receiver.secret).verify(text, Object.fromEntries(renamed))
        }
        const got = {
          ...(JSON.parse(text) as Pick<Received, 'type' | 'timestamp' | 'data'>),
          id: request.headers.get('webhook-id') ?? '',
          path: new URL(request.url).pathname,
          headers: request.headers,
          text,
        }
        received.push(got)
        return receiver.answer(got)
      },
      error: (error) => new Response(String(error), { status: 500 }),
    })
  let server = listen()
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    secret: null,
    answer: () => new Response(null, { status: 204 }),
    stop: () => server.stop(true),
    start() {
      server = listen()
    },
  }
  return receiver
}
