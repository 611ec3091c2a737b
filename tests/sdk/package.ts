import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** An empty project with the package in it, installed from its tarball without a network. */
export interface Project {
  folder: string
  /** The paths of the package's files. */
  files: string[]
  write(name: string, text: string): string
  /** Runs a program in the project. */
  run(args: string[], env?: Record<string, string>): Promise<{ code: number; output: string; errors: string }>
  /** Type errors of each of these files, with the strictest settings. */
  check<Name extends string>(
    files: Record<Name, string>,
    resolution?: { moduleResolution: string; module: string },
  ): Promise<Record<Name, string[]>>
  remove(): void
}

/** Builds the package as published and installs it with npm. */
export async function installPackage(): Promise<Project> {
  const place = mkdtempSync(join(tmpdir(), 'openall-package-'))
  const [made, folder] = [join(place, 'made'), join(place, 'project')]
  mkdirSync(folder)
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  write('package.json', JSON.stringify({ name: 'empty', private: true, type: 'module' }))
  const run = runIn(folder)
  await must(run([process.execPath, join(ROOT, 'tools/pack.ts'), made]))
  const [tarball = ''] = JSON.parse(await must(run(['npm', 'pack', made, '--json', '--pack-destination', place]))).map(
    ({ filename }: { filename: string }) => join(place, filename),
  )
  await must(run(['npm', 'install', tarball, '--offline', '--no-audit', '--no-fund', '--cache', join(place, 'cache')]))
  const installed = join(folder, 'node_modules')
  const files = readdirSync(join(installed, 'openall'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + '/openall/'.length))
  return {
    folder,
    files,
    write,
    run,
    async check(texts, resolution) {
      const names = Object.keys(texts) as (keyof typeof texts)[]
      const files = names.map((name) => write(name, texts[name]))
      const types = { typeRoots: [join(ROOT, 'node_modules/@types')], types: ['node'] }
      const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
      const found = resolution ?? { module: 'nodenext' }
      const compilerOptions = { ...types, ...strict, noEmit: true, target: 'es2022', ...found }
      write('tsconfig.json', JSON.stringify({ compilerOptions, files }))
      const { output } = await run([process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder])
      const lines = output.split('\n').filter((line) => line !== '')
      const elsewhere = lines.filter((line) => /^\S/.test(line) && !names.some((name) => line.startsWith(`${name}(`)))
      if (elsewhere.length > 0) throw new Error(`errors elsewhere: ${elsewhere.join('\n')}`)
      const errorsIn = (name: string) => lines.filter((line) => line.startsWith(`${name}(`))
      return Object.fromEntries(names.map((name) => [name, errorsIn(name)])) as Record<(typeof names)[number], string[]>
    },
    remove: () => rmSync(place, { recursive: true }),
  }
}

function runIn(folder: string): Project['run'] {
  return async (args, env = {}) => {
    const { PATH = '', HOME = '' } = process.env
    const child = Bun.spawn(args, { cwd: folder, env: { PATH, HOME, ...env }, stdout: 'pipe', stderr: 'pipe' })
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { code: await child.exited, output, errors }
  }
}

async function must(run: ReturnType<Project['run']>): Promise<string> {
  const { code, output, errors } = await run
  if (code !== 0) throw new Error(`${output}${errors}`)
  return output
}
