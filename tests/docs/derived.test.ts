import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SUPPORTED_PROTOCOL_VERSIONS as OLDER } from '@modelcontextprotocol/server'
import '../../src/core/schemas.ts'
import { SCOPES } from '../../db/rights.ts'
import { GUIDES } from '../../src/api/guides.ts'
import { operations } from '../../src/api/implementations.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { STATUS } from '../../src/core/codes.ts'
import { DAY_MS } from '../../src/core/time.ts'
import { isTool } from '../../src/mcp/tools.ts'
import { ERROR_DOCS } from '../../src/operations/error-docs.ts'
import { type Operation, scopeOf, whenRepeated } from '../../src/operations/operation.ts'
import { retentionRules } from '../../src/retention/rules.ts'
import { methodName } from '../../src/sdk/client.ts'
import { pageOf } from './run.ts'

// Lists and tables of the documents that say what the code says too.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The cells of the rows of a text's tables, without their headings. */
const rowsOf = (text: string) =>
  Array.from(text.matchAll(/^\| (.*) \|$/gm), ([, row = '']) => row.split(' | ').map((cell) => cell.trim())).filter(
    ([first = '']) => !/^-+$/.test(first),
  )
/** The part of a page below a heading. */
const sectionOf = (page: string, heading: string) => page.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
/** What stands in code within a text. */
const codeIn = (text: string) => Array.from(text.matchAll(/`([^`]+)`/g), ([, code = '']) => code)
const namesOf = (which: (operation: Operation) => unknown) =>
  operations.filter((operation) => which(operation) !== undefined).map(({ name }) => name)
/** The names in the brackets, or before the words, of a sentence. */
function namedIn(page: string, sentence: RegExp): string[] {
  const [, names = ''] = sentence.exec(page.replace(/\s+/g, ' ')) ?? []
  return codeIn(names).sort()
}

test('errors.md has every error code below its status, with what it means', () => {
  const byStatus = pageOf('errors.md')
    .split(/^## (?=\d)/m)
    .slice(1)
  const told = byStatus.flatMap((part) =>
    Array.from(part.matchAll(/^### `(\w+)`\n\n([^#]+?)\n/gm), ([, code, words]) => [part.slice(0, 3), code, words]),
  )
  const known = Object.entries(STATUS).sort(([, one], [, other]) => one - other)
  expect(told).toEqual(known.map(([code, status]) => [`${status}`, code, ERROR_DOCS[code as 'CLOSED']]))
})

test('api-keys.md lists all scopes, lowest first', () => {
  const listed = rowsOf(pageOf('api-keys.md')).map(([first = '']) => codeIn(first)[0] ?? '')
  expect(listed.filter((name) => (SCOPES as readonly string[]).includes(name))).toEqual([...SCOPES])
})

test('what takes an idempotency key, an expected version or a dry run is listed where documents say so', () => {
  const [keys, mcp, sdk] = [pageOf('api-keys.md'), pageOf('mcp.md'), pageOf('sdk.md')]
  const [idempotent, versioned, dry] = [
    namesOf(({ idempotent }) => idempotent).sort(),
    namesOf(({ versioned }) => versioned).sort(),
    namesOf(({ dryRun }) => dryRun).sort(),
  ]
  expect(namedIn(keys, /each time they are sent \((.*?)\) take an `Idempotency-Key`/)).toEqual(idempotent)
  expect(namedIn(keys, /those that change a bundle \((.*?)\) fail with 412/)).toEqual(versioned)
  expect(namedIn(mcp, /and as text\. ([^.]*?) take `dryRun`/)).toEqual(dry)
  expect(namedIn(mcp, /saves nothing\. ([^.]*?) take `expectedVersion`/)).toEqual(
    versioned.filter((name) => operations.some((one) => one.name === name && isTool(one))),
  )
  expect(namedIn(mcp, /bundle since\. ([^.]*?) take an `idempotencyKey`/)).toEqual(idempotent)
  expect(namedIn(sdk, /generates an idempotency key: ([^.]*)\./)).toEqual(idempotent.map(methodName).sort())
  expect(namedIn(sdk, /\n?## Dry runs ([^.]*\.dryRun.*?) return/)).toEqual(
    dry.map((name) => `${methodName(name)}.dryRun`),
  )
  const repeatable = operations.filter(({ effect, route }) => effect !== undefined && !route.startsWith('GET '))
  expect(namedIn(sdk, /safe to repeat are retried: (.*?) whose repetition changes nothing/)).toEqual(
    repeatable.map(({ name }) => methodName(name)).sort(),
  )
})

test('what takes no idempotency key is listed with what it does when it is sent again', () => {
  const told = operations.flatMap((operation) => {
    const repeated = whenRepeated(operation)
    return repeated === null ? [] : [[`\`${operation.name}\``, repeated]]
  })
  expect(rowsOf(sectionOf(pageOf('api.md'), 'Idempotency keys'))).toEqual([['Call', 'Sent again'], ...told])
  const silent = operations.filter(({ effect, again }) => effect === undefined && again === undefined)
  const kept = silent.filter((operation) => whenRepeated(operation) !== null)
  expect(kept.map(({ name }) => name)).toEqual([])
})

test('mcp.md lists each tool beside the scope it needs, and what is no tool', () => {
  const page = pageOf('mcp.md')
  const listed = rowsOf(page.split('\n## ', 1)[0] ?? '').map(([scope = '', tools = '']) => [
    scope,
    codeIn(tools).sort(),
  ])
  const scopes = ['links:read', 'links:propose', 'links:write', 'webhooks:write', 'keys:admin']
  const tools = operations.filter(isTool)
  const needing = (scope: string) =>
    tools.filter((operation) => (scopeOf(operation) ?? 'links:read') === scope).map(({ name }) => name)
  expect(listed.slice(1)).toEqual(scopes.map((scope) => [`\`${scope}\``, needing(scope).sort()]))
  expect(namedIn(page, /Every scope has (.*?), which need none/)).toEqual(
    tools
      .filter((operation) => scopeOf(operation) === undefined)
      .map(({ name }) => name)
      .sort(),
  )
  expect(namedIn(page, /except (what viewers send .*?), which/)).toEqual(
    operations.flatMap((operation) => (isTool(operation) ? [] : [operation.name])).sort(),
  )
})

test('the decisions say which MCP package is used where, and for which revisions', () => {
  const page = pageOf('decisions/api.md')
  const rows = rowsOf(sectionOf(page, 'MCP')).slice(1)
  const oauth = ['routes', 'client-documents'].map((name) => readFileSync(join(ROOT, `src/oauth/${name}.ts`), 'utf8'))
  const schemas = new Set(oauth.join('\n').match(/\bOAuth\w+Schema\b/g))
  expect([schemas.size, page.includes('four of its schemas')]).toEqual([4, true])
  const sources = (folder: string) =>
    [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync(ROOT)].map((path) => readFileSync(join(ROOT, path), 'utf8'))
  const folders = ['src/mcp', 'src/oauth', 'tests'].map((folder) => [folder, sources(folder).join('\n')] as const)
  const others = sources('src').join('\n').split("from '@modelcontextprotocol/").length
  expect(others).toBe(
    folders.slice(0, 2).flatMap(([, text]) => text.split("from '@modelcontextprotocol/").slice(1)).length + 1,
  )
  for (const [name = '', revisions = '', usedBy = ''] of rows) {
    const [library = ''] = codeIn(name)
    const users = folders.filter(([, text]) => new RegExp(`from '${library}[/']`).test(text)).map(([folder]) => folder)
    const said = ['src/mcp', 'src/oauth', 'tests'].filter((folder) => usedBy.includes(folder))
    // Tests read only its list of revisions.
    expect([library, said]).toEqual([library, library.endsWith('/server') ? ['src/mcp'] : users])
    expect([library, revisions.split(' to ')[0]]).toEqual([library, OLDER.at(-1) ?? ''])
  }
  expect(rows.map(([, revisions = '']) => revisions.split(' to ')[1])).toEqual(['2026-07-28', '2026-07-28', OLDER[0]])
})

test('cors.md names what a key can call nowhere but here', () => {
  const calls = rowsOf(pageOf('cors.md')).flatMap(([call = '', says = '']) => (says.startsWith('never') ? [call] : []))
  const named = {
    record_event: 'counting a click',
    report_bundle: 'reporting a bundle',
    get_tabs: '`get_tabs`',
    list_listed: '`list_listed`',
  }
  const unshared = operations.filter(({ auth, keyScope }) => auth === 'public' && keyScope === undefined)
  expect(unshared.map(({ name }) => name).sort()).toEqual(Object.keys(named).sort())
  for (const text of Object.values(named)) expect(calls.join('\n')).toContain(text)
})

test('settings.md names every choice, and the bounds as they are', () => {
  const rows = new Map(
    rowsOf(pageOf('settings.md')).map(([name = '', preset = '', says = '']) => [name, `${preset} ${says}`]),
  )
  for (const [setting, { reader, fallback }] of Object.entries(SETTINGS)) {
    const says = rows.get(`\`${setting}\``) ?? ''
    const [, least, most] = /`(\d+)` to `(\d+)`/.exec(says) ?? []
    if (least !== undefined)
      expect([setting, reader.mustBe]).toEqual([setting, `a whole number from ${least} to ${most}`])
    // A choice between few words; what is not the default and not named would be found by trying only.
    const choices = /^\w+(?:, \w+)* or \w+$/.test(reader.mustBe) ? reader.mustBe.split(/, | or /) : []
    const isNamed = (word: string) => word === fallback || codeIn(says).includes(word)
    const isSwitch = choices.length === 2 && choices.includes(fallback ?? '')
    const missing = choices.filter((word) => !isNamed(word))
    expect([setting, isSwitch && missing.length === 1 ? [] : missing]).toEqual([setting, []])
  }
})

test('self-hosting.md names everything that the service connects to', () => {
  const section = sectionOf(pageOf('self-hosting.md'), 'For a platform team')
  const row = (setting: string) => rowsOf(section).some(([, , last = '']) => last.startsWith(setting))
  /** The parts of the code that connect somewhere, each with what its rows of the table begin with. */
  const connecting: Record<string, readonly string[]> = {
    db: ['`DATABASE_URL`'],
    'src/limits': ['`REDIS_URL`'],
    'src/runtime': ['`REDIS_URL`'],
    'src/mail': ['`SMTP_URL`'],
    'src/accounts': ['`OIDC_ISSUER`'],
    'src/webhooks': ['`SERVICE_OUTGOING_PRIVATE_NETWORKS`'],
    'src/inspection': ['`SERVICE_INSPECT`', '`SERVICE_ICONS`'],
    'src/checks': ['`SERVICE_LINK_CHECKS`'],
    'src/icons': ['`SERVICE_ICONS`'],
    'src/oauth': ['none: no switch'],
  }
  // The guard of all requests to what users name is counted where it is used; the operator's commands are named beside the table.
  const connects =
    /(?<![.\w])fetch\(\w|new Redis\(|createTransport\(|^import \{[^}]*\b(?:get|post|send\w*)\b[^}]*\} from '\.\.\/outgoing\/|import\('\.\.\/outgoing\//m
  const found = [...new Bun.Glob('{db,src}/**/*.{ts,tsx}').scanSync(ROOT)].filter(
    (file) =>
      !/^src\/(?:cli|sdk|operator|outgoing)\//.test(file) && connects.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  const parts = [...new Set(found.map((file) => /^(?:src\/)?[^/]+/.exec(file)?.[0] ?? ''))]
  expect(parts).toEqual(
    expect.arrayContaining(['db', 'src/limits', 'src/mail', 'src/accounts', 'src/webhooks', 'src/checks', 'src/oauth']),
  )
  expect(parts.filter((part) => connecting[part] === undefined)).toEqual([])
  expect(
    Object.values(connecting)
      .flat()
      .filter((setting) => !row(setting)),
  ).toEqual([])
})

/** What each rule erases, by the beginning of its row in privacy.md. */
const ERASED: Record<string, string> = {
  unclaimed_bundles: 'a bundle that nobody claimed',
  deleted_bundles: 'a deleted bundle',
  claims: 'a private edit link',
  address_hashes: 'the hash of the address',
  answers: 'answers stored for `Idempotency-Key`',
  sessions: 'sessions,',
  verifications: 'sessions, links in emails',
  app_refresh_tokens: "an app's sign-in",
  app_grants: "an app's sign-in",
  device_requests: 'the code with which a device signs in',
  bundle_changes: 'which bundles changed',
  counter_batches: 'which bundles changed, and which counts',
  notices: 'which suggestions somebody is to be emailed about',
  unsent_notices: 'which suggestions somebody is to be emailed about',
  mails: 'an email that waits',
  sites: 'the [icons](checks.md#icons) of sites, and which sites',
  icons: 'the [icons](checks.md#icons) of sites',
  outbox: "a webhook's deliveries",
  gone_webhooks: "a webhook's deliveries",
  old_webhook_secrets: "a webhook's old secret",
  events: 'the [log](activity.md) of changes',
  gone_owners: 'the [log](activity.md) of changes',
  checked_links: 'the results of [link checks]',
  robots: 'the `robots.txt` of sites',
  outgoing_turns: 'when a site or network may next be asked',
  provider_events: 'ids of [provider events]',
  provider_entities: "a provider's ids",
}

/** A period as the page may say it. */
function periodWords(ms: number): readonly string[] {
  const days = ms / DAY_MS
  if (Number.isInteger(days)) return days === 1 ? ['a day', '24 hours'] : [`${days} days`, 'three days']
  if (days > 1) return [`${Math.floor(days)} days and an hour`]
  return ms === DAY_MS / 24 ? ['an hour', '26 hours'] : ms === 60_000 ? ['a minute'] : [`ten minutes`]
}

test('privacy.md has a row for each kind of data that the service erases, with its period', () => {
  const rows = rowsOf(sectionOf(pageOf('privacy.md'), 'What users delete'))
  const rules = retentionRules({ keepDeletedMs: 30 * DAY_MS })
  expect(Object.keys(ERASED).sort()).toEqual(rules.map(({ what }) => what).sort())
  for (const { what, keptMs } of rules) {
    const [, erased = ''] = rows.find(([first = '']) => first.startsWith(ERASED[what] ?? '')) ?? []
    const isSaid = keptMs === 0 ? erased !== '' : periodWords(keptMs).some((words) => erased.includes(words))
    expect([what, keptMs, erased, isSaid]).toEqual([what, keptMs, erased, true])
  }
})

test('guides write thousands as 1,000 and apostrophes straight', () => {
  for (const page of [...GUIDES.map((name) => `docs/${name}.md`), 'README.md', 'CONTRIBUTING.md']) {
    const prose = readFileSync(join(ROOT, page), 'utf8')
      .replace(/^```.*?^```$/gms, '')
      .replace(/`[^`]+`/g, '')
    expect([page, prose.match(/(?<![\d.,])\d{1,3} \d{3}(?!\d)|(?<![\w./:-])[1-9]\d{4,}(?![\w/-])|’/g)]).toEqual([
      page,
      null,
    ])
  }
})
