import { need } from './needs.ts'
import { freePort } from './ports.ts'
import { freeze } from './processes.ts'

/** A Redis server that keeps nothing on disk. */
export interface RedisServer {
  url: string
  /** SIGKILL. */
  kill(): Promise<void>
  /** Once this resolves, connections stay open but unanswered until `thaw`. */
  freeze(): Promise<void>
  thaw(): void
  /** Starts another one, empty, on the same port. */
  restart(): Promise<void>
}

/** Starts redis-server on a free port, optionally with a settings file. */
export async function startRedis(configFile?: string): Promise<RedisServer> {
  need('redis-server')
  const port = freePort()
  const start = async () => {
    const args = [
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
    const child = Bun.spawn(['redis-server', ...args], { stdout: 'pipe', stderr: 'inherit' })
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
