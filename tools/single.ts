import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { knownMigrations } from '../db/known-migrations.ts'
import { GUIDES, guideText } from '../src/api/guides.ts'
import { commitOfBuild } from '../src/runtime/built.ts'
import { guidePicture, guidePictures } from '../views/docs/guide/routes.tsx'
import { fontFiles } from '../views/launcher/launcher/picture-fonts.ts'
import { asset, assetAt, assetNames } from '../views/parts/static.ts'

// Builds the whole service as one executable: `bun tools/single.ts [file] [arm64]` (default: dist/openall-server, for this
// processor). It contains libSQL's native module, the migrations and the static files, and needs no node_modules. COMMIT says
// what it is made from where git cannot (Dockerfile).

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const outfile = process.argv[2] ?? join(ROOT, 'dist/openall-server')
const libc = process.platform === 'linux' ? '-gnu' : ''
const isForArm = process.argv[3] === 'arm64'
const native = `@libsql/${process.platform}-${isForArm ? 'arm64' : process.arch}${libc}`

/**
 * If `libsql.node` is next to the executable, as in the image, it is loaded from there. The embedded copy has to be
 * unpacked into the temporary folder first, and a hardened system may not allow loading code from there.
 */
const nativePart = `(unpacked) => {
  const beside = require('node:path').join(require('node:path').dirname(process.execPath), 'libsql.node')
  return require('node:fs').existsSync(beside) ? require(beside) : unpacked()
}`

/** What preview pictures, and icons, are drawn with, as the executable keeps it in itself. */
const PICTURES_WITH = ['@resvg/resvg-wasm/index_bg.wasm', ...fontFiles()]
const ICONS_WITH = ['@resvg/resvg-wasm/index_bg.wasm', '@cf-wasm/photon/photon.wasm']

/** Has a drawing process read the files that it needs from the executable. */
const withFiles = (paths: readonly string[]): [RegExp, string][] => [
  [/^/, paths.map((path, at) => `import file${at} from '${path}' with { type: 'file' }\n`).join('')],
  [
    /fileURLToPath\(import\.meta\.resolve\(path\)\)/,
    `[${paths.map((_, at) => `file${at}`)}][${JSON.stringify(paths)}.indexOf(path)]`,
  ],
]

/** Code that reads files next to its module, and what replaces it in the executable. */
const EMBEDDED: { file: RegExp; replace: [RegExp, string][] }[] = [
  {
    file: /node_modules\/libsql\/(?:index|promise)\.js$/,
    replace: [[/require\(`@libsql\/\$\{target\}`\)/, `(${nativePart})(() => require('${native}'))`]],
  },
  {
    file: /db\/known-migrations\.ts$/,
    replace: [[/return readMigrations\(MIGRATIONS\)/, `return ${JSON.stringify(knownMigrations())}`]],
  },
  {
    file: /src\/runtime\/built\.ts$/,
    replace: [[/return execFileSync\([^\n]*/, `return ${JSON.stringify(process.env.COMMIT || commitOfBuild())}`]],
  },
  {
    file: /db\/scheduled-backup\.ts$/,
    replace: [[/new URL\('\.\/backup-worker\.ts', import\.meta\.url\)/, "'./db/backup-worker.ts'"]],
  },
  {
    file: /src\/imports\/reading\.ts$/,
    replace: [[/new URL\('\.\/reading-worker\.ts', import\.meta\.url\)/, "'./src/imports/reading-worker.ts'"]],
  },
  { file: /views\/launcher\/launcher\/picture-fonts\.ts$/, replace: withFiles(PICTURES_WITH) },
  {
    file: /node_modules\/harfbuzzjs\/dist\/harfbuzz\.js$/,
    replace: [
      [/^/, "import shaper from './harfbuzz.wasm' with { type: 'file' }\n"],
      [/new URL\("harfbuzz\.wasm",import\.meta\.url\)\.href/, 'shaper'],
    ],
  },
  { file: /src\/icons\/draw-process\.ts$/, replace: withFiles(ICONS_WITH) },
  {
    file: /src\/api\/guides\.ts$/,
    replace: [[/return readFileSync\(.*/, `return ${JSON.stringify(guides())}[name] ?? ''`]],
  },
  {
    file: /views\/docs\/guide\/routes\.tsx$/,
    replace: [
      [
        /return new Uint8Array\(readFileSync\(.*/,
        `return new Uint8Array(Buffer.from(${JSON.stringify(pictures())}[name] ?? '', 'base64'))`,
      ],
    ],
  },
  {
    file: /views\/parts\/static-files\.ts$/,
    replace: [
      [/const HTMX = .*/, "const HTMX = 'htmx'"],
      [/const FACE = [^)]*\)/, "const FACE = 'face'"],
    ],
  },
  {
    file: /views\/parts\/static\.ts$/,
    replace: [[/const body = bodyOf\([^\n]*/, `const body = ${bodies()}[name] ?? ''`]],
  },
]

/** Where an executable made by Bun finds its own files. */
const INSIDE = '/$bunfs/root'

/** Which of them there were: a pattern that matches no file is passed over silently. */
const embedded = new Set<RegExp>()
const built = await Bun.build({
  entrypoints: ['src/main.ts', 'db/backup-worker.ts', 'src/imports/reading-worker.ts'].map((file) => join(ROOT, file)),
  compile: isForArm ? { outfile, target: 'bun-linux-arm64' } : { outfile },
  // Bun would write where a package lay when it was built: another machine's path, and another build's bytes.
  define: { __dirname: JSON.stringify(INSIDE), __filename: JSON.stringify(`${INSIDE}/openall-server`) },
  splitting: true,
  minify: { whitespace: true, syntax: true },
  plugins: [
    {
      name: 'embedded',
      setup(build) {
        for (const { file, replace } of EMBEDDED) {
          build.onLoad({ filter: file }, ({ path }) => {
            embedded.add(file)
            return embed(path, replace)
          })
        }
      },
    },
  ],
})
const unmatched = EMBEDDED.filter(({ file }) => !embedded.has(file))
if (unmatched.length > 0) throw new Error(`no file is called ${unmatched.map(({ file }) => file).join(', ')}`)
console.log(built.success ? outfile : built.logs.join('\n'))
process.exitCode = built.success ? 0 : 1

function embed(path: string, replace: [RegExp, string][]) {
  let contents = readFileSync(path, 'utf8')
  for (const [pattern, replacement] of replace) {
    if (!pattern.test(contents)) throw new Error(`${path} has changed: nothing in it matches ${pattern}`)
    contents = contents.replace(pattern, () => replacement)
  }
  return { contents, loader: path.slice(path.lastIndexOf('.') + 1) as 'js' | 'ts' | 'tsx' }
}

/** The guides by name. */
function guides(): Record<string, string> {
  return Object.fromEntries(GUIDES.map((name) => [name, guideText(name)]))
}

/** The pictures of guides by name, in Base64. */
function pictures(): Record<string, string> {
  return Object.fromEntries(
    [...guidePictures()].map((name) => [name, Buffer.from(guidePicture(name)).toString('base64')]),
  )
}

/** The static files by name without the hash, as an expression. */
function bodies(): string {
  const entries = assetNames.map((name) => {
    const body = assetAt(asset(name))?.body ?? ''
    const bytes = typeof body === 'string' ? undefined : JSON.stringify(Buffer.from(body).toString('base64'))
    return `${JSON.stringify(name)}: ${bytes === undefined ? JSON.stringify(body) : `new Uint8Array(Buffer.from(${bytes}, 'base64'))`}`
  })
  return `({ ${entries.join(', ')} })`
}
