import { expect, test } from 'bun:test'
import { axeViolations, overflowOf } from '../browser/flaws.ts'
import { setStage } from '../browser/stage.ts'
import { shows } from '../browser/waiting.ts'
import { newPerson } from '../people.ts'

const rule = (name: string, when: object, tab: object = {}) => ({
  name,
  when,
  tabs: [{ url: `https://${name.toLowerCase().slice(0, 60)}.example/`, ...tab }],
})
const PHONE = { op: 'equals', field: 'device', value: 'mobile' }
const GERMAN = { op: 'startsWith', field: 'language', value: 'de' }
const WIDE = { op: 'endsWith', field: 'emailDomain', value: 'acme.com' }
const COUNTRIES = { op: 'in', field: 'country', values: ['DE', 'AT'] }
const DEEP = {
  op: 'and',
  of: [{ op: 'or', of: [{ op: 'not', of: [{ op: 'or', of: [WIDE, GERMAN, COUNTRIES] }] }, PHONE] }],
}
const WEEKDAY = { op: 'timeWindow', days: ['mon'], from: '09:00', to: '17:00', timeZone: 'Europe/Berlin' }
const LONG = rule(
  'x'.repeat(120),
  { op: 'and', of: [WEEKDAY, { op: 'after', field: 'now', value: '2026-11-01T00:00:00Z' }] },
  { url: `https://a.example/${'a'.repeat(2000)}`, note: 'مرحبا <script>' },
)
const RULES = [
  rule('Deep', DEEP),
  LONG,
  rule('Phones', PHONE),
  rule('German', GERMAN),
  rule('Members', { op: 'signedIn' }),
]

const stage = setStage()

test('rules in any state have no axe violations, and at no width is anything wider than the page', async () => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle({ resolutionPolicy: { version: 1, rules: RULES } })
  const { page } = await stage.open(`/dashboard/links/${slug}/policy`, owner, {
    bypassCSP: true,
    reducedMotion: 'reduce',
  })
  const fine = async (state: string) => {
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 })
      expect([state, width, await overflowOf(page)]).toEqual([state, width, 0])
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const violations = await axeViolations(page, { colorsAlone: colorScheme === 'dark' })
      expect([state, colorScheme, violations]).toEqual([state, colorScheme, []])
    }
  }
  await fine('closed')
  for (const at of [0, 1, 2]) {
    await page.locator(`#rules-${at}-edit`).click()
    await page.locator(`#rules-${at}-name`).waitFor()
  }
  await page.locator('.custom > summary').click()
  await page.getByLabel('Signed in').check()
  await page.locator('#viewer-now').fill('2026-11-02T10:00')
  await shows(page, '#outcome', 'Rule 1: Deep')
  await fine('open')
  await page.locator('#rules-1 .picks summary').click()
  await fine('picking')
  await page.locator('#rules-4-remove').click()
  await page.locator('#undo').waitFor()
  await page.locator('#rules-0-name').fill('')
  await page.getByRole('button', { name: 'Save rules' }).click()
  await page.locator('[aria-invalid]').first().waitFor()
  // The marked field says what is wrong, and nothing else does.
  expect(await page.locator('.alert:visible').count()).toBe(0)
  await fine('refused')
  await page.locator('#rules-0-name').fill('Deep')
  await page.getByRole('button', { name: 'JSON' }).click()
  await page.locator('#json').fill('{')
  await shows(page, '#json-state', 'this isn’t JSON')
  await fine('json')
})
