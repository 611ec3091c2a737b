import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Html } from '@elysiajs/html'
import axe from 'axe-core'
import { HtmlValidate } from 'html-validate'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { draftOf, opened, written } from '../../src/policies/draft.ts'
import { readRules } from '../../src/transports/dashboard/policy-form.ts'
import { RuleFields } from '../../views/dashboard/policy-rules.tsx'
import { arrive, type Person } from '../people.ts'
import { RandomPolicies } from '../policies/random.ts'
import { prng } from '../prng.ts'
import { type Server, startServer } from '../server.ts'
import { openChromium } from './chromium.ts'
import { enter } from './people.ts'

setDefaultTimeout(60_000)

const URLS = ['https://one.example/', 'https://two.example/plan']
const rule = (name: string, when: object) => ({ name, when, tabs: [{ url: `https://${name.toLowerCase()}.example/` }] })
const PHONE = { op: 'equals', field: 'device', value: 'mobile' }
const GERMAN = { op: 'startsWith', field: 'language', value: 'de' }
const THREE = {
  version: 1,
  rules: [rule('Phones', PHONE), rule('German', GERMAN), rule('Members', { op: 'signedIn' })],
}
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'

interface Policy {
  rules: { id: string; name: string; when: unknown; tabs: { url: string; note?: string }[] }[]
}

let server: Server
let browser: Browser
let owner: Person

beforeAll(async () => {
  server = await startServer()
  browser = await openChromium({ popups: 'blocked' })
  owner = await arrive(server)
})

afterAll(async () => {
  await browser.close()
  await server.stop()
})

/** The rules page of a new bundle; `complaints` is what the console said. */
async function rulesOf(fields: object, options: BrowserContextOptions = {}) {
  const { slug } = await owner.makeBundle({ urls: URLS, urlMetadata: [{ note: 'First' }], ...fields })
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  await enter(context, owner)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  await page.goto(`${server.origin}/dashboard/links/${slug}/policy`)
  return { page, slug, complaints }
}

async function savedOf(slug: string): Promise<Policy | null> {
  const { body } = await owner.api<{ resolutionPolicy: Policy | null }>('GET', `/api/links/${slug}`)
  return body.resolutionPolicy
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.id ?? '')
const outcome = (page: Page) => page.locator('#outcome').textContent()
const names = (page: Page) => page.locator('#rule-list h3 bdi').allInnerTexts()
/** Waits until nothing is under way. */
const settled = (page: Page) => page.waitForFunction(() => document.querySelector('.htmx-request') === null)
/** Waits until a condition holds that answers of the server bring about. */
const until = (page: Page, selector: string, text: string) =>
  page.locator(selector).filter({ hasText: text }).first().waitFor()

test('an owner makes a rule, sees at once who gets it and why, saves, and viewers get what was shown', async () => {
  const { page, slug, complaints } = await rulesOf({})
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByLabel('Name of the rule', { exact: true }).fill('On the move')
  await page.getByLabel('Asks about').selectOption('device')
  await page.getByLabel('Value', { exact: true }).selectOption('mobile')
  await page.getByRole('button', { name: 'Condition', exact: true }).click()
  await page.locator('#rules-0-when-of-1-subject').selectOption('query')
  await page.locator('#rules-0-when-of-1-name').fill('ref')
  await page.locator('#rules-0-when-of-1-value').fill('news')
  await page.getByText('From this bundle').click()
  await page.getByRole('button', { name: 'two.example' }).click()
  await until(page, '#rules-0-state', 'On a phone, with \u2068?ref\u2069 = \u2068news\u2069 in the link')
  expect(await outcome(page)).toContain('No rule holds')
  await page.getByLabel('Device').selectOption('mobile')
  await page.getByLabel('In the link, after ?').fill('?x=1&ref=NEWS')
  await until(page, '#outcome', 'Rule 1: On the move')
  expect(await page.locator('#verdict .got').textContent()).toContain('two.example/plan')
  expect(await page.locator('.trace .mark.yes').count()).toBe(4)
  await page.locator('#rules-0-when-of-1-value').fill('other')
  await until(page, '#outcome', 'No rule holds')
  expect(await page.locator('#rules-0-when-of-0-state .mark.yes').count()).toBe(1)
  expect(await page.locator('#rules-0-when-of-1-state .mark.no').count()).toBe(1)
  await page.locator('#rules-0-when-of-1-value').fill('news')
  await page.getByRole('button', { name: 'Save rules' }).click()
  await until(page, '.flash', 'Saved as a new version.')
  expect(complaints).toEqual([])
  const phone = await (await browser.newContext({ userAgent: IPHONE })).newPage()
  await phone.goto(`${server.origin}/l/${slug}?ref=news`)
  expect(
    await phone.locator('a.tab').evaluateAll((all) => (all as HTMLAnchorElement[]).map(({ href }) => href)),
  ).toEqual(['https://two.example/plan'])
  await phone.goto(`${server.origin}/l/${slug}`)
  expect(await phone.locator('a.tab').count()).toBe(2)
  await phone.context().close()
  await page.context().close()
})

test('with the keyboard alone a rule is made, nested, moved and saved, and the focus goes where the work goes on', async () => {
  const { page, slug } = await rulesOf({ resolutionPolicy: { version: 1, rules: THREE.rules.slice(0, 1) } })
  const keys = async (...all: string[]) => {
    for (const key of all) await page.keyboard.press(key)
  }
  const on = (id: string) => page.waitForFunction((id) => document.activeElement?.id === id, id)
  await page.locator('#add').focus()
  await keys('Enter')
  await on('rules-1-name')
  await page.keyboard.type('Readers')
  // Past Done, up, copy and remove; down is off at the end of the list.
  await keys('Tab', 'Tab', 'Tab', 'Tab', 'Tab')
  expect(await focused(page)).toBe('rules-1-when-subject')
  await page.keyboard.type('Lang')
  await page.locator('#rules-1-when-value').waitFor()
  await on('rules-1-when-subject')
  await keys('Tab')
  expect(await focused(page)).toBe('rules-1-when-op')
  await page.keyboard.type('beg')
  await page.waitForFunction(
    () => document.querySelector<HTMLSelectElement>('#rules-1-when-op')?.value === 'startsWith',
  )
  await settled(page)
  await on('rules-1-when-op')
  await keys('Tab')
  await page.keyboard.type('de')
  await keys('Tab', 'Tab')
  expect(await focused(page)).toBe('rules-1-when-add')
  await keys('Enter')
  await on('rules-1-when-of-1-subject')
  await page.keyboard.type('Sig')
  await settled(page)
  await on('rules-1-when-of-1-subject')
  await keys('Tab')
  await keys('Enter')
  await on('rules-1-when-of-1-op')
  await page.locator('#rules-1-tabs-0-url').focus()
  await page.keyboard.type('https://three.example/')
  await page.locator('#rules-1-up').focus()
  await keys('Enter')
  await on('rules-0-down')
  await page.getByRole('button', { name: 'Save rules' }).focus()
  await keys('Enter')
  await until(page, '.flash', 'Saved as a new version.')
  const saved = await savedOf(slug)
  expect(saved?.rules.map(({ name }) => name)).toEqual(['Readers', 'Phones'])
  expect(saved?.rules[0]?.when).toEqual({ op: 'and', of: [GERMAN, { op: 'and', of: [{ op: 'signedIn' }] }] })
  await page.context().close()
})

test('without JavaScript the same form does it all, and each answer is sound HTML', async () => {
  const { page, slug } = await rulesOf({}, { javaScriptEnabled: false })
  await page.getByRole('button', { name: 'Whoever is on a phone' }).click()
  await page.getByRole('button', { name: 'Group', exact: true }).click()
  await page.locator('#rules-0-when-of-1-of-0-subject').selectOption('timeWindow')
  await page.getByRole('button', { name: 'Update', exact: true }).click()
  await page.getByText('Sa', { exact: true }).click()
  await page.locator('#rules-0-when-of-1-of-0-zone').fill('Europe/Atlantis')
  await page.locator('#rules-0-tabs-0-url').fill('nowhere')
  await page.getByLabel('Show them').check()
  const sound = async () => {
    const { results } = await validator.validateString(await page.content())
    expect(results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`))).toEqual(
      [],
    )
  }
  await sound()
  await page.getByRole('button', { name: 'Save rules' }).click()
  expect(await page.locator('#rules-0-when-of-1-of-0-state').textContent()).toContain('an IANA time zone')
  expect(await page.locator('#rules-0-tabs-0-state').textContent()).toContain(
    'The link must be an http: or https: URL.',
  )
  expect(await page.locator('#rules-0-when-of-1-of-0-days-sat').isChecked()).toBe(true)
  await sound()
  await page.locator('#rules-0-when-of-1-of-0-zone').fill('Europe/Berlin')
  await page.locator('#rules-0-tabs-0-url').fill(' https://app.example/ ')
  await page.getByLabel('Date and time').fill('2026-11-07T10:00')
  await page.locator('#viewer-zone').fill('Europe/Berlin')
  await page.getByLabel('Device').selectOption('mobile')
  await page.getByRole('button', { name: 'Show what they get' }).click()
  expect(await outcome(page)).toContain('Rule 1: On a phone')
  await page.getByRole('button', { name: 'JSON' }).click()
  await sound()
  await page.locator('#json').fill((await page.locator('#json').inputValue()).replace('"On a phone"', '"By JSON"'))
  await page.getByRole('button', { name: 'Save rules' }).click()
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
  await page.getByText('Clear all rules').click()
  await sound()
  await page.getByRole('button', { name: 'Clear the rules' }).click()
  expect(await savedOf(slug)).toBeNull()
  await page.context().close()
})

test('any policy comes through the form of a real browser as it was', async () => {
  const page = await browser.newPage()
  const random = new RandomPolicies(prng(4711))
  for (let tries = 0; tries < 40; tries += 1) {
    const policy = random.policy(5)
    const building = { findings: { notes: new Map(), marks: new Map() }, focus: '', own: [] }
    const draft = { rules: draftOf(policy).rules.map(opened) }
    await page.setContent(`<form>${(<RuleFields draft={draft} removed={null} building={building} />) as string}</form>`)
    const sent = await page.evaluate(() => [...new FormData(document.querySelector('form') as HTMLFormElement)])
    const { source } = readRules(new URLSearchParams(sent as [string, string][]))
    expect<unknown>(source !== null && 'draft' in source ? written(source.draft) : null).toEqual(policy)
  }
  await page.close()
})

test('what is typed while an answer is under way is not lost', async () => {
  const { page } = await rulesOf({ resolutionPolicy: THREE })
  await page.locator('#rules-0-edit').click()
  await page.locator('#rules-0-name').waitFor()
  let held = 0
  await page.route('**/policy', async (route) => {
    held += 1
    if (held === 1) await Bun.sleep(600)
    await route.continue()
  })
  await page.locator('#rules-1-down').click()
  await page.locator('#rules-0-name').fill('Typed meanwhile')
  await page.waitForFunction(() => document.querySelector('#rules-2 h3')?.textContent === 'German')
  expect(await page.locator('#rules-0-name').inputValue()).toBe('Typed meanwhile')
  expect(await names(page)).toEqual(['Members', 'German'])
  await page.context().close()
})

test('what is chosen and pressed while an answer is under way is not lost either', async () => {
  const { page, slug } = await rulesOf({ resolutionPolicy: { version: 1, rules: THREE.rules.slice(0, 1) } })
  await page.route('**/policy', async (route) => {
    await Bun.sleep(400)
    await route.continue()
  })
  await page.locator('#rules-0-edit').click()
  await page.locator('#rules-0-name').waitFor()
  await page.locator('#rules-0-when-subject').selectOption('emailDomain')
  await page.locator('#rules-0-when-op').selectOption('endsWith')
  await page.locator('#rules-0-name').fill('Of Acme')
  await until(page, '#rules-0-state', 'With an address whose domain ends with')
  expect(await page.locator('#rules-0-when-op').inputValue()).toBe('endsWith')
  await page.locator('#rules-0-when-value').fill('.acme.com')
  await page.locator('#add').click()
  await page.locator('#rules-0-when-value').fill('.acme.example')
  await page.getByRole('button', { name: 'Save rules' }).click()
  await page.locator('#alert').waitFor()
  await page.locator('#rules-1-remove').click()
  await page.getByRole('button', { name: 'Save rules' }).click()
  await until(page, '.flash', 'Saved as a new version.')
  expect((await savedOf(slug))?.rules).toMatchObject([
    { name: 'Of Acme', when: { op: 'endsWith', field: 'emailDomain', value: '.acme.example' } },
  ])
  await page.context().close()
})

test('a grip takes a rule to another place, and what is not saved is asked about before it is left', async () => {
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
  await until(page, '#unsaved', 'Not saved yet.')
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  await page.getByRole('link', { name: 'Versions' }).click()
  await Bun.sleep(300)
  expect([asked, new URL(page.url()).pathname]).toEqual([['beforeunload'], `/dashboard/links/${slug}/policy`])
  await page.getByRole('link', { name: 'Discard' }).click()
  await page.waitForFunction(() => document.querySelector('#rules-0 h3')?.textContent === 'Phones')
  expect(asked).toHaveLength(1)
  await page.context().close()
})

test('warnings and what is missing are told beside their condition while it is typed', async () => {
  const { page } = await rulesOf({ resolutionPolicy: THREE })
  await page.locator('#rules-1-edit').click()
  const state = page.locator('#rules-1-when-state')
  await page.locator('#rules-1-when-subject').selectOption('emailDomain')
  await page.locator('#rules-1-when-op').selectOption('endsWith')
  await page.locator('#rules-1-when-value').fill('acme.com')
  await until(page, '#rules-1-when-state', '"acme.com" also ends "notacme.com"')
  expect(await page.locator('#rules-1-when-value').inputValue()).toBe('acme.com')
  expect(await focused(page)).toBe('rules-1-when-value')
  await page.locator('#rules-1-when-value').fill('')
  await until(page, '#rules-1-when-state', 'Type a value.')
  expect(await state.locator('.error').count()).toBe(0)
  await page.locator('#rules-1-when-value').fill('x'.repeat(513))
  await until(page, '#rules-1-when-state', 'The value must be at most 512 characters.')
  expect(await page.locator('#rules-1-when-value').getAttribute('aria-invalid')).toBe('true')
  await page.context().close()
})

describe.each([390, 1280])('at %i pixels', (width) => {
  test('axe has nothing to object to, light and dark, in any state; nothing is wider than the page', async () => {
    const wide = { op: 'endsWith', field: 'emailDomain', value: 'acme.com' }
    const deep = {
      op: 'and',
      of: [
        {
          op: 'or',
          of: [
            { op: 'not', of: [{ op: 'or', of: [wide, GERMAN, { op: 'in', field: 'country', values: ['DE', 'AT'] }] }] },
            PHONE,
          ],
        },
      ],
    }
    const window = { op: 'timeWindow', days: ['mon'], from: '09:00', to: '17:00', timeZone: 'Europe/Berlin' }
    const long = {
      ...rule('x'.repeat(120), {
        op: 'and',
        of: [window, { op: 'after', field: 'now', value: '2026-11-01T00:00:00Z' }],
      }),
      tabs: [{ url: `https://a.example/${'a'.repeat(2000)}`, note: 'مرحبا <script>' }],
    }
    const resolutionPolicy = { version: 1, rules: [rule('Deep', deep), long, ...THREE.rules] }
    const { page } = await rulesOf({ resolutionPolicy }, { bypassCSP: true, viewport: { width, height: 844 } })
    await page.evaluate(axe.source)
    const fine = async (state: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
        expect([state, colorScheme, found]).toEqual([state, colorScheme, []])
      }
      const wider = await page.evaluate(() => (document.scrollingElement?.scrollWidth ?? 0) - innerWidth)
      expect([state, wider]).toEqual([state, 0])
    }
    await fine('closed')
    for (const at of [0, 1, 2]) {
      await page.locator(`#rules-${at}-edit`).click()
      await page.locator(`#rules-${at}-name`).waitFor()
    }
    await page.getByLabel('Signed in').check()
    await page.locator('#viewer-now').fill('2026-11-02T10:00')
    await until(page, '#outcome', 'Rule 1: Deep')
    await fine('open')
    await page.locator('#rules-1 .picks summary').click()
    await fine('picking')
    await page.locator('#rules-4-remove').click()
    await page.locator('#undo').waitFor()
    await page.locator('#rules-0-name').fill('')
    await page.getByRole('button', { name: 'Save rules' }).click()
    await page.locator('#alert').waitFor()
    await fine('refused')
    await page.locator('#rules-0-name').fill('Deep')
    await page.getByRole('button', { name: 'JSON' }).click()
    await page.locator('#json').fill('{')
    await until(page, '#json-state', 'this is not JSON')
    await fine('json')
    await page.context().close()
  })
})

const validator = new HtmlValidate({
  root: true,
  extends: ['html-validate:standard', 'html-validate:a11y', 'html-validate:document'],
  rules: {
    'require-sri': ['error', { target: 'crossorigin' }],
    // Of a page as the browser writes it out again, not as it was sent.
    'doctype-style': 'off',
    'attr-quotes': 'off',
    'void-style': 'off',
    'no-raw-characters': 'off',
    'attribute-boolean-style': 'off',
    'attribute-empty-style': 'off',
    'no-trailing-whitespace': 'off',
  },
})
