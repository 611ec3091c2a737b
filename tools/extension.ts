import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { type Browser, manifestFor } from '../extension/parts/manifest.ts'
import { bundleExtension, licencesOf } from './bundle.ts'

// Builds the extension in a folder for each browser (default: dist/extension/chromium and dist/extension/firefox), to load
// unpacked or to zip for a store. Two builds are the same, byte for byte.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const folder = resolve(process.argv[2] ?? join(ROOT, 'dist/extension'))

/** Files by their names in the extension; where there are several sources, one after the other. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  'popup.html': ['extension/popup/popup.html'],
  'popup.css': ['views/parts/fields.css', 'views/parts/strip.css', 'views/parts/tile.css', 'extension/popup/popup.css'],
  'options.html': ['extension/options/options.html'],
  'options.css': ['extension/options/options.css'],
  'base.css': ['views/parts/tokens.css', 'views/parts/fields.css', 'views/parts/forms.css', 'extension/parts/base.css'],
}
const TIME = new Date('2020-01-01T00:00:00Z')
const SCRIPTS = ['worker/worker.ts', 'popup/popup.ts', 'options/options.ts', 'page/launcher.ts'].map(
  (file) => `extension/${file}`,
)

await initWasm(readFileSync(fileURLToPath(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))))
const icon = readFileSync(join(ROOT, 'views/parts/icon.svg'), 'utf8')
for (const browser of ['chromium', 'firefox'] as const) await build(browser)

async function build(browser: Browser): Promise<void> {
  const to = join(folder, browser)
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  const manifest = manifestFor(browser)
  writeFileSync(join(to, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  for (const [name, sources] of Object.entries(PAGES)) {
    writeFileSync(join(to, name), sources.map((source) => readFileSync(join(ROOT, source), 'utf8')).join('\n'))
  }
  for (const [size, name] of Object.entries(manifest.icons)) {
    writeFileSync(join(to, name), new Resvg(icon, { fitTo: { mode: 'width', value: Number(size) } }).render().asPng())
  }
  const packages = await bundleExtension(to, SCRIPTS)
  writeFileSync(join(to, 'LICENSE'), licencesOf(packages, 'The extension'))
  // An archive of them has their times.
  for (const name of readdirSync(to)) utimesSync(join(to, name), TIME, TIME)
}
