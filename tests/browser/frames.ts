import type { Visitor } from '../people.ts'

/** The page that shows another in a frame. Its scripts are ours: the service's own pages cannot be framed. */
const FRAME = `<!doctype html><title>-</title>
<style>
  body { margin: 0 }
  iframe { display: block; border: 0 }
  /* WebKit takes no picture of a window in which nothing moves. */
  i { display: block; width: 1px; height: 1px; background: #000; animation: blink 0.2s infinite }
  @keyframes blink { to { opacity: 0 } }
</style>
<iframe></iframe><i></i>
<script>
  var frame = document.querySelector('iframe')
  var isShown = false
  frame.addEventListener('load', () => { isShown = true })
  function show(path, width, height) {
    isShown = false
    frame.width = width
    frame.height = height
    frame.src = path
  }
</script>`

/**
 * Serves the service's pages in frames, as a visitor sees them: a frame is as narrow as one likes, but the windows of
 * Firefox and MiniBrowser are not.
 */
export function startFrames(visitor: Visitor) {
  const { origin } = visitor.server
  const server = Bun.serve({
    hostname: 'localhost',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const html = { 'content-type': 'text/html; charset=utf-8' }
      if (pathname === '/frame') return new Response(FRAME, { headers: html })
      const body = request.method === 'POST' ? await request.text() : undefined
      const headers = Object.fromEntries(
        [...request.headers].filter(([name]) => /^(?:hx-.*|accept|content-type)$/.test(name)),
      )
      const method = request.method
      const answer = await visitor.fetch(pathname + search, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      })
      const kept = [...answer.headers]
        .filter(([name]) => /^(?:hx-.*|content-type|location)$/.test(name))
        .map(([name, value]): [string, string] => [name, value.replace(origin, '')])
      // Without the policy that forbids frames.
      return new Response(await answer.bytes(), { status: answer.status, headers: kept })
    },
  })
  return { url: `http://localhost:${server.port}/frame`, stop: () => server.stop(true) }
}
