import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { asset, assetAt, assetNames } from '../views/static.ts'

// Makes the whole service one executable for this machine's kind: `bun tools/single.ts [file]` (default: dist/openall-server).
// libSQL's native part, the migrations and the files of the pages ride along; it needs no node_modules beside it.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const outfile = process.argv[2] ?? join(ROOT, 'dist/openall-server')
const native = `@libsql/${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`

/** What a module reads from the disk beside it, and what stands for that in the executable. */
const EMBEDDED: { file: RegExp; replace: [RegExp, string][] }[] = [
  {
    file: /node_modules\/libsql\/(?:index|promise)\.js$/,
    replace: [[/require\(`@libsql\/\$\{target\}`\)/, `require('${native}')`]],
  },
  {
    file: /db\/client\.ts$/,
    replace: [
      [
        /return readMigrationFiles\(\{[^}]*\}\)/,
        `return ${JSON.stringify(readMigrationFiles({ migrationsFolder: join(ROOT, 'db/migrations') }))}`,
      ],
    ],
  },
  {
    file: /db\/replica\.ts$/,
    replace: [[/new URL\('\.\/replica-worker\.ts', import\.meta\.url\)/, "'./db/replica-worker.ts'"]],
  },
  {
    file: /views\/static\.ts$/,
    replace: [
      [/const HTMX = .*/, "const HTMX = 'htmx'"],
      [/const body = sources\.map\([^\n]*/, `const body = ${JSON.stringify(bodies())}[name] ?? ''`],
    ],
  },
]

const built = await Bun.build({
  entrypoints: [join(ROOT, 'src/main.ts'), join(ROOT, 'db/replica-worker.ts')],
  compile: { outfile },
  minify: { whitespace: true, syntax: true },
  plugins: [
    {
      name: 'embedded',
      setup(build) {
        for (const { file, replace } of EMBEDDED) build.onLoad({ filter: file }, ({ path }) => embed(path, replace))
      },
    },
  ],
})
console.log(built.success ? outfile : built.logs.join('\n'))
process.exitCode = built.success ? 0 : 1

function embed(path: string, replace: [RegExp, string][]) {
  let contents = readFileSync(path, 'utf8')
  for (const [pattern, by] of replace) {
    if (!pattern.test(contents)) throw new Error(`${path} has changed: nothing in it matches ${pattern}`)
    contents = contents.replace(pattern, () => by)
  }
  return { contents, loader: path.endsWith('.js') ? ('js' as const) : ('ts' as const) }
}

/** The files of the pages by their names without the hash. */
function bodies(): Record<string, string> {
  return Object.fromEntries(assetNames.map((name) => [name, assetAt(asset(name))?.body ?? '']))
}
