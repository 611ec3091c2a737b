import { afterAll, beforeAll, describe, setDefaultTimeout } from 'bun:test'
import { SLOW_PASSWORDS, startHere } from './here.ts'
import { type Server, startTarget, TARGETS, type Target } from './server.ts'

// A guard against hanging, not a promise: passwords are slow on purpose, and the machine may be busy.
setDefaultTimeout(60_000)

type Declare = (at: () => Server) => void
type Start = (target: Target, env: Record<string, string>) => Promise<Server>

/** Declares the same tests once per target, each over a server of its own; `at()` is that server. */
export function onEveryTarget(env: Record<string, string>, declare: Declare): void {
  onEach(env, declare, startOn)
}

/** The same for races with a password that is being hashed, which takes as long as that needs. */
export function onEveryTargetSlowly(env: Record<string, string>, declare: Declare): void {
  onEach(env, declare, (target) => (isHere(target) ? startHere(env, SLOW_PASSWORDS) : startTarget(target, env)))
}

/** The same, each server in a process of its own: it can be killed. */
export function onEveryProcess(env: Record<string, string>, declare: Declare): void {
  onEach(env, declare, startTarget)
}

/** Starts the service on a target; that of Bun over a file without a process of its own. */
export function startOn(target: Target, env: Record<string, string> = {}): Promise<Server> {
  return isHere(target) ? startHere(env) : startTarget(target, env)
}

function isHere({ runtime, store }: Target): boolean {
  return runtime === 'bun' && store === 'file'
}

function onEach(env: Record<string, string>, declare: Declare, start: Start): void {
  for (const target of TARGETS) {
    describe(target.name, () => {
      let server: Server
      beforeAll(async () => {
        server = await start(target, env)
      })
      afterAll(async () => {
        await server?.stop()
      })
      declare(() => server)
    })
  }
}
