import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import bcd from '@mdn/browser-compat-data' with { type: 'json' }
import { manifestFor } from '../../extension/parts/manifest.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'openall-built-'))
const BROWSERS = ['chromium', 'firefox'] as const
const MAX_BYTES = 200 * 1024

async function build(name: string, cwd = ROOT): Promise<void> {
  const command = [process.execPath, join(ROOT, 'tools/extension.ts'), join(folder, name)]
  expect(await Bun.spawn(command, { cwd, stderr: 'inherit' }).exited).toBe(0)
}

/** The files of a build, with their texts. */
const filesOf = (name: string, browser: string) =>
  readdirSync(join(folder, name, browser)).map((file) => {
    const path = join(folder, name, browser, file)
    return { file, bytes: readFileSync(path), time: statSync(path).mtimeMs }
  })

beforeAll(async () => {
  await build('one')
  await build('two', folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe.each(BROWSERS)('the extension for %s', (browser) => {
  test('is the same in every build, small, and says nothing of the machine', () => {
    const files = filesOf('one', browser)
    expect(files).toEqual(filesOf('two', browser))
    expect(files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)).toBeLessThan(MAX_BYTES)
    for (const { bytes } of files) expect(bytes.includes(ROOT)).toBe(false)
    expect(files.find(({ file }) => file === 'LICENSE')!.bytes.toString()).toStartWith(
      readFileSync(join(ROOT, 'LICENSE'), 'utf8'),
    )
  })

  test('has all the code that it runs: nothing is loaded or made from text', () => {
    for (const { file, bytes } of filesOf('one', browser)) {
      const text = bytes.toString()
      if (file.endsWith('.js'))
        expect(text).not.toMatch(/\beval\(|new Function\(|\bimport\(|importScripts|\.innerHTML\b|insertAdjacentHTML/)
      if (file.endsWith('.html')) expect(text).not.toMatch(/\b(?:src|href)="(?:\w+:|\/\/)|<script>|\sstyle=|\son\w+=/)
      if (file.endsWith('.css')) expect(text).not.toMatch(/url\((?!"?data:|""\))|@import/)
    }
    const { extension_pages: policy } = manifestFor(browser).content_security_policy
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
  })
})

// The newest of what the extension can't do without decides the oldest browser.

type Versions = Record<string, { version_added: string | false } | { version_added: string | false }[]>

/** Since when a browser has something. */
function since(path: string, browser: 'chrome' | 'firefox' | 'firefox_android'): number {
  const at = path
    .split('.')
    .reduce((part: Record<string, unknown>, name) => part[name] as never, bcd.webextensions as never)
  const { support } = (at as unknown as { __compat: { support: Versions } }).__compat
  const [newest] = [support[browser]!].flat()
  return Number(newest!.version_added)
}

/** What the extension asks a browser without looking first whether it is there. */
const NEEDS = {
  both: [
    'api.storage.session',
    'api.storage.StorageArea.onChanged',
    'api.scripting.registerContentScripts',
    'api.identity.launchWebAuthFlow',
    'api.omnibox.setDefaultSuggestion',
    'api.tabs.group',
    'api.tabGroups.update',
    'manifest.optional_host_permissions',
    'manifest.background.type',
  ],
  chrome: ['api.action.openPopup'],
  // Mozilla's check counts Firefox for Android with the other, unless a manifest says more of it.
  firefox_android: ['manifest.browser_specific_settings.gecko.data_collection_permissions'],
}

test('the oldest browsers have all that the extension asks of them, and no older ones do', () => {
  const { minimum_chrome_version: chrome } = manifestFor('chromium') as { minimum_chrome_version: string }
  const firefox = manifestFor('firefox') as unknown as {
    browser_specific_settings: { gecko: { strict_min_version: string } }
  }
  expect(Number(chrome)).toBe(Math.max(...[...NEEDS.both, ...NEEDS.chrome].map((path) => since(path, 'chrome'))))
  const needed = [
    ...NEEDS.both.map((path) => since(path, 'firefox')),
    ...NEEDS.firefox_android.map((path) => since(path, 'firefox_android')),
  ]
  expect(Number(firefox.browser_specific_settings.gecko.strict_min_version)).toBe(Math.max(...needed))
})
