import { afterAll, beforeAll, describe, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { makeCertificate } from './certificate.ts'
import { SLOW_PASSWORDS, startInProcess } from './in-process.ts'
import { isLeftOut } from './needs.ts'
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

/**
 * The same, and on the usual target once more as production has it: the base address is https, and TLS ends at a proxy. What
 * tests ask of `at().origin` goes through that.
 */
export function onBothSchemes(env: Record<string, string>, declare: Declare): void {
  onEach(env, declare, startOn)
  if (MATRIX === 'rest') return
  describe.skipIf(isLeftOut('openssl'))('behind a proxy that speaks TLS', () => {
    const trusted = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    let server: Server
    beforeAll(async () => {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
      server = await startInProcess(env, undefined, behindTls)
    }, PATIENCE_MS)
    afterAll(async () => {
      await server?.stop()
      if (trusted === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = trusted
    })
    declare(() => server, 'bun')
  })
}

/** Hands on what comes over TLS as it is. */
async function behindTls(port: number): Promise<{ origin: string; stop(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'openall-tls-'))
  const { key, cert } = makeCertificate(folder, 'localhost')
  const open = new Set<Socket>()
  const front = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (client) => {
    const service = connect(port, 'localhost')
    for (const socket of [client, service]) open.add(socket.on('close', () => open.delete(socket)))
    client.on('error', () => service.destroy())
    // It may have answered before it closed on the rest of a body.
    service.on('error', () => client.end())
    client.pipe(service).pipe(client)
  })
  rmSync(folder, { recursive: true })
  await new Promise<void>((resolve) => front.listen(0, 'localhost', resolve))
  const stop = () => {
    front.close()
    for (const socket of open) socket.destroy()
  }
  return { origin: `https://localhost:${(front.address() as AddressInfo).port}`, stop }
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
