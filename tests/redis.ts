import { freePort } from './ports.ts'
import { freeze } from './processes.ts'

/** A Redis of the tests' own, which keeps nothing on disk. */
export interface RedisServer {
  url: string
  /** SIGKILL. */
  kill(): Promise<void>
  /** Leaves it connected and silent until `thaw`, once this resolves. */
  freeze(): Promise<void>
  thaw(): void
  /** Another one, empty, on the same port. */
  restart(): Promise<void>
}

/** Starts redis-server on a free port, with a file of its settings if it is given one; `tests/prepare.ts` sees to it that there is one. */
export async function startRedis(configFile?: string): Promise<RedisServer> {
  const port = freePort()
  const start = async () => {
    const words = [
      ...(configFile === undefined ? [] : [configFile]),
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
    ]
    const child = Bun.spawn(['redis-server', ...words], { stdout: 'pipe', stderr: 'inherit' })
    const decoder = new TextDecoder()
    let output = ''
    const reader = child.stdout.getReader()
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      output += decoder.decode(read.value)
      if (output.includes('Ready to accept connections')) return child
    }
    throw new Error(`redis-server did not start: ${output}`)
  }
  let child = await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
    freeze: () => freeze(child),
    thaw: () => child.kill('SIGCONT'),
    async restart() {
      child = await start()
    },
  }
}
