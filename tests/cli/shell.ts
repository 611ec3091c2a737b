import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleCommand } from '../../tools/bundle.ts'
import { command, MATRIX } from '../server.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What starts the command: from its source, or as it is packed for npm, which happens once. */
type Way = [name: string, start: () => string[]]
const ON_BUN: Way[] = [['Bun', () => [...command('bun'), join(ROOT, 'src/cli/main.ts')]]]
const ELSEWHERE: Way[] = [
  ['Deno', () => [...command('deno'), join(ROOT, 'src/cli/main.ts')]],
  ['Node, from the package', () => ['node', join(packed(), 'cli.js')]],
]
export const RUNTIMES = { usual: ON_BUN, rest: ELSEWHERE, all: [...ON_BUN, ...ELSEWHERE] }[MATRIX]

let folder: string | undefined

function packed(): string {
  if (folder === undefined) throw new Error('the command is packed before the tests: await packCommand()')
  return folder
}

/** Packs the command once for all tests of a process. */
export async function packCommand(): Promise<void> {
  if (folder !== undefined) return
  const made = mkdtempSync(join(tmpdir(), 'openall-cli-'))
  process.on('exit', () => rmSync(made, { recursive: true, force: true }))
  await bundleCommand(made)
  folder = made
}

/** What a command came to. */
export interface Done {
  code: number
  stdout: string
  stderr: string
}

/** A home of its own with the command in it. */
export class Shell {
  readonly home = mkdtempSync(join(tmpdir(), 'openall-home-'))

  constructor(
    readonly start: readonly string[],
    readonly env: Record<string, string>,
  ) {}

  get environment(): Record<string, string> {
    const { PATH = '' } = process.env
    // Deno's own cache is no part of the command's home.
    return { PATH, HOME: this.home, DENO_DIR: join(tmpdir(), 'openall-deno'), ...this.env }
  }

  /** Runs `openall` with arguments; standard input is empty where none is given. */
  async openall(args: string[], how: { stdin?: string; env?: Record<string, string> } = {}): Promise<Done> {
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

  /** Runs what must work, with `--json`; gives its answer. */
  async json<T = Record<string, unknown>>(args: string[], how?: Parameters<Shell['openall']>[1]): Promise<T> {
    const { code, stdout, stderr } = await this.openall([...args, '--json'], how)
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
    return JSON.parse(stdout) as T
  }

  /** Writes a file of the home; a script where it begins with `#!`. */
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
