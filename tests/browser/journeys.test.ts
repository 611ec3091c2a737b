import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { linkIn, mailTo, newEmail, PASSWORD, signIn, type Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { kindsOfWay } from './engines.ts'
import { At, button, link, tab } from './journey.ts'
import { becomes } from './launching.ts'
import type { Engine } from './viewer.ts'

// A person's way through the dashboard. Chromium has more tests of each page in the dashboard's own files.

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(300_000)

let server: Server
beforeAll(async () => {
  server = await startInProcess()
})
afterAll(() => server.stop())

const URLS = ['https://one.example/', 'https://two.example/plan', 'https://three.example/']

describe.each(kindsOfWay('Firefox'))('$name', (kind) => {
  let engine: Engine
  let at: At
  /** The person who signed up in the browser, by other means. */
  let owner: Visitor
  beforeAll(async () => {
    engine = await kind.start()
    at = new At(server.origin, await engine.open(`${server.origin}/`, { popups: 'as-is' }))
  })
  afterAll(async () => {
    await at?.viewer.close()
    await engine?.stop()
  })

  const makeBundle = async () => (await owner.makeBundle({ title: 'Week one', urls: URLS })).slug
  const saved = async <T>(slug: string) => (await owner.api<T>('GET', `/api/links/${slug}`)).body

  test('somebody signs up, and confirms their address', async () => {
    const email = newEmail()
    await at.click(link('Sign in'))
    await at.click(link('Create account'))
    // The page before has such fields too, and Firefox is still there.
    await at.has(button('Create account'))
    await at.fill('#email', email)
    await at.fill('#password', PASSWORD)
    await at.click(button('Create account'))
    await at.sees('Welcome! Your account is ready.')
    await at.open(linkIn(await mailTo(server, email, 'Confirm your address')))
    await at.click(button('Confirm'))
    await at.sees('Address confirmed')
    owner = await signIn(server, email)
    await at.click(link('Go to your dashboard'))
    await at.has(link('New bundle'))
  })

  test('links are pasted on the home page: they are listed, changed and published', async () => {
    await at.open('/')
    // On one line, because WebKit's driver types no others.
    await at.fill('#urls', URLS.join(' '))
    await at.sees('3 links found')
    await at.fill('.found-row:nth-child(2) [name=note]', 'The plan')
    await at.click('.found-row:nth-child(3) .remove')
    await at.sees('1 removed')
    await at.sees('2 / 25')
    await at.fill('#title', 'Reading for Monday')
    await at.click(button('Get the link'))
    await at.sees('Your link is ready.')
    const { body } = await owner.api<{ bundles: object[] }>('GET', '/api/me/links?limit=1')
    expect(body.bundles).toEqual([
      expect.objectContaining({
        title: 'Reading for Monday',
        urls: URLS.slice(0, 2),
        urlMetadata: [{}, { note: 'The plan' }],
      }),
    ])
  })

  test('a bundle is made, then checked while typing, reordered by mouse, saved', async () => {
    await at.open('/dashboard')
    await at.click(link('New bundle'))
    await at.fill('#urls', URLS.join(' '))
    await at.sees('3 links found')
    await at.fill('#title', 'Team offsite')
    await at.click(button('Get the link'))
    await at.sees('Bundle created.')
    await at.click(row(2, 'summary'))
    await at.fill(row(2, '[name=url]'), 'ftp://two.example/')
    await at.has('.link-row .error')
    await at.fill(row(2, '[name=url]'), URLS[1] ?? '')
    await at.lacks('.link-row .error')
    await at.viewer.drag(row(2, '.grip'), row(1))
    await at.sees('Link moved to 1 of 3')
    await at.click('.save-bar .primary')
    await at.sees('Saved · View version')
    const slug = (await at.path()).split('/').at(-1) ?? ''
    expect(await saved(slug)).toMatchObject({ title: 'Team offsite', urls: [URLS[1], URLS[0], URLS[2]] })
  })

  test('a rule is made, tried on a viewer, and saved', async () => {
    const slug = await makeBundle()
    await at.open(`/dashboard/links/${slug}`)
    await at.click(link('Rules'))
    await at.click(button('Add a rule'))
    await at.fill('#rules-0-name', 'On the move')
    await at.choose('[id^=rules-0-when][id$=topic]', 'device')
    await at.choose('[id^=rules-0-when][id$=value]', 'mobile')
    await at.click('#rules-0-tabs-add')
    await at.fill('[id^=rules-0-tabs][id$=url]', 'https://m.example/')
    await at.click('.custom > summary')
    await at.choose('#viewer-device', 'mobile')
    await at.sees('Rule 1: On the move')
    await at.click(button('Save rules'))
    await at.sees('Saved · View version')
    const { resolutionPolicy } = await saved<{ resolutionPolicy: object }>(slug)
    expect(resolutionPolicy).toMatchObject({
      rules: [{ name: 'On the move', when: { op: 'equals', field: 'device', value: 'mobile' } }],
    })
  })

  test('an earlier version is looked at and restored', async () => {
    const slug = await makeBundle()
    await owner.api('PATCH', `/api/links/${slug}`, { title: 'Week two', urls: URLS.toReversed() })
    await at.open(`/dashboard/links/${slug}`)
    await at.click(link('Versions'))
    await at.click(link('Version 1'))
    await at.click(button('Restore version 1'))
    await at.sees('The earlier version is back')
    expect(await saved(slug)).toMatchObject({ title: 'Week one', urls: URLS })
  })

  test('a key is made, used and revoked', async () => {
    await at.open('/dashboard/keys')
    await at.click(link('Create API key'))
    await at.fill('#name', 'nightly import')
    await at.click(button('Create API key'))
    await at.has('#key')
    const key = await at.viewer.read<string>("document.querySelector('#key').value")
    const answer = async () =>
      (await fetch(`${server.origin}/api/me`, { headers: { authorization: `Bearer ${key}` } })).status
    expect(await answer()).toBe(200)
    await at.open('/dashboard/keys')
    await at.click('[aria-label="Revoke nightly import"]')
    await at.click(button('Revoke API key'))
    await at.sees('API key revoked.')
    expect(await answer()).toBe(401)
  })

  test('insights show what was counted, of other days and of clicks', async () => {
    const slug = await makeBundle()
    const today = new Date().toISOString().slice(0, 10)
    const insert = "INSERT INTO daily_counters SELECT id, ?, '', 42, 21 FROM bundles WHERE slug = ?"
    await server.sql(insert, [today, slug])
    await at.open(`/dashboard/links/${slug}`)
    await at.click(tab('Insights'))
    await becomes(() => at.texts('.totals .figure'), expect.arrayContaining(['42', '21', '50%']))
    await at.click('#days-90')
    await becomes(() => at.viewer.read('document.querySelectorAll(".chart .hit").length'), 90)
    await at.click('#chart-open-all')
    await at.sees('Open all per day')
  })

  test.if(kind.name !== 'WebKit')('no page has left an error or a warning in the console', async () => {
    expect(await at.viewer.complaints?.()).toEqual([])
  })
})

/** A selector of a link in the editor, or of something in it. */
function row(index: number, inside = ''): string {
  return `#links > .link-row:nth-child(${index}) ${inside}`.trim()
}
