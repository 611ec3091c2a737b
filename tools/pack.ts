import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import about from '../package.json' with { type: 'json' }
import { bundleClient, bundleCommand, CLIENT, licencesOf } from './bundle.ts'
import { declarationsOf } from './declarations.ts'

// Builds the npm package `openall` in a folder (default: dist/openall), to run `npm pack` or `npm publish` in: the client
// with its types, and the command. It contains no server code and has no dependencies.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const folder = resolve(process.argv[2] ?? join(ROOT, 'dist/openall'))

// The bundler writes paths relative to the working directory.
process.chdir(ROOT)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const packages = [...(await bundleClient(folder)), ...(await bundleCommand(folder))]
const declarations = declarationsOf(CLIENT)
for (const name of ['openall.d.ts', 'openall.d.cts']) writeFileSync(join(folder, name), declarations)
writeFileSync(join(folder, 'LICENSE'), licencesOf(packages, 'cli.js'))
copyFileSync(join(ROOT, 'docs/sdk.md'), join(folder, 'README.md'))
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)

function manifest() {
  const { name, version, description, keywords, license } = about
  return {
    name,
    version,
    description,
    license,
    ...repository(),
    keywords,
    type: 'module',
    engines: { node: '>=20.12' },
    sideEffects: false,
    bin: { openall: './cli.js' },
    exports: {
      '.': {
        import: { types: './openall.d.ts', default: './openall.js' },
        require: { types: './openall.d.cts', default: './openall.cjs' },
      },
      './package.json': './package.json',
    },
    // For resolvers that do not read `exports`, such as `moduleResolution: node10`.
    main: './openall.cjs',
    types: './openall.d.cts',
  }
}

/** Where this clone comes from, if that is a public address. */
function repository() {
  if (Bun.which('git') === null) return {}
  const { stdout } = Bun.spawnSync(['git', 'remote', 'get-url', 'origin'], { cwd: ROOT })
  const url = stdout.toString().trim()
  return url.startsWith('https://') ? { repository: { type: 'git', url: `git+${url}` } } : {}
}
