/** Below the ports that systems hand out to connections (Linux: from 32768): any program may hold one of those. */
const [FIRST, LAST] = [11_000, 32_000]

/** Held while this process lives: a test may stop its server and start it again on the same port. */
const claims: unknown[] = []

/** A port that nobody listens on, and that no other test process on this machine gets while this one runs. */
export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    if (claim(port) && isUnused(port)) return port
  }
}

/** Claims a port by an abstract socket, which has no file and ends with the process, however that ends. Only Linux has them. */
function claim(port: number): boolean {
  if (process.platform !== 'linux') return true
  try {
    const held = Bun.listen({ unix: `\0openall-tests-port-${port}`, socket: { data() {} } })
    held.unref()
    claims.push(held)
    return true
  } catch {
    return false
  }
}

/** Whether nobody listens on any address of the machine, which may lack IPv6. */
function isUnused(port: number): boolean {
  return ['0.0.0.0', '::'].every((hostname) => {
    try {
      Bun.listen({ hostname, port, socket: { data() {} } }).stop(true)
      return true
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'EADDRINUSE'
    }
  })
}
