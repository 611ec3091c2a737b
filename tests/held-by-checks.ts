import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import pino from 'pino'
import { openStore } from '../db/client.ts'
import { Checker } from '../src/checks/checker.ts'
import type { CheckResult } from '../src/checks/findings.ts'
import { followSome } from '../src/checks/followed.ts'
import { mailFor } from '../src/checks/mails.ts'
import { rulesIn } from '../src/checks/robots.ts'
import { tellSome } from '../src/checks/telling.ts'
import { pageOf } from '../src/inspection/page.ts'
import { Mailer } from '../src/mail/mailer.ts'
import { CLOCK } from '../src/outgoing/turns.ts'
import { longestPiece } from './longest-piece.ts'

// Run by contract/held.test.ts on each runtime, in its own process: makes a store with 100 000 links, and prints for each step of
// what keeps them under observation its longest piece of work on the event loop’s thread, in ms of processor time.

const LINKS = 100_000
const BUNDLES = LINKS / 25
const SITE = {
  origin: 'https://openall.example',
  name: 'Openall',
  secret: 'x'.repeat(32),
  outgoingPrivateNetworks: false,
}
const log = pino({ level: 'silent' })
const blockedHosts = { refuse: () => {} }

const file = join(mkdtempSync(join(tmpdir(), 'openall-')), 'test.db')
const store = await openStore({ url: `file:${file}`, authToken: undefined })
// Mails wait in the store: nothing sends them here.
const mailer = new Mailer(
  {
    smtpUrl: 'smtp://127.0.0.1:1',
    logMails: false,
    mailFrom: 'no-reply@openall.example',
    secret: SITE.secret,
    isDevelopment: false,
  },
  store,
  log,
)
const run = (query: string) => store.write([sql.raw(query)])
const numbers = (count: number) =>
  `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`

// Links as long as they may be, half of them of one host, in bundles of one owner with texts as long as they may be.
await run(
  `INSERT INTO user (id, name, email, email_verified, created_at, updated_at) VALUES ('ada', 'Ada', 'ada@people.example', 1, 1, 1)`,
)
await run(`INSERT INTO owners (id, user_id) VALUES (1, 'ada')`)
const long = 'x'.repeat(1_900)
await run(`INSERT INTO bundles (slug, slug_hash, owner_id, urls, url_metadata, source, created_at, updated_at)
  ${numbers(BUNDLES)} SELECT 'b-' || i, '#b-' || i, 1,
    (WITH RECURSIVE k(j) AS (SELECT 0 UNION ALL SELECT j + 1 FROM k WHERE j < 24)
      SELECT json_group_array('https://h' || (CASE j % 2 WHEN 0 THEN 0 ELSE (n.i * 25 + j) % 2000 END) || '.example/' || n.i || '/' || j || '/${long}') FROM k),
    (WITH RECURSIVE k(j) AS (SELECT 0 UNION ALL SELECT j + 1 FROM k WHERE j < 24)
      SELECT json_group_array(json_object('note', 'Note ' || j || ' ${'y'.repeat(480)}')) FROM k), 'api', 1, 1 FROM n`)

const pieces: Record<string, number> = {}
/**
 * Does a step so many times, each of which finds other links. Of their longest pieces the middle one counts: the first compiles
 * code, and any may collect garbage.
 */
async function measure(name: string, rounds: number, work: () => Promise<unknown>): Promise<void> {
  const longest: number[] = []
  for (let round = 0; round < rounds; round += 1) longest.push(await longestPiece(work))
  longest.sort((one, other) => one - other)
  pieces[name] = Math.round(longest[rounds >> 1] ?? 0)
}

await measure('reading the links of changed bundles', 10, () => followSome(store, SITE, Date.now()))
// The others are followed here, where one transaction does.
await run('UPDATE bundle_changes SET for_links = 0')
await run('DELETE FROM checked_links')
await run(`INSERT INTO checked_links (owner_id, host, hash, url, since, due_at)
  SELECT 1, substr(value, 9, instr(value, '.example') - 1), slug || '-' || key, value, 1, 1
  FROM bundles CROSS JOIN json_each(urls) ORDER BY bundles.id, key`)
await run(`INSERT OR REPLACE INTO checked_hosts (host, due_at) SELECT DISTINCT host, 1 FROM checked_links`)
await run('DELETE FROM bundle_links')
await run('INSERT INTO bundle_links (bundle_id, link_id) SELECT (id - 1) / 25 + 1, id FROM checked_links')

const found: CheckResult[] = [
  { kind: 'there', movedTo: null },
  { kind: 'gone' },
  { kind: 'there', movedTo: `https://new.example/${long}`, title: 'New' },
]
let looks = 0
const checker = new Checker(store, SITE, log, CLOCK, async () => {
  // A real one waits for its host.
  await sleep(1)
  return found[(looks += 1) % 3]!
})
await measure('looking at links', 20, async () => {
  await checker.begin()
  await checker.settled()
})

await run(
  `UPDATE checked_links SET told_up_to = 0, since = 1, state = iif(id % 2, 'broken', 'moved'), final_url = 'https://new.example/' || id || '/${long}', final_title = 'New' WHERE id % 10 = 0 OR id % 10 = 5`,
)
await measure('telling what was found, and suggesting repairs', 20, () =>
  tellSome({ store, mailer, blockedHosts }, Date.now()),
)
await run(`UPDATE checked_links SET state = 'broken'`)
await measure('mailing about broken links', 5, async () => {
  const mail = await mailFor(store, 'ada', SITE as never)
  if (mail === null) throw new Error('nothing is broken')
  await mailer.sendWith([mail], sql`1`, [])
})

const tags = '<meta name="x" content="y"><link rel="icon" href="/a.png">'
const html = Buffer.from(`<head><title>T</title>${tags.repeat(20_000)}`)
const head = { url: new URL('https://page.example/'), status: 200, headers: { 'content-type': 'text/html' } }
await measure('reading the head of a page', 5, async () => pageOf({ ...head, body: html }))
const robots = 'User-agent: *\nDisallow: /a/b/c*d$\n'.repeat(15_000).slice(0, 500 * 1024)
await measure('reading robots.txt', 5, () => rulesIn(robots))
console.log(JSON.stringify(pieces))
await store.close()
rmSync(dirname(file), { recursive: true })
process.exit(0)
