import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import about from '../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Entry point of the client. */
export const CLIENT = 'src/sdk/openall.ts'
const COMMAND = 'src/cli/main.ts'

/** Builds the client in a folder: `openall.js`, and `openall.cjs` for `require`. */
export async function bundleClient(folder: string): Promise<void> {
  await bundle(CLIENT, folder, { naming: 'openall.js' })
  await bundle(CLIENT, folder, { naming: 'openall.cjs', format: 'cjs' })
}

/** Builds the command: `cli.js` in a folder, run by Node. */
export async function bundleCommand(folder: string): Promise<void> {
  await bundle(COMMAND, folder, { naming: 'cli.js', target: 'node', banner: '#!/usr/bin/env node' })
  chmodSync(join(folder, 'cli.js'), 0o755)
}

/** Builds the scripts of the extension: each a file of its own that imports nothing, as its worker and its pages need. */
export async function bundleExtension(folder: string, entries: readonly string[]): Promise<void> {
  for (const entry of entries) await bundle(entry, folder, { naming: '[name].js', target: 'browser', minify: true })
}

/** Bundles an entry point and all its imports into one file. */
async function bundle(
  entry: string,
  outdir: string,
  options: { naming: string; format?: 'cjs'; target?: 'node' | 'browser'; banner?: string; minify?: boolean },
): Promise<void> {
  await Bun.build({
    entrypoints: [join(ROOT, entry)],
    outdir,
    format: 'esm',
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
}
