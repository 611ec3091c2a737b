import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { fieldsOf } from '../form.ts'
import { startInProcess } from '../in-process.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { unescaped } from './html.ts'

// What is said beside the row of a found link, and the address that is taken back to what stood in the text, without a script.

setDefaultTimeout(180_000)

const PLAN = 'https://a.example/plan'
const SAFE = `https://eur01.safelinks.protection.outlook.com/?url=${encodeURIComponent(PLAN)}&data=05%7C02`
const TEXT = `The plan ${SAFE}\nFiles https://ada:secret9@files.example/`
const UNWRAPPED = 'Unwrapped from Safe Links.'
const PASSWORD = 'Holds a password that everyone gets.'

let server: Server
let person: Person
beforeAll(async () => {
  server = await startInProcess()
  person = await newPerson(server)
})
afterAll(() => server?.stop())

async function post(visitor: Visitor, path: string, fields: readonly (readonly [string, string])[]) {
  const body = new URLSearchParams(fields.map(([name, value]) => [name, value])).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await visitor.fetch(path, { method: 'POST', body, headers })
  return { location: answer.headers.get('location') ?? '', html: unescaped(await answer.text()) }
}

/** The fields of the home page's form; it has no id. */
const homeFields = (html: string) =>
  fieldsOf(html.replace('<form class="builder"', '<form class="builder" id="builder"'), 'builder')

test('at home, what is said stands in the row, and one press takes an address back, or makes it again', async () => {
  const visitor = new Visitor(server)
  const listed = await post(visitor, '/', [['urls', TEXT]])
  expect(listed.html).toContain(UNWRAPPED)
  expect(listed.html).toContain(PASSWORD)
  expect(listed.html).toContain(`value="keep-${SAFE}"`)
  const typed = homeFields(listed.html).map(([name, value]): [string, string] => [
    name,
    name === 'note' && value === 'The plan' ? 'Our plan' : value,
  ])
  const kept = await post(visitor, '/', [...typed, ['do', `keep-${SAFE}`]])
  expect(kept.html).toContain('Kept as it was written.')
  expect(kept.html).not.toContain(UNWRAPPED)
  const again = await post(visitor, '/', [...homeFields(kept.html), ['do', `change-${SAFE}`]])
  expect(again.html).toContain(UNWRAPPED)
  for (const [page, url] of [
    [kept.html, SAFE],
    [again.html, PLAN],
  ] as const) {
    // Another form, as far as its key is concerned.
    const fields = homeFields(page).filter(([name]) => name !== 'idempotencyKey')
    const { location } = await post(visitor, '/', fields)
    const made = await visitor.fetch(location)
    const slug = /\/l\/([\w-]+)/.exec(await made.text())?.[1]
    const { body } = await visitor.api<{ tabs: { url: string; note: string }[] }>('GET', `/l/${slug}.json`)
    expect(body.tabs[0]).toMatchObject({ url, note: 'Our plan' })
  }
})

test('in an import, a box takes an address back', async () => {
  const shown = await post(person, '/dashboard/links/import', [
    ['text', TEXT],
    ['do', 'read'],
  ])
  expect(shown.html).toContain(UNWRAPPED)
  expect(shown.html).toContain(PASSWORD)
  const fields = fieldsOf(shown.html, 'import')
  expect((await post(person, '/dashboard/links/import', [...fields, ['do', 'make']])).html).toContain(
    '1 bundle created',
  )
  await post(person, '/dashboard/links/import', [...fields, ['kept', '0.0'], ['do', 'make']])
  const { body } = await person.api<{ bundles: { urls: string[] }[] }>('GET', '/api/me/links?sort=created')
  expect(body.bundles.map(({ urls }) => urls[0]).sort()).toEqual([PLAN, SAFE])
})

test('in the editor, the rows of a pasted text say it', async () => {
  const { slug: from } = await person.makeBundle()
  const { html } = await post(person, '/dashboard/links/new', [
    ['from', from],
    ['more', TEXT],
    ['do', 'paste'],
  ])
  expect(html).toContain(UNWRAPPED)
  expect(html).toContain(PASSWORD)
  // Also while it is filled in, until another address is typed.
  const pasted = await person.form('/dashboard/links/new', { from, more: TEXT, do: 'paste' })
  const fields = fieldsOf(await pasted.text(), 'editor')
  expect((await post(person, '/dashboard/links/new', [...fields, ['do', 'check']])).html).toContain(UNWRAPPED)
  const other = fields.map(([name, value]): [string, string] => [name, value === PLAN ? `${PLAN}#2` : value])
  expect((await post(person, '/dashboard/links/new', [...other, ['do', 'check']])).html).not.toContain(UNWRAPPED)
  const undone = await post(person, '/dashboard/links/new', [...fields, ['do', 'undo-1']])
  expect(undone.html).toContain(`name="url" class="url" value="${SAFE}"`)
  expect(undone.html).not.toContain(UNWRAPPED)
})
