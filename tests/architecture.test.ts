import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { operations } from '../src/api/implementations.ts'
import { SETTINGS } from '../src/config/settings.ts'
import { routes } from '../src/core/routes.ts'
import { type Declaration, OPERATIONS } from '../src/operations/table.ts'
import { FILES } from '../views/parts/static-files.ts'
import { FLOORS, ROOT } from './floors.ts'

/** What turns requests into calls of operations, and their outputs into answers. */
const TRANSPORTS = /^src\/(http|api|mcp|oauth|provider-events)\/|^views\//
interface Import {
  from: string
  /** A path below the root, or a package's name. */
  to: string
  isTypeOnly: boolean
}

const files = [...new Bun.Glob('{src,db,views,extension}/**/*.{ts,tsx}').scanSync(ROOT)].filter(
  (file) => !file.endsWith('.d.ts'),
)
const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))
const imports = files.flatMap((file) => importsOf(file, texts.get(file) ?? ''))

function importsOf(from: string, text: string): Import[] {
  const statement =
    /^(?:import|export)\s+(type\s)?(?:([^'"]*?)\bfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm
  return [...text.matchAll(statement)].map(([, type, names = '', fixed, dynamic]) => {
    const to = fixed ?? dynamic ?? ''
    const named =
      /\{([^}]*)\}/
        .exec(names)?.[1]
        ?.split(',')
        .filter((name) => name.trim() !== '') ?? []
    const isTypeOnly = type !== undefined || (named.length > 0 && named.every((name) => /^\s*type\s/.test(name)))
    return { from, to: to.startsWith('.') ? normalize(join(dirname(from), to)) : to, isTypeOnly }
  })
}

const shown = (found: Import[]) => found.map(({ from, to }) => `${from} imports ${to}`)

test('the import graph is read from the actual files', () => {
  expect(files.length).toBeGreaterThan(20)
  expect(shown(imports)).toContain('src/main.ts imports src/runtime/app.ts')
  expect(shown(imports)).toContain('src/bundles/edit/bundles.ts imports db/client.ts')
})

test('there are no import cycles, type imports included', () => {
  const importsOfFile = Map.groupBy(
    imports.filter(({ to }) => texts.has(to)),
    ({ from }) => from,
  )
  const finished = new Set<string>()
  const circles: string[] = []
  const follow = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (path.includes(file) || finished.has(file)) return
    for (const { to } of importsOfFile.get(file) ?? []) follow(to, [...path, file])
    finished.add(file)
  }
  for (const file of files) follow(file, [])
  expect(circles).toEqual([])
})

test('each floor imports only from lower ones, types included', () => {
  const floorOf = (file: string): number => {
    const floor = FLOORS.findIndex((names) => names.includes(file))
    return floor !== -1 || !file.includes('/') ? floor : floorOf(dirname(file))
  }
  // First, because the folder of a file without a floor is never found.
  expect(files.filter((file) => floorOf(file) === -1)).toEqual([])
  const folderOf = (file: string): string => (FLOORS.flat().includes(file) ? file : folderOf(dirname(file)))
  const inside = imports.filter(({ to }) => texts.has(to))
  const wrong = inside.filter(({ from, to }) => folderOf(from) !== folderOf(to) && floorOf(from) >= floorOf(to))
  expect(shown(wrong)).toEqual([])
  expect(inside.length).toBeGreaterThan(2000)
})

test('views import no database, except types of what they show and the words of rules', () => {
  const isDatabase = /^db\/(?!policy\.ts$)|^drizzle-orm|^@libsql\//
  const reaches = (file: string, seen: Set<string>): boolean => {
    if (isDatabase.test(file)) return true
    if (seen.has(file)) return false
    seen.add(file)
    return imports.some(
      ({ from, to, isTypeOnly }) => from === file && !isTypeOnly && to.startsWith('views/') && reaches(to, seen),
    )
  }
  const wrong = imports.filter(
    ({ from, to, isTypeOnly }) => from.startsWith('views/') && !isTypeOnly && reaches(to, new Set()),
  )
  expect(shown(wrong)).toEqual([])
})

test('only src/main.ts names Bun or Deno', () => {
  const named = files.filter((file) => {
    const code = (texts.get(file) ?? '').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    return /\b(?:Bun|Deno)\s*[.[]|['"](?:bun|Bun|Deno)(?::\w+)?['"]|\bglobalThis\b/.test(code)
  })
  expect(named).toEqual(['src/main.ts'])
})

test('only transports, and the app that composes them, import elysia', () => {
  const importers = imports.filter(({ to }) => to === 'elysia').map(({ from }) => from)
  expect(importers.filter((file) => !TRANSPORTS.test(file) && !/^src\/runtime\/app\.ts$/.test(file))).toEqual([])
  expect(importers).toContain('src/runtime/app.ts')
})

test('the table of operations imports no code, and the implementations match it in order', () => {
  expect(shown(imports.filter(({ from, isTypeOnly }) => from === 'src/operations/table.ts' && !isTypeOnly))).toEqual([])
  const implemented = operations.map(({ name, route, auth, dryRun, csv }) => [name, route, auth, !!dryRun, !!csv])
  const declared = Object.entries<Declaration>(OPERATIONS).map(([name, { route, auth, dryRun, csv }]) => {
    return [name, route, auth, dryRun ?? false, csv ?? false]
  })
  expect(implemented).toEqual(declared)
})

test('the SDK and the command contain no server code', () => {
  const shared =
    /^db\/rights\.ts$|^src\/(operations\/table|core\/(codes|distance|launcher-link|problem|random-id|routes|text|words)|imports\/(bytes|import|line-links|said|split)|bundles\/(content\/(content|diff)|links\/link-fields|variables\/variables))\.ts$|^package\.json$|^yaml$|^node:/
  const reaches = (file: string) => /^src\/(sdk|cli)\//.test(file) || shared.test(file)
  const wrong = imports.filter(
    ({ from, to, isTypeOnly }) => /^src\/(sdk|cli)\//.test(from) && !isTypeOnly && !reaches(to),
  )
  expect(shown(wrong)).toEqual([])
  const heavy = /^(db\/(client|file|schema)\.ts|arktype|drizzle-orm.*|elysia|better-auth.*|@libsql\/.*)$/
  const seen = new Set<string>()
  const follow = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const { from, to, isTypeOnly } of imports) if (from === file && !isTypeOnly) follow(to)
  }
  for (const file of files) if (/^src\/(sdk|cli)\//.test(file)) follow(file)
  expect([...seen].filter((file) => heavy.test(file))).toEqual([])
  expect(seen.size).toBeGreaterThan(30)
})

test('every JSX file names its JSX runtime, which Bun otherwise takes from the working directory', () => {
  const written = files.filter((file) => file.endsWith('.tsx'))
  expect(written.length).toBeGreaterThan(50)
  const says = (file: string) => texts.get(file)?.startsWith('/** @jsxImportSource @kitajs/html */\n')
  expect(written.filter((file) => !says(file))).toEqual([])
})

test('no cast hides a text from the XSS scan', () => {
  expect(files.filter((file) => /\bas ['"]safe['"]/.test(texts.get(file) ?? ''))).toEqual([])
})

test('no query reads rows by column name, which file reads do not support (db/reads.ts)', () => {
  expect(files.filter((file) => /\bdb\s*\.(?:all|get)\s*[<(]/.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([])
})

test('no file is a catch-all', () => {
  expect(files.filter((file) => /(^|\/)(utils?|helpers?|index)\.tsx?$/.test(file))).toEqual([])
})

test('the page of settings lists every setting and no other', () => {
  const page = readFileSync(join(ROOT, 'docs/settings.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([A-Z][A-Z0-9_]*)` .*$/gm)].map(([row, name = '']) => [name, row])
  expect(rows.map(([name]) => name).sort()).toEqual(Object.keys(SETTINGS).sort())
  // What a secret has to be is said where it is explained; the payment provider's says "the same".
  for (const [name, row = ''] of rows) {
    const [needed] = /at least \d+ characters, \d of them different/.exec(SETTINGS[name as 'PORT'].reader.mustBe) ?? []
    if (needed !== undefined && !row.includes('| the same for ')) expect(row).toContain(needed)
  }
})

test('a screen is one folder that imports no other screen', () => {
  const screenOf = (file: string) => /^views\/(?!parts\/)[\w-]+\/(?!parts\/)[\w-]+(?=\/)/.exec(file)?.[0]
  const screens = Map.groupBy(files, screenOf)
  screens.delete(undefined)
  expect(screens.size).toBeGreaterThan(20)
  // The routes of what apps ask are in src/oauth.
  const withoutRoutes = [...screens].filter(([, own]) => !own.some((file) => /\/routes\.tsx?$/.test(file)))
  expect(withoutRoutes.map(([folder]) => folder)).toEqual(['views/account/consent'])
  const wrong = imports.filter(
    ({ from, to }) => from.startsWith('views/') && screenOf(to) !== screenOf(from) && screenOf(to),
  )
  expect(shown(wrong).filter((line) => !/^views\/\w+\/app\.ts /.test(line))).toEqual([])
})

test('a screen has at most one style sheet, and every sheet is served', () => {
  const sheets = [...new Bun.Glob('**/*.css').scanSync(join(ROOT, 'views'))]
  expect(sheets.length).toBeGreaterThan(20)
  const screens = Map.groupBy(
    sheets.filter((file) => !/(^|\/)parts\//.test(file)),
    (file) => dirname(file),
  )
  expect([...screens.values()].filter(({ length }) => length > 1)).toEqual([])
  const served = new Set(Object.values(FILES).flatMap(({ sources }) => sources))
  expect(sheets.filter((file) => !served.has(file))).toEqual([])
})

test('addresses of pages are written in one table', () => {
  const all = (at: object): { path: string; start: string }[] =>
    Object.values(at).flatMap((inner) => ('path' in inner ? [inner] : all(inner)))
  const pages = all(routes).filter(({ path }) => path !== routes.home.path)
  expect(pages.length).toBeGreaterThan(90)
  const starts = pages.map(({ path, start }) => (start === path ? '' : start))
  const paths = pages.map(({ path }) => new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`))
  // Where something is filled in, any text may be; before an address may be an origin, behind it a query or a fragment.
  const addressesIn = (code: string) =>
    Array.from(
      code.matchAll(/(?:['"`]|[oO]rigin\}|server\})(\/(?:\$\{[^}]*\}|[\w.<>{}:-])[^\s'"`?#]*)/g),
      ([, path = '']) => path.replace(/\$\{[^}]*\}/g, 'x'),
    )
  // Launchers are small, and only Firefox without https needs this page.
  const exceptions = ['src/core/routes.ts', 'views/launcher/parts/windows.js']
  const scripts = new Bun.Glob('views/**/*.js').scanSync(ROOT)
  const spelled = [...files, ...scripts].flatMap((file) => {
    const code = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '')
    const found = addressesIn(code).filter((path) => starts.includes(path) || paths.some((page) => page.test(path)))
    return exceptions.includes(file) ? [] : found.map((path) => `${file} ${path}`)
  })
  expect(spelled).toEqual([])
})

test('files are short', () => {
  const textOf = (file: string) => texts.get(file) ?? readFileSync(join(ROOT, file), 'utf8')
  const linesOf = (file: string) => textOf(file).split('\n').length - 1
  const scriptsAndStyles = [...new Bun.Glob('{src,views}/**/*.{js,css}').scanSync(ROOT)]
  expect(scriptsAndStyles.length).toBeGreaterThan(20)
  expect([...files, ...scriptsAndStyles].filter((file) => linesOf(file) > 400)).toEqual([])
})

test('a short file has more than one reader', () => {
  const readers = (file: string) => imports.filter(({ to }) => to === file)
  // A thread's file, and one that is only loaded for a command, is a file of its own.
  const isLoaded = (file: string) =>
    files.some((from) =>
      new RegExp(`(?:import|new URL)\\('\\./${file.replace(/^.*\//, '').replace('.', '\\.')}'`).test(
        texts.get(from) ?? '',
      ),
    )
  const lone = files.filter((file) => {
    const [reader, ...others] = [...new Set(readers(file).map(({ from }) => from))]
    const isShort = (texts.get(file)?.split('\n').length ?? 0) <= 40
    return (
      isShort && reader !== undefined && others.length === 0 && dirname(reader) === dirname(file) && !isLoaded(file)
    )
  })
  expect(lone).toEqual([])
})
