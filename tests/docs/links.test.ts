import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['*.md', '{docs,bench}/**/*.md'].flatMap((glob) => [...new Bun.Glob(glob).scanSync(ROOT)])
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8').replace(/^```.*?^```$/gms, '')

/** The anchors of a page's headings on GitHub. */
function anchorsOf(page: string): string[] {
  return Array.from(read(page).matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('every link between pages leads to an existing file and heading', () => {
  expect(pages.length).toBeGreaterThan(12)
  const broken = pages.flatMap((page) =>
    Array.from(read(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g), ([, path = '', anchor]) => {
      const target = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(ROOT, target))) return `${page}: ${path}`
      return anchor === undefined || anchorsOf(target).includes(anchor) ? '' : `${page}: ${path}#${anchor}`
    }).filter((link) => link !== ''),
  )
  expect(broken).toEqual([])
})

test('every file and folder that CONTRIBUTING.md names exists', () => {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const named = Array.from(text.matchAll(/`((?:src|db|views|tests|docs)\/[^` <]*)`/g), ([, path = '']) => path)
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})
