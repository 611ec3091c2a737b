import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleCommand } from '../../tools/bundle.ts'
import { startInProcess } from '../in-process.ts'
import { newPerson } from '../people.ts'
import { mintKey } from '../sdk/support.ts'
import { command, MATRIX } from '../server.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The command line of `openall`: from source, or from the npm package, which is built once. */
type Start = [name: string, start: () => string[]]
const ON_BUN: Start[] = [['Bun', () => [...command('bun'), join(ROOT, 'src/cli/main.ts')]]]
const ELSEWHERE: Start[] = [
  ['Deno', () => [...command('deno'), join(ROOT, 'src/cli/main.ts')]],
  ['Node, from the package', () => ['node', join(packed(), 'cli.js')]],
]
export const RUNTIMES = { usual: ON_BUN, rest: ELSEWHERE, all: [...ON_BUN, ...ELSEWHERE] }[MATRIX]

let folder: string | undefined

function packed(): string {
  if (folder === undefined) throw new Error('call packCommand() before the tests')
  return folder
}

/** Builds the command once for all tests of a process, if one of this run's runtimes needs it. */
export async function packCommand(): Promise<void> {
  if (folder !== undefined || MATRIX === 'usual') return
  const made = mkdtempSync(join(tmpdir(), 'openall-cli-'))
  process.on('exit', () => rmSync(made, { recursive: true, force: true }))
  await bundleCommand(made)
  folder = made
}

/** The packed command, and what it calls: a server, and somebody's key. */
export async function serveCommand() {
  await packCommand()
  const server = await startInProcess()
  const person = await newPerson(server)
  return { server, person, key: await mintKey(person) }
}

export interface CommandResult {
  code: number
  stdout: string
  stderr: string
}

/** Runs the command with a home folder of its own. */
export class Shell {
  readonly home = mkdtempSync(join(tmpdir(), 'openall-home-'))

  constructor(
    readonly start: readonly string[],
    readonly env: Record<string, string>,
  ) {}

  get environment(): Record<string, string> {
    const { PATH = '' } = process.env
    // Shared between tests: the runtimes' caches do not belong to the command's home.
    const caches = {
      DENO_DIR: join(tmpdir(), 'openall-deno'),
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: join(tmpdir(), 'openall-bun'),
    }
    return { PATH, HOME: this.home, ...caches, ...this.env }
  }

  /** Runs `openall` with arguments; standard input is empty by default. */
  async openall(args: string[], how: { stdin?: string; env?: Record<string, string> } = {}): Promise<CommandResult> {
    const child = Bun.spawn([...this.start, ...args], {
      cwd: this.home,
      env: { ...this.environment, ...how.env },
      stdin: new Blob([how.stdin ?? '']),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { code: await child.exited, stdout, stderr }
  }

  /** Runs a command that must succeed, with `--json`. @returns its answer. */
  async json<T = Record<string, unknown>>(args: string[], how?: Parameters<Shell['openall']>[1]): Promise<T> {
    const { code, stdout, stderr } = await this.openall([...args, '--json'], how)
    if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${stderr}`)
    return JSON.parse(stdout) as T
  }

  /** Writes a file into the home folder, executable if it begins with `#!`. */
  write(name: string, text: string): string {
    const file = join(this.home, name)
    writeFileSync(file, text)
    if (text.startsWith('#!')) chmodSync(file, 0o755)
    return file
  }

  remove(): void {
    rmSync(this.home, { recursive: true })
  }
}
