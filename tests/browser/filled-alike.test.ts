import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { RUNTIMES, Shell } from '../cli/shell.ts'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { fieldsOf, type Seeded, seeded } from '../seeded-bundles.ts'
import { setStage } from './stage.ts'

// contract/filled-alike.test.ts reads 2,000 bundles without a browser. Of these, twenty with rules through the doors that need
// one, and the command: what opens is what get_tabs answers, and where that says that a value lacks, nothing opens.

const BUNDLES = 20
const SEEDS = Array.from({ length: 200 }, (_, seed) => seed)
  .filter((seed) => {
    // Of those that lack a value there are many.
    const { variables, rules, sent } = seeded(seed)
    return rules.length > 0 && sent.length === variables.length && sent.every(([, text]) => text !== '')
  })
  .slice(0, BUNDLES)

const stage = setStage({ popups: 'allowed', env: { SERVICE_PLAN_FREE_MAX_BUNDLES: '1000' } })
let owner: Person
let shell: Shell
beforeAll(async () => {
  owner = await newPerson(stage.server)
  const [, start] = RUNTIMES[0] ?? []
  shell = new Shell(start?.() ?? [], { OPENALL_URL: stage.server.origin, OPENALL_KEY: (await owner.mint()).rawKey })
})

type Sent = Seeded['sent']
/** The addresses that open, as a browser writes them; null while a value is missing or refused. */
type Opens = string[] | null

test('what is typed, sent by a form without JavaScript, or given to the command, opens what get_tabs answers', async () => {
  const wrong: unknown[] = []
  let opening = 0
  const { page: typed, context } = await stage.open('/healthz', null)
  await context.route(/\.example\//, (route) => route.fulfill({ contentType: 'text/html', body: '<title>-</title>' }))
  const { page: plain } = await stage.open('/healthz', null, { javaScriptEnabled: false })
  for (const seed of SEEDS) {
    const bundle = seeded(seed)
    const { slug, url } = await owner.makeBundle(fieldsOf(bundle))
    const typable = typableOf(bundle)
    const [filled, given] = [await told(slug, typable), await told(slug, bundle.sent)]
    const doors: [string, Opens, () => Promise<Opens>][] = [
      ['the page', filled, () => typing(typed, url, typable)],
      ['the page without JavaScript', filled, () => sending(plain, url, typable)],
      ['the command', given, () => calling(slug, bundle.sent)],
    ]
    for (const [door, expected, open] of doors) {
      const found = await open()
      if (found !== null) opening += 1
      if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push({ seed, door, found, expected, bundle })
    }
  }
  expect(wrong).toEqual([])
  expect(opening).toBeGreaterThan(BUNDLES)
})

/** What a form can send: a field has one line, and a list only its options. */
function typableOf({ variables, sent }: Seeded): Sent {
  const optionsOf = (name: string) => variables.find((one) => one.name === name)?.options
  return sent.filter(([name, text]) => !text.includes('\n') && (optionsOf(name)?.includes(text) ?? true))
}

async function told(slug: string, sent: Sent): Promise<Opens> {
  const { body } = await owner.api<{ tabs: { url: string }[]; missing: string[]; invalid: object[] }>(
    'GET',
    `/api/links/${slug}/tabs?${new URLSearchParams(sent)}`,
  )
  return body.missing.length + body.invalid.length > 0 ? null : body.tabs.map((tab) => new URL(tab.url).href)
}

/** Types values and presses Enter, twice where the server chooses the tabs first. */
async function typing(page: Page, url: string, sent: Sent): Promise<Opens> {
  const context = page.context()
  const others = () => context.pages().filter((other) => other !== page)
  await page.goto(url)
  await enter(page, sent)
  const isAsked = (await page.textContent('#open')) === 'Show tabs'
  const field = page.locator('.ask:not(.folded) input').last()
  if ((await field.count()) > 0) await field.press('Enter')
  else await page.click('#open')
  if (isAsked && (await page.locator('.ask .error').count()) === 0) {
    await page.locator('#open').filter({ hasNotText: 'Show tabs' }).waitFor()
    await page.waitForLoadState()
    await page.click('#open')
  }
  if ((await page.locator('.ask .error').count()) > 0) {
    expect(others()).toEqual([])
    return null
  }
  const tabs = await addressesOn(page)
  await becomes(() => others().map((other) => other.url()), tabs)
  await Promise.all(others().map((other) => other.close()))
  return tabs
}

/** Fills in the form and sends it, where no script does. */
async function sending(page: Page, url: string, sent: Sent): Promise<Opens> {
  await page.goto(url)
  await enter(page, sent)
  // Where a value lacks, the browser itself sends nothing; else the page says what to do.
  const isKept = (await page.locator('.ask :invalid').count()) > 0
  await page.getByRole('button', { name: 'Fill in the links' }).click()
  if (isKept) return null
  await page.waitForURL(/\?/)
  if ((await page.locator('.given').count()) === 0) {
    expect(await page.locator('.ask .error').count()).toBeGreaterThan(0)
    return null
  }
  return addressesOn(page)
}

const addressesOn = (page: Page) =>
  page.locator('a.tab').evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))

async function calling(slug: string, sent: Sent): Promise<Opens> {
  const words = sent.map(([name, text]) => `${name}=${text}`)
  const { code, stdout, stderr } = await shell.openall(['open', slug, ...words, '--print', '--json'])
  if (code === 0) return (JSON.parse(stdout) as { urls: string[] }).urls.map((address) => new URL(address).href)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^openall: /)])
  return null
}

/** Fills in what there are fields for; a launcher that its defaults fill shows its form first. */
async function enter(page: Page, sent: Sent): Promise<void> {
  if (await page.isVisible('.pick')) await page.click('.pick >> nth=0')
  for (const [name, text] of sent) {
    const field = page.locator(`#value-${name}`)
    if ((await field.evaluate((node) => node.tagName)) === 'SELECT') await field.selectOption(text)
    else await field.fill(text)
  }
}
