import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@libsql/client'

// What a release consists of that others have written: as a bill of materials for programs, and as notices for people.

/** Of what `process.versions` names, what is part of Bun's executable, with its licence by Bun's own list. */
const PARTS: Record<string, readonly [name: string, licence: string]> = {
  webkit: ['JavaScriptCore (WebKit)', 'LGPL 2'],
  boringssl: ['BoringSSL', 'several, see its LICENSE'],
  sqlite: ['SQLite', 'public domain'],
  zlib: ['zlib-ng', 'zlib'],
  zstd: ['zstd', 'BSD or GPL 2'],
  mimalloc: ['mimalloc', 'MIT'],
  libarchive: ['libarchive', 'several, see its COPYING'],
  libdeflate: ['libdeflate', 'MIT'],
  picohttpparser: ['picohttpparser', 'MIT or Perl'],
  llhttp: ['llhttp', 'MIT'],
  lshpack: ['ls-hpack', 'MIT'],
  uwebsockets: ['uWebSockets', 'Apache 2.0'],
  usockets: ['uSockets', 'Apache 2.0'],
  ares: ['c-ares', 'MIT'],
  lolhtml: ['lol-html', 'BSD 3-Clause'],
  tinycc: ['TinyCC', 'LGPL 2.1'],
  icu: ['ICU', 'Unicode'],
}
/** The rest: which Node Bun behaves like, and what built Bun. */
const NO_PARTS = ['bun', 'node', 'v8', 'modules', 'napi', 'openssl', 'uv', 'unicode', 'typescript', 'zig']

interface Component {
  name: string
  version: string
  licence: string
}

/** A bill of materials in the form of CycloneDX, as far as it is touched here. */
interface Bill {
  serialNumber: string
  metadata: { timestamp: string; component: { name: string; type: string } }
  components: {
    type: string
    'bom-ref': string
    name: string
    version?: string
    licenses?: { license: { name: string } }[]
  }[]
}

/**
 * Bun, its parts, and the SQLite of libSQL's native library, which npm's bill does not have.
 * @throws Error if Bun names a version that may be of a new part.
 */
async function runtimeParts(): Promise<Component[]> {
  const versions = Object.entries(process.versions as Record<string, string>)
  const unknown = versions.filter(([name]) => PARTS[name] === undefined && !NO_PARTS.includes(name))
  if (unknown.length > 0) throw new Error(`is this part of Bun? ${unknown.map(([name]) => name).join(', ')}`)
  const parts = versions.flatMap(([key, version]) => {
    const [name, licence] = PARTS[key] ?? []
    return name === undefined || licence === undefined ? [] : [{ name, version, licence }]
  })
  const client = createClient({ url: ':memory:' })
  const { rows } = await client.execute('SELECT sqlite_version() AS version')
  client.close()
  const sqlite = { name: 'SQLite (in libSQL)', version: String(rows[0]?.version), licence: 'public domain' }
  return [{ name: 'Bun', version: Bun.version, licence: 'MIT' }, ...parts, sqlite]
}

/**
 * Npm's bill of materials, completed: with Bun and its parts, a licence for each package, and without what differs between
 * two runs for one commit.
 * @param text what `npm sbom` printed in `source`.
 * @param date of the commit, ISO 8601.
 */
export async function billOfMaterials(text: string, source: string, date: string): Promise<string> {
  const bill = JSON.parse(text) as Bill
  const licences = new Map(packagesIn(source).map(({ name, version, licence }) => [`${name}@${version}`, licence]))
  for (const component of bill.components) {
    const licence = licences.get(`${component.name}@${component.version}`)
    if ((component.licenses ?? []).length === 0 && licence !== undefined)
      component.licenses = [{ license: { name: licence } }]
  }
  for (const { name, version, licence } of await runtimeParts()) {
    const purl = `pkg:generic/${encodeURIComponent(name)}@${version}`
    const licenses = [{ license: { name: licence } }]
    bill.components.push({ type: 'library', 'bom-ref': purl, name, version, licenses, ...{ purl } })
  }
  bill.metadata.timestamp = new Date(date).toISOString()
  // Npm calls it by its folder.
  Object.assign(bill.metadata.component, { name: 'openall', type: 'application' })
  bill.serialNumber = ''
  // An id of the content, in the form of a UUID of its own making (version 8).
  const digest = createHash('sha256').update(JSON.stringify(bill)).digest('hex')
  const [, ...five] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? []
  bill.serialNumber = `urn:uuid:${five[0]}-${five[1]}-8${five[2]}-8${five[3]}-${five[4]}`
  return `${JSON.stringify(bill, null, 2)}\n`
}

/** What a licence, or what belongs to one, is called among a package's files. */
const LICENCE_FILE = /^(?:(?:un)?licen[cs]e|copying|notice|third-party-licenses)\b/i

/** Everybody's licences, in one text. @param source where the production packages are installed. */
export async function notices(source: string): Promise<string> {
  const bun = `https://github.com/oven-sh/bun/blob/bun-v${Bun.version}/LICENSE.md`
  const parts = (await runtimeParts()).map(({ name, version, licence }) => `${name} ${version}: ${licence}`)
  const head = [
    'Openall contains code of others. Its own licence is in LICENSE.',
    `The executables contain Bun, statically linked with these libraries and the smaller ones that ${bun} lists. That page also says how to link Bun again with a changed JavaScriptCore or TinyCC:`,
    parts.join('\n'),
    'They, the image and the npm package contain code of these packages:',
  ]
  const each = packagesIn(source).map(({ name, version, licence, folder }) => {
    const files = [folder, join(folder, 'dist')].flatMap((place) => (existsSync(place) ? licencesIn(place) : []))
    return [`${'='.repeat(80)}\n${name} ${version}: ${licence}`, ...files].join('\n\n')
  })
  return `${[...head, ...each].join('\n\n')}\n`
}

function licencesIn(folder: string): string[] {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile() && LICENCE_FILE.test(file.name))
    .map(({ name }) => name)
  return files.sort().map((name) => readFileSync(join(folder, name), 'utf8').trim())
}

/** The packages installed in a folder, by name and version, each once. */
function packagesIn(source: string): (Component & { folder: string })[] {
  const found = new Map<string, Component & { folder: string }>()
  for (const path of new Bun.Glob('node_modules/**/package.json').scanSync({ cwd: source, dot: true })) {
    const [, folder] = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(path) ?? []
    if (folder === undefined) continue
    const about = JSON.parse(readFileSync(join(source, path), 'utf8')) as Partial<Component> & { license?: unknown }
    const { name, version, license } = about
    if (name === undefined || version === undefined) continue
    const licence = typeof license === 'string' ? license : 'see below'
    found.set(`${name}@${version}`, { name, version, licence, folder: join(source, folder) })
  }
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, about]) => about)
}
