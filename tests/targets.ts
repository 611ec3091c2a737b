import { afterAll, beforeAll, describe, setDefaultTimeout } from 'bun:test'
import { type Server, startTarget, TARGETS } from './server.ts'

// A guard against hanging, not a promise: passwords are slow on purpose, and the machine may be busy.
setDefaultTimeout(60_000)

/** Declares the same tests once per target, each over a server of its own; `at()` is that server. */
export function onEveryTarget(env: Record<string, string>, declare: (at: () => Server) => void): void {
  for (const target of TARGETS) {
    describe(target.name, () => {
      let server: Server
      beforeAll(async () => {
        server = await startTarget(target, env)
      })
      afterAll(async () => {
        await server?.stop()
      })
      declare(() => server)
    })
  }
}
