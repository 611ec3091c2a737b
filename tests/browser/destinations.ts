import type { BrowserContext } from 'playwright-core'

/** A request to a destination. */
interface Visit {
  path: string
  referrer: string | null
}

// A beacon, because browsers may hold back the requests of tabs that nobody sees.
const PAGE = "<!doctype html><title>-</title><script>navigator.sendBeacon('/opener', String(opener))</script>"

/**
 * Starts pages on another origin, which record requests and report whether they have an opener. With `?wait=<ms>` they are slow.
 */
export function startDestinations() {
  const visits: Visit[] = []
  const addresses: string[] = []
  const openers: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      if (pathname === '/favicon.ico') return new Response(null, { status: 204 })
      if (pathname === '/opener') {
        openers.push(await request.text())
        return new Response(null, { status: 204 })
      }
      addresses.push(pathname + search)
      visits.push({ path: pathname, referrer: request.headers.get('referer') })
      const wait = new URLSearchParams(search).get('wait')
      if (wait !== null) await Bun.sleep(Number(wait))
      return new Response(PAGE, { headers: { 'content-type': 'text/html' } })
    },
  })
  return {
    visits,
    /** The path and query of each visit, as they were sent. */
    addresses,
    /** `window.opener` of each page so far, as text. */
    openers,
    urls: (count: number) =>
      Array.from({ length: count }, (_, index) => `http://127.0.0.1:${server.port}/${index + 1}`),
    stop: () => server.stop(true),
  }
}

/** The addresses off the service that tabs ask for; no site is asked. */
export async function askedIn(context: BrowserContext, { origin }: { origin: string }): Promise<string[]> {
  const asked: string[] = []
  await context.route(
    (url) => url.origin !== origin,
    (route) => {
      if (route.request().isNavigationRequest()) asked.push(route.request().url())
      return route.fulfill({ contentType: 'text/html', body: '<title>A site</title>' })
    },
  )
  return asked
}
