import { afterAll, beforeAll, describe, setDefaultTimeout, test } from 'bun:test'
import { SLOW_PASSWORDS, startInProcess } from './in-process.ts'
import { MATRIX, type Runtime, type Server, startTarget, TARGETS, type Target } from './server.ts'

/** Only guards against hanging; generous, because password hashing is slow on purpose and the machine may be busy. */
const PATIENCE_MS = 180_000
setDefaultTimeout(PATIENCE_MS)

type Declare = (at: () => Server, runtime: Runtime) => void
type Start = (target: Target, env: Record<string, string>) => Promise<Server>

/** A test that no runtime or store changes, in a file that has others: nothing repeats it. */
export const testOnce = test.if(MATRIX !== 'rest')

/** Declares the same tests for each target, with a server of its own; `at()` is that server. */
export function onEveryTarget(env: Record<string, string>, declare: Declare): void {
  onEach(env, declare, startOn)
}

/** The same with slow password hashing, for tests of what happens while a password is hashed. */
export function onEveryTargetWithSlowPasswords(env: Record<string, string>, declare: Declare): void {
  onEach(env, declare, (target) =>
    runsInProcess(target) ? startInProcess(env, SLOW_PASSWORDS) : startTarget(target, env),
  )
}

/** The same with each server in its own process, so that it can be killed. */
export function onEveryProcess(env: Record<string, string>, declare: Declare): void {
  onEach(env, declare, startTarget)
}

/** Starts the service on a target; on Bun with a file, in this process. */
export function startOn(target: Target, env: Record<string, string> = {}): Promise<Server> {
  return runsInProcess(target) ? startInProcess(env) : startTarget(target, env)
}

function runsInProcess({ runtime, store }: Target): boolean {
  return runtime === 'bun' && store === 'file'
}

function onEach(env: Record<string, string>, declare: Declare, start: Start): void {
  for (const target of TARGETS) {
    describe(target.name, () => {
      let server: Server
      beforeAll(async () => {
        server = await start(target, env)
      }, PATIENCE_MS)
      afterAll(async () => {
        await server?.stop()
      })
      declare(() => server, target.runtime)
    })
  }
}
