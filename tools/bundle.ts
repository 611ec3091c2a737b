import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import about from '../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Entry point of the client. */
export const CLIENT = 'src/sdk/openall.ts'
const COMMAND = 'src/cli/main.ts'

// Each returns the names of the packages that it bundles, for `licencesOf`.

/** Builds the client in a folder: `openall.js`, and `openall.cjs` for `require`. */
export async function bundleClient(folder: string): Promise<string[]> {
  const packages = await bundle(CLIENT, folder, { naming: 'openall.js' })
  return [...packages, ...(await bundle(CLIENT, folder, { naming: 'openall.cjs', format: 'cjs' }))]
}

/** Builds the command: `cli.js` in a folder, run by Node. */
export async function bundleCommand(folder: string): Promise<string[]> {
  const packages = await bundle(COMMAND, folder, { naming: 'cli.js', target: 'node', banner: '#!/usr/bin/env node' })
  chmodSync(join(folder, 'cli.js'), 0o755)
  return packages
}

/** Builds the scripts of the extension: each a file of its own that imports nothing, as its worker and its pages need. */
export async function bundleExtension(folder: string, entries: readonly string[]): Promise<string[]> {
  const packages: string[] = []
  for (const entry of entries)
    packages.push(...(await bundle(entry, folder, { naming: '[name].js', target: 'browser', minify: true })))
  return packages
}

/** Our licence and those of bundled packages. @param where the code of the packages is. */
export function licencesOf(packages: readonly string[], where: string): string {
  const others = [...new Set(packages)].sort().map((name) => {
    const texts = ['LICENSE', 'dist/THIRD-PARTY-LICENSES.md']
      .map((file) => join(ROOT, 'node_modules', name, file))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'utf8'))
    if (texts.length === 0) throw new Error(`${name} is bundled but has no licence file`)
    return `\n---\n\n${where} contains code from ${name}:\n\n${texts.join('\n')}`
  })
  return readFileSync(join(ROOT, 'LICENSE'), 'utf8') + others.join('')
}

/** Bundles an entry point and all its imports into one file. */
async function bundle(
  entry: string,
  outdir: string,
  options: { naming: string; format?: 'cjs'; target?: 'node' | 'browser'; banner?: string; minify?: boolean },
): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: [join(ROOT, entry)],
    outdir,
    format: 'esm',
    metafile: true,
    ...options,
    plugins: [
      {
        name: 'only version and description from package.json',
        setup(build) {
          const contents = JSON.stringify({ version: about.version, description: about.description })
          build.onLoad({ filter: /\/package\.json$/ }, () => ({ contents, loader: 'json' }))
        },
      },
    ],
  })
  const files = Object.keys(metafile?.inputs ?? {})
  return files.flatMap((file) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [])
}
