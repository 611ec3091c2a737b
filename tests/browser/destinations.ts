/** A request that a destination got. */
interface Visit {
  path: string
  referrer: string | null
}

/** Pages on an origin of their own, which remember who asked for them and tell whether they have an opener. */
export function startDestinations() {
  const visits: Visit[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/favicon.ico') return new Response(null, { status: 204 })
      visits.push({ path: pathname, referrer: request.headers.get('referer') })
      const page = "<!doctype html><title>-</title><script>document.title = 'opener: ' + window.opener</script>"
      return new Response(page, { headers: { 'content-type': 'text/html' } })
    },
  })
  return {
    visits,
    urls: (count: number) =>
      Array.from({ length: count }, (_, index) => `http://127.0.0.1:${server.port}/${index + 1}`),
    stop: () => server.stop(true),
  }
}
