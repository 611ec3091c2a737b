import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import about from '../package.json' with { type: 'json' }
import { bundleClient, bundleCommand, CLIENT } from './bundle.ts'

// Builds the npm package `openall` in a folder (default: dist/openall), to run `npm pack` or `npm publish` in: the client
// with its types, and the command. It contains no server code and has no dependencies.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** An import of one of our modules in a declaration file. */
const RELATIVE = /(['"])(\.{1,2}\/[^'"]+)\.ts\1/g
const folder = resolve(process.argv[2] ?? join(ROOT, 'dist/openall'))

// The bundler writes paths relative to the working directory.
process.chdir(ROOT)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
await bundleClient(folder)
await bundleCommand(folder)
declare(CLIENT)
writeFileSync(join(folder, 'LICENSE'), licences(['openall.js', 'cli.js']))
copyFileSync(join(ROOT, 'docs/sdk.md'), join(folder, 'README.md'))
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)

function manifest() {
  const { name, version, description, license } = about
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines: { node: '>=20.12' },
    sideEffects: false,
    bin: { openall: './cli.js' },
    exports: { '.': { types: `./types/${declarationOf(CLIENT)}`, default: './openall.js' } },
  }
}

/** Our licence and those of the bundled packages. */
function licences(files: string[]): string {
  const bundled = new Set(
    files.flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      return Array.from(text.matchAll(/^\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm), ([, name = '']) => name)
    }),
  )
  const others = [...bundled].sort().map((name) => {
    const texts = ['LICENSE', 'dist/THIRD-PARTY-LICENSES.md']
      .map((file) => join(ROOT, 'node_modules', name, file))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'utf8'))
    if (texts.length === 0) throw new Error(`${name} is bundled but has no licence file`)
    return `\n---\n\ncli.js contains code from ${name}:\n\n${texts.join('\n')}`
  })
  return readFileSync(join(ROOT, 'LICENSE'), 'utf8') + others.join('')
}

/** Has tsc emit declarations for an entry point and its imports, and keeps those that the entry's declaration reaches. */
function declare(entry: string): void {
  const all = join(folder, 'all-types')
  const config = join(folder, 'tsconfig.json')
  const compilerOptions = { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: ROOT, outDir: all }
  const only = { include: [], files: [join(ROOT, entry)], extends: join(ROOT, 'tsconfig.json') }
  const types = { allowJs: false, checkJs: false, typeRoots: [join(ROOT, 'node_modules')] }
  writeFileSync(config, JSON.stringify({ ...only, compilerOptions: { ...compilerOptions, ...types } }))
  const tsc = Bun.spawnSync([process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config])
  if (tsc.exitCode !== 0) throw new Error(`tsc reports errors in the client:\n${tsc.stdout}${tsc.stderr}`)
  keep(entry, all, new Set())
  rmSync(all, { recursive: true })
  rmSync(config)
}

function keep(file: string, all: string, kept: Set<string>): void {
  if (kept.has(file)) return
  kept.add(file)
  const text = readFileSync(join(all, declarationOf(file)), 'utf8')
  const target = join(folder, 'types', declarationOf(file))
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text.replaceAll(RELATIVE, '$1$2.js$1'))
  for (const [, , path] of text.matchAll(RELATIVE)) keep(normalize(join(dirname(file), `${path}.ts`)), all, kept)
}

function declarationOf(file: string): string {
  return file.replace(/ts$/, 'd.ts')
}
