/** @jsxImportSource @kitajs/html */

import { beforeAll, expect, test } from 'bun:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { draftOf, toOpenRule, toPolicy } from '../../src/policies/draft/draft.ts'
import { readRules } from '../../views/dashboard/rules/form.ts'
import { RuleFields } from '../../views/dashboard/rules/rules.tsx'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { RandomPolicies } from '../policies/random.ts'
import { prng } from '../prng.ts'
import { IPHONE } from './devices.ts'
import { focusedId } from './keyboard.ts'
import { setStage } from './stage.ts'
import { follow, press, settled, shows } from './waiting.ts'

const URLS = ['https://one.example/', 'https://two.example/plan']
const rule = (name: string, when: object) => ({ name, when, tabs: [{ url: `https://${name.toLowerCase()}.example/` }] })
const PHONE = { op: 'equals', field: 'device', value: 'mobile' }
const GERMAN = { op: 'startsWith', field: 'language', value: 'de' }
const THREE = {
  version: 1,
  rules: [rule('Phones', PHONE), rule('German', GERMAN), rule('Members', { op: 'signedIn' })],
}

interface Policy {
  rules: { id: string; name: string; when: unknown; tabs: { url: string; note?: string }[] }[]
}

const stage = setStage()
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})

/** The rules page of a new bundle. */
async function rulesOf(fields: object, options: BrowserContextOptions = {}) {
  const { slug } = await owner.makeBundle({ urls: URLS, urlMetadata: [{ note: 'First' }], ...fields })
  const toOpenRule = await stage.open(`/dashboard/links/${slug}/policy`, owner, { reducedMotion: 'reduce', ...options })
  return { slug, ...toOpenRule }
}

async function savedOf(slug: string): Promise<Policy | null> {
  const { body } = await owner.api<{ resolutionPolicy: Policy | null }>('GET', `/api/links/${slug}`)
  return body.resolutionPolicy
}

const outcome = (page: Page) => page.locator('#outcome').textContent()
const names = (page: Page) => page.locator('#rule-list h3 bdi').allInnerTexts()

test('an owner makes a rule, sees at once who gets it and why, saves, and viewers get what the preview showed', async () => {
  const { page, slug, complaints, refusals } = await rulesOf({})
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByLabel('Name of the rule', { exact: true }).fill('On the move')
  await page.getByLabel('What to check').selectOption('device')
  await page.getByLabel('Value', { exact: true }).selectOption('mobile')
  await page.getByRole('button', { name: 'Condition', exact: true }).click()
  await page.locator('#rules-0-when-of-1-topic').selectOption('query')
  await page.locator('#rules-0-when-of-1-name').fill('ref')
  await page.locator('#rules-0-when-of-1-value').fill('news')
  await page.getByLabel('First').uncheck()
  await shows(page, '#rules-0-state', 'On a phone, with \u2068?ref\u2069 = \u2068news\u2069 in the link')
  expect(await outcome(page)).toContain('No rule matches')
  await page.locator('.custom > summary').click()
  await page.getByLabel('Device').selectOption('mobile')
  await page.getByLabel('Link parameter').fill('?x=1&ref=NEWS')
  await shows(page, '#outcome', 'Rule 1: On the move')
  expect(await page.locator('#verdict .got').textContent()).toContain('two.example/plan')
  expect(await page.locator('#rules-0 .mark.yes').count()).toBe(4)
  await page.locator('#rules-0-when-of-1-value').fill('other')
  await shows(page, '#outcome', 'No rule matches')
  expect(await page.locator('#rules-0-when-of-0-state .mark.yes').count()).toBe(1)
  expect(await page.locator('#rules-0-when-of-1-state .mark.no').count()).toBe(1)
  await page.locator('#rules-0-when-of-1-value').fill('news')
  await page.getByRole('button', { name: 'Save rules' }).click()
  await shows(page, '.flash', 'Saved · View version')
  expect([...complaints, ...refusals]).toEqual([])
  const phone = await (await stage.browser.newContext({ userAgent: IPHONE })).newPage()
  await phone.goto(`${stage.server.origin}/l/${slug}?ref=news`)
  expect(
    await phone.locator('a.tab').evaluateAll((all) => (all as HTMLAnchorElement[]).map(({ href }) => href)),
  ).toEqual(['https://two.example/plan'])
  await phone.goto(`${stage.server.origin}/l/${slug}`)
  expect(await phone.locator('a.tab').count()).toBe(2)
})

test('why a rule matches stands beside it at 1280 and directly below it at 390', async () => {
  const first = rule('Travellers', { op: 'and', of: [PHONE, GERMAN] })
  const { page } = await rulesOf({ resolutionPolicy: { version: 1, rules: [first, ...THREE.rules] } })
  expect(await page.locator('.why .mark').count()).toBe(0)
  await page.locator('#try-phone').click()
  await page.locator('#rules-0-why .mark.yes').waitFor()
  expect(await page.locator('#rules-0-why .mark').count()).toBe(3)
  // The third rule is below the one that matches.
  await shows(page, '#rules-2-why', 'Not reached')
  const boxes = async () => {
    const all = ['#rules-0', '#rules-0-state', '#rules-0 .tabs-line', '#rules-0-why'].map((at) =>
      page.locator(at).boundingBox(),
    )
    return (await Promise.all(all)).map((box) => box!)
  }
  const [card, , , beside] = await boxes()
  const state = (await page.locator('#rules-0-state .summary').boundingBox())!
  expect(beside!.x).toBeGreaterThanOrEqual(state.x + state.width)
  expect(Math.abs(beside!.y - state.y)).toBeLessThan(12)
  expect(beside!.y + beside!.height).toBeLessThanOrEqual(card!.y + card!.height)
  // A single condition has its mark at the sentence alone, and nothing moves beside it.
  const sentence = (await page.locator('#rules-1-state').boundingBox())!
  const opens = (await page.locator('#rules-1 .tabs-line').boundingBox())!
  expect([opens.x, opens.y >= sentence.y + sentence.height]).toEqual([sentence.x, true])
  await page.setViewportSize({ width: 390, height: 844 })
  const [narrow, , tabs, below] = await boxes()
  expect(below!.y - (tabs!.y + tabs!.height)).toBeLessThan(12)
  expect(below!.y + below!.height).toBeLessThanOrEqual(narrow!.y + narrow!.height)
})

test('by keyboard alone a rule is made, nested, moved and saved, and the focus follows', async () => {
  const { page, slug } = await rulesOf({ resolutionPolicy: { version: 1, rules: THREE.rules.slice(0, 1) } })
  const keys = async (...all: string[]) => {
    for (const key of all) await page.keyboard.press(key)
  }
  const on = async (id: string) => {
    await becomes(() => focusedId(page), id)
    await settled(page)
  }
  await page.locator('#add').focus()
  await keys('Enter')
  await on('rules-1-name')
  await page.keyboard.type('Readers')
  // Past Done, up, copy and remove; down is off at the end of the list.
  await keys('Tab', 'Tab', 'Tab', 'Tab', 'Tab')
  await becomes(() => focusedId(page), 'rules-1-when-topic')
  // A single letter selects; if an answer arrived in the middle of a word, typing would start over.
  await page.keyboard.type('L')
  await page.locator('#rules-1-when-value').waitFor()
  await on('rules-1-when-topic')
  await keys('Tab')
  await becomes(() => focusedId(page), 'rules-1-when-op')
  await page.keyboard.type('b')
  await becomes(() => page.locator('#rules-1-when-op').inputValue(), 'startsWith')
  await on('rules-1-when-op')
  await keys('Tab')
  await page.keyboard.type('de')
  await keys('Tab', 'Tab')
  await becomes(() => focusedId(page), 'rules-1-when-add')
  await keys('Enter')
  await on('rules-1-when-of-1-topic')
  await page.keyboard.type('S')
  await becomes(() => page.locator('#rules-1-when-of-1-topic').inputValue(), 'signedIn')
  await on('rules-1-when-of-1-topic')
  await keys('Tab')
  await keys('Enter')
  await on('rules-1-when-of-1-op')
  // A switch of the bundle’s links, and a tab of the rule’s own.
  await page.locator('#rules-1-own-0-shown').focus()
  await keys('Space')
  await page.locator('#rules-1-tabs-add').focus()
  await keys('Enter')
  await on('rules-1-tabs-0-url')
  await page.keyboard.type('https://three.example/')
  await page.locator('#rules-1-up').focus()
  await keys('Enter')
  await on('rules-0-down')
  await page.getByRole('button', { name: 'Save rules' }).focus()
  await keys('Enter')
  await shows(page, '.flash', 'Saved · View version')
  const saved = await savedOf(slug)
  expect(saved?.rules.map(({ name }) => name)).toEqual(['Readers', 'Phones'])
  expect(saved?.rules[0]).toMatchObject({
    base: 'bundle',
    omit: [URLS[0]],
    tabs: [{ url: 'https://three.example/' }],
  })
  expect(saved?.rules[0]?.when).toEqual({ op: 'and', of: [GERMAN, { op: 'and', of: [{ op: 'signedIn' }] }] })
})

test('without JavaScript the same form does everything', async () => {
  const { page, slug } = await rulesOf({}, { javaScriptEnabled: false })
  await press(page, /^On a phone$/)
  await press(page, /^Tab$/)
  await press(page, /^Group$/)
  await page.locator('#rules-0-when-of-1-of-0-topic').selectOption('timeWindow')
  await press(page, /^Update$/)
  await page.getByText('Sa', { exact: true }).click()
  await page.locator('#rules-0-when-of-1-of-0-zone').fill('Europe/Atlantis')
  await page.locator('#rules-0-tabs-0-url').fill('nowhere')
  await page.getByLabel('Show them').check()
  await press(page, 'Save rules')
  expect(await page.locator('#rules-0-when-of-1-of-0-state').textContent()).toContain('an IANA time zone')
  expect(await page.locator('#rules-0-tabs-0-state').textContent()).toContain(
    'The link must be an http: or https: URL.',
  )
  expect(await page.locator('#rules-0-when-of-1-of-0-days-sat').isChecked()).toBe(true)
  await page.locator('#rules-0-when-of-1-of-0-zone').fill('Europe/Berlin')
  await page.locator('#rules-0-tabs-0-url').fill(' https://app.example/ ')
  await page.locator('.custom > summary').click()
  await page.getByLabel('Date and time').fill('2026-11-07T10:00')
  await page.locator('#viewer-zone').fill('Europe/Berlin')
  await page.getByLabel('Device').selectOption('mobile')
  await press(page, 'Show what opens')
  expect(await outcome(page)).toContain('Rule 1: On a phone')
  await press(page, 'JSON')
  await page.locator('#json').fill((await page.locator('#json').inputValue()).replace('"On a phone"', '"By JSON"'))
  await press(page, 'Save rules')
  expect(await page.locator('.flash').textContent()).toContain('Saved')
  const window = {
    op: 'timeWindow',
    days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
    from: '09:00',
    to: '17:00',
    timeZone: 'Europe/Berlin',
  }
  expect((await savedOf(slug))?.rules).toMatchObject([
    {
      name: 'By JSON',
      showBadge: true,
      when: { op: 'and', of: [PHONE, { op: 'or', of: [window] }] },
      tabs: [{ url: 'https://app.example/' }],
    },
  ])
  await follow(page, 'Clear all rules')
  await press(page, 'Clear the rules')
  expect(await savedOf(slug)).toBeNull()
})

test('any policy survives the form of a real browser unchanged', async () => {
  const page = await stage.browser.newPage()
  const random = new RandomPolicies(prng(4711))
  for (let tries = 0; tries < 40; tries += 1) {
    const policy = random.policy(5)
    const builder = {
      findings: { notes: new Map(), marks: new Map(), reasons: new Map(), absent: {} },
      focus: '',
      own: [],
      variables: [],
    }
    const draft = { rules: draftOf(policy).rules.map(toOpenRule) }
    await page.setContent(`<form>${(<RuleFields draft={draft} removed={null} builder={builder} />) as string}</form>`)
    const sent = await page.evaluate(() => [...new FormData(document.querySelector('form') as HTMLFormElement)])
    const { source } = readRules(new URLSearchParams(sent as [string, string][]))
    expect<unknown>(source !== null && 'draft' in source ? toPolicy(source.draft) : null).toEqual(policy)
  }
  await page.close()
})

test('text typed while a request is running is not lost', async () => {
  const { page } = await rulesOf({ resolutionPolicy: THREE })
  await page.locator('#rules-0-edit').click()
  await page.locator('#rules-0-name').waitFor()
  const typed = Promise.withResolvers<void>()
  await page.route('**/policy', async (route) => {
    await typed.promise
    await route.continue()
  })
  await page.locator('#rules-1-down').click()
  await page.locator('#rules-0-name').fill('Typed meanwhile')
  typed.resolve()
  await page.waitForFunction(() => document.querySelector('#rules-2 h3')?.textContent === 'German')
  expect(await page.locator('#rules-0-name').inputValue()).toBe('Typed meanwhile')
  expect(await names(page)).toEqual(['Members', 'German'])
})

test('choices and presses while a request is running are not lost either', async () => {
  const { page, slug } = await rulesOf({ resolutionPolicy: { version: 1, rules: THREE.rules.slice(0, 1) } })
  await page.route('**/policy', async (route) => {
    await Bun.sleep(400)
    await route.continue()
  })
  await page.locator('#rules-0-edit').click()
  await page.locator('#rules-0-name').waitFor()
  await page.locator('#rules-0-when-topic').selectOption('emailDomain')
  await page.locator('#rules-0-when-op').selectOption('endsWith')
  await page.locator('#rules-0-name').fill('Of Acme')
  await page.locator('input#rules-0-when-value').fill('.acme.com')
  await shows(page, '#rules-0-state', 'With an address whose domain ends with')
  expect(await page.locator('#rules-0-when-op').inputValue()).toBe('endsWith')
  await page.locator('#add').click()
  await page.locator('#rules-0-when-value').fill('.acme.example')
  await page.getByRole('button', { name: 'Save rules' }).click()
  await page.locator('[aria-invalid]').first().waitFor()
  // The marked field says what is wrong, and nothing else does.
  expect(await page.locator('.alert:visible').count()).toBe(0)
  await page.locator('#rules-1-remove').click()
  await page.getByRole('button', { name: 'Save rules' }).click()
  await shows(page, '.flash', 'Saved · View version')
  expect((await savedOf(slug))?.rules).toMatchObject([
    { name: 'Of Acme', when: { op: 'endsWith', field: 'emailDomain', value: '.acme.example' } },
  ])
})

test('a grip drags a rule to another place, and leaving with unsaved changes asks first', async () => {
  const { page, slug } = await rulesOf({ resolutionPolicy: THREE })
  const grip = await page.locator('#rules-0 .handle').boundingBox()
  const last = await page.locator('#rules-2').boundingBox()
  if (grip === null || last === null) throw new Error('nothing to drag')
  await page.mouse.move(grip.x + 5, grip.y + 5)
  await page.mouse.down()
  await page.mouse.move(last.x + 30, last.y + last.height / 2, { steps: 5 })
  await page.mouse.up()
  await page.waitForFunction(() => document.querySelector('#rules-2 h3')?.textContent === 'Phones')
  expect(await names(page)).toEqual(['German', 'Members', 'Phones'])
  await shows(page, '#unsaved', 'Unsaved changes.')
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  await page.getByRole('link', { name: 'Versions' }).click()
  await becomes(() => [asked, new URL(page.url()).pathname], [['beforeunload'], `/dashboard/links/${slug}/policy`])
  await page.getByRole('link', { name: 'Discard' }).click()
  await page.waitForFunction(() => document.querySelector('#rules-0 h3')?.textContent === 'Phones')
  expect(asked).toHaveLength(1)
})

test('warnings and missing values appear next to their condition while typing', async () => {
  const { page } = await rulesOf({ resolutionPolicy: THREE })
  await page.locator('#rules-1-edit').click()
  const state = page.locator('#rules-1-when-state')
  await page.locator('#rules-1-when-topic').selectOption('emailDomain')
  await page.locator('#rules-1-when-op').selectOption('endsWith')
  await page.locator('#rules-1-when-value').fill('acme.com')
  await shows(page, '#rules-1-when-state', '"acme.com" also ends "notacme.com"')
  expect(await page.locator('#rules-1-when-value').inputValue()).toBe('acme.com')
  await becomes(() => focusedId(page), 'rules-1-when-value')
  await page.locator('#rules-1-when-value').fill('')
  await shows(page, '#rules-1-when-state', 'Enter a value.')
  expect(await state.locator('.error').count()).toBe(0)
  await page.locator('#rules-1-when-value').fill('x'.repeat(513))
  await shows(page, '#rules-1-when-state', 'The value must be at most 512 characters.')
  const wrong = () => page.locator('#rules [aria-invalid]').evaluateAll((fields) => fields.map(({ id }) => id))
  await becomes(wrong, ['rules-1-when-value'])
  await page.locator('#rules-1-when-value').fill('acme.com')
  await becomes(wrong, [])
  // Of a tab without a link, the link alone.
  await page.locator('#rules-1-tabs-0-url').fill('')
  await page.getByRole('button', { name: 'Save rules' }).click()
  await shows(page, '#rules-1-tabs-0-state', 'Enter a link.')
  await becomes(wrong, ['rules-1-tabs-0-url'])
  await page.locator('#rules-1-tabs-0-note').fill('Guests')
  await shows(page, '#unsaved', 'Discard')
  await becomes(wrong, [])
})
