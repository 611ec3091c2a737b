import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import about from '../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Where the client begins. */
export const CLIENT = 'src/sdk/openall.ts'
const COMMAND = 'src/cli/main.ts'

/** Makes `openall.js` in a folder: the client. */
export async function bundleClient(folder: string): Promise<void> {
  await bundle(CLIENT, folder, { naming: 'openall.js' })
}

/** Makes `cli.js` in a folder: the command, to be run by Node. */
export async function bundleCommand(folder: string): Promise<void> {
  await bundle(COMMAND, folder, { naming: 'cli.js', target: 'node', banner: '#!/usr/bin/env node' })
  chmodSync(join(folder, 'cli.js'), 0o755)
}

/** Makes one file of an entry and all that it imports. */
async function bundle(
  entry: string,
  outdir: string,
  how: { naming: string; target?: 'node'; banner?: string },
): Promise<void> {
  await Bun.build({
    entrypoints: [join(ROOT, entry)],
    outdir,
    format: 'esm',
    ...how,
    plugins: [
      {
        name: 'of package.json only what is said of the package',
        setup(build) {
          const contents = JSON.stringify({ version: about.version, description: about.description })
          build.onLoad({ filter: /\/package\.json$/ }, () => ({ contents, loader: 'json' }))
        },
      },
    ],
  })
}
