/** A request that a destination got. */
interface Visit {
  path: string
  referrer: string | null
}

const PAGE =
  "<!doctype html><title>-</title><script>fetch('/opener', { method: 'POST', body: String(opener) })</script>"

/** Pages on an origin of their own, which remember who asked for them and tell whether they have an opener. */
export function startDestinations() {
  const visits: Visit[] = []
  const openers: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/favicon.ico') return new Response(null, { status: 204 })
      if (pathname === '/opener') {
        openers.push(await request.text())
        return new Response(null, { status: 204 })
      }
      visits.push({ path: pathname, referrer: request.headers.get('referer') })
      return new Response(PAGE, { headers: { 'content-type': 'text/html' } })
    },
  })
  return {
    visits,
    /** What `window.opener` is in each page that has run. */
    openers,
    urls: (count: number) =>
      Array.from({ length: count }, (_, index) => `http://127.0.0.1:${server.port}/${index + 1}`),
    stop: () => server.stop(true),
  }
}
