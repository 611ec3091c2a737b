import { describe, expect, test } from 'bun:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { NewBundle } from '../../src/bundles/content/shapes.ts'
import { becomes } from '../eventually.ts'
import { newPerson } from '../people.ts'
import { createBundle } from './service.ts'
import { setStage } from './stage.ts'
import { DESK } from './variables.ts'

const stage = setStage()

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

describe('a launcher that lacks a value', () => {
  test('asks for it with the cursor in its field, and marks each place with a name that is read out', async () => {
    const page = await visit(DESK)
    expect(await page.textContent('h1')).toBe('Customer {customer}')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('value-customer')
    expect(await page.getByRole('textbox', { name: 'Customer number' }).getAttribute('placeholder')).toBe('4711')
    expect(await page.inputValue('#value-range')).toBe('7d')
    expect(await page.locator('.tab .blank').count()).toBe(7)
    expect(await page.getByRole('img', { name: 'Customer number' }).count()).toBe(2)
    expect(await hrefs(page)).toEqual(Array(6).fill(null))
  })

  test('on a phone has no cursor in it, because a keyboard would cover the page', async () => {
    const page = await visit(DESK, '', PHONE)
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
  })

  test('is filled in while somebody types, and a blank again without the text', async () => {
    const page = await visit(DESK)
    await page.keyboard.type('47 11')
    expect(await hrefs(page)).toEqual(filled('47%2011', '7d'))
    expect(await page.title()).toBe('Customer 47 11 · Openall')
    expect(await page.locator('.tab .blank').count()).toBe(0)
    expect(await page.locator('.tab .where').first().textContent()).toBe('crm.northwind.example/customers/47 11')
    await page.selectOption('#value-range', '24h')
    expect(await hrefs(page)).toEqual(filled('47%2011', '24h'))
    await page.fill('#value-customer', '')
    expect(await hrefs(page)).toEqual(Array(6).fill(null))
    expect(await page.getByRole('img', { name: 'Customer number' }).count()).toBe(2)
  })

  test.each([PHONE, {}])('keeps the height of its rows, whatever is typed: %j', async (size) => {
    const page = await visit(
      {
        ...DESK,
        urlMetadata: DESK.urlMetadata.map((tab) => ({ ...tab, note: `${tab.note} of {customer}\nAbout {customer}` })),
      },
      '',
      size,
    )
    const heights = () =>
      page.locator('.tabs > li').evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
    const before = await heights()
    for (const value of ['4', '4711 and a long name '.repeat(9), '']) {
      await page.fill('#value-customer', value)
      expect(await heights()).toEqual(before)
    }
  })

  test.each(['#open', '#copy', '#bookmarks', '.part', '.tab'])(
    'asks for it instead of what %s does',
    async (selector) => {
      const page = await visit(DESK)
      const downloads: unknown[] = []
      page.on('download', (download) => downloads.push(download))
      await page.click(selector)
      expect(await page.textContent('#value-customer-error')).toBe('Fill this in first.')
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('value-customer')
      expect(await page.locator('.opened').count()).toBe(0)
      expect([downloads.length, page.context().pages().length]).toEqual([0, 1])
      await page.fill('#value-customer', '4')
      expect(await page.locator('.error').count()).toBe(0)
    },
  )

  test('says of a value what is wrong with it now, not what was wrong before', async () => {
    const page = await visit(DESK)
    await page.click('#open')
    await page.fill('#value-customer', '4'.repeat(300))
    expect(await page.textContent('#value-customer-error')).toBe('Use at most 200 characters.')
    await page.fill('#value-customer', '')
    expect(await page.textContent('#value-customer-error')).toBe('Fill this in first.')
    await page.fill('#value-customer', '4711')
    expect(await page.locator('.error').count()).toBe(0)
  })

  test('keeps what is typed in its address, its bookmarks file, its QR code and a copy, with the rest of the query', async () => {
    const page = await visit({ ...DESK, copyable: true }, '?team=sales')
    await page.fill('#value-customer', 'a&b')
    await page.press('#value-customer', 'Tab')
    const query = '?team=sales&customer=a%26b&range=7d'
    expect(new URL(page.url()).search).toBe(query)
    for (const link of ['#bookmarks', '#own-copy', '#remind']) {
      expect(new URL((await page.locator(link).getAttribute('href')) ?? '', page.url()).search).toBe(query)
    }
    expect(await page.locator('.qr img').getAttribute('src')).toEndWith('/qr.svg?customer=a%26b&range=7d')
    expect(await page.locator('#in-qr').getAttribute('hidden')).toBeNull()
    await page.reload()
    expect(await page.title()).toBe('Customer a&b · Openall')
    expect(await hrefs(page)).toEqual(filled('a%26b', '7d'))
  })
})

describe('a launcher with values in its address', () => {
  test.each(['/4711', '?customer=4711', '?customer=4711&range=7d'])(
    'is filled at %s, with values to change',
    async (at) => {
      const page = await visit(DESK, at)
      expect(await page.title()).toBe('Customer 4711 · Openall')
      expect(await hrefs(page)).toEqual(filled('4711', '7d'))
      expect(await page.isVisible('.ask')).toBe(false)
      expect(await page.locator('.pick').allTextContents()).toEqual(['Customer number 4711', 'Range 7d'])
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toEndWith(at)
      expect(await page.locator('#bookmarks').getAttribute('href')).toContain('customer=4711')
      await page.click('.pick >> nth=1')
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('value-range')
      await page.selectOption('#value-range', '30d')
      expect(await hrefs(page)).toEqual(filled('4711', '30d'))
      expect(new URL(page.url()).search).toBe('?customer=4711&range=30d')
    },
  )

  test('copies its link, also after a change', async () => {
    const page = await visit(DESK, '/4711', { permissions: ['clipboard-read', 'clipboard-write'] })
    const copied = async () => {
      await page.click('#copy-values')
      await page.getByText('The link is copied, with the values in it.').waitFor()
      return new URL(await page.evaluate(() => navigator.clipboard.readText())).search
    }
    expect(await copied()).toBe('?customer=4711&range=7d')
    await page.click('.pick')
    await page.keyboard.type('5')
    expect(await copied()).toBe('?customer=5&range=7d')
  })

  test('has no QR code of values that are too long for one, says so, and has one again', async () => {
    const variables = ['a', 'b'].map((name) => ({ name }))
    const page = await visit({ urls: ['https://a.example/{a}', 'https://b.example/{b}'], variables }, '?a=1&b=2')
    const says = async () => [await page.locator('.qr img').isVisible(), await page.locator('#in-qr').textContent()]
    await page.click('.qr summary')
    expect(await says()).toEqual([true, 'The values above are in it: whoever scans it sees them.'])
    await page.click('.pick')
    for (const name of ['a', 'b']) await page.fill(`#value-${name}`, '漢'.repeat(200))
    await page.press('#value-b', 'Tab')
    await page.click('.qr summary')
    expect(await says()).toEqual([false, 'These values are too long for a QR code. Copy the link instead.'])
    // It stays open while somebody types.
    await page.fill('#value-b', '3')
    await page.press('#value-b', 'Tab')
    expect(await says()).toEqual([true, 'The values above are in it: whoever scans it sees them.'])
  })

  test('says beside the field what is wrong with a value, opens nothing and loses nothing', async () => {
    const page = await visit(DESK, '?customer=..&range=9d')
    const says = () => page.locator('.ask .error').allTextContents()
    const wrong = ['Use another value: with this one, a link would lead elsewhere.', 'Choose one of: 24h, 7d, 30d.']
    expect(await says()).toEqual(wrong)
    // Enter would do nothing, so nothing says that it does.
    const hint = () => page.locator('#fills').innerText()
    expect(await hint()).toBe('Fills in as you type.')
    await page.selectOption('#value-range', '24h')
    expect(await says()).toEqual(wrong.slice(0, 1))
    expect(await page.inputValue('#value-customer')).toBe('..')
    expect(await hrefs(page)).toEqual(Array(6).fill(null))
    await page.press('#value-customer', 'Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('value-customer')
    expect(page.context().pages()).toHaveLength(1)
    await page.fill('#value-customer', '...')
    expect(await says()).toEqual([])
    expect(await hint()).toBe('Fills in as you type. Enter opens all.')
    expect(await hrefs(page)).toEqual(filled('...', '24h'))
  })

  test('is no wider than a phone, whatever the value, also at twice the size', async () => {
    for (const at of [`/${'x'.repeat(200)}`, `?customer=${'x'.repeat(201)}`]) {
      for (const width of [390, 195]) {
        const page = await visit(DESK, at, { viewport: { width, height: 844 } })
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
        const bar = await page.locator('#open').boundingBox()
        expect((bar?.x ?? 0) + (bar?.width ?? 0)).toBeLessThanOrEqual(width)
      }
    }
  })

  test('keeps a value that runs from right to left apart from the text around it', async () => {
    const page = await visit(DESK, `?customer=${encodeURIComponent('عميل (7)')}`)
    const directions = await page
      .locator('.value')
      .evaluateAll((values) => values.map((value) => getComputedStyle(value).unicodeBidi))
    expect(new Set(directions)).toEqual(new Set(['isolate']))
    expect(await page.locator('#value-customer').getAttribute('dir')).toBe('auto')
  })
})

describe('a launcher whose rules read a variable', () => {
  const RULED = {
    ...DESK,
    resolutionPolicy: {
      version: 1,
      rules: [
        {
          name: 'Europe',
          when: { op: 'startsWith', field: 'query.customer', value: 'EU-' },
          tabs: [{ url: 'https://eu.northwind.example/{customer}' }],
        },
      ],
    },
  }

  test('lets the server choose the tabs for a value before it opens any, and says so', async () => {
    const person = await newPerson(stage.server)
    const { url } = await person.makeBundle(RULED)
    const page = await stage.browser.newPage()
    await page.goto(url)
    expect(await page.textContent('#fills')).toBe('Which links there are depends on what you enter. Enter shows them.')
    await page.fill('#value-customer', 'EU-7')
    expect(await page.textContent('#open')).toBe('Show tabs')
    expect(await hrefs(page)).toEqual(Array(6).fill(null))
    await page.press('#value-customer', 'Enter')
    await page.waitForURL(/customer=EU-7/)
    await becomes(() => hrefs(page), ['https://eu.northwind.example/EU-7'])
    expect(await page.textContent('#open')).toBe('Open')
    await page.click('.pick')
    await page.keyboard.type('US-7')
    expect(await hrefs(page)).toEqual([null])
    await page.click('#open')
    await becomes(() => hrefs(page), filled('US-7', '7d'))
    // No rule reads this one.
    await page.click('.pick >> nth=1')
    await page.selectOption('#value-range', '24h')
    expect(await hrefs(page)).toEqual(filled('US-7', '24h'))
    expect(await page.textContent('#open')).toBe('Open all')
    expect(page.context().pages()).toHaveLength(1)
  })
})

test('without JavaScript, a form leads to the filled launcher, whose values lead back to it', async () => {
  const page = await visit(DESK, '', { javaScriptEnabled: false })
  expect(await page.isVisible('#open')).toBe(false)
  expect(await page.isVisible('#fills')).toBe(false)
  expect(await page.textContent('.bar noscript, .bar .hint')).toContain('Fill in the links')
  await page.fill('#value-customer', '47 11')
  await page.getByRole('button', { name: 'Fill in the links' }).click()
  expect(await page.title()).toBe('Customer 47 11 · Openall')
  expect(await hrefs(page)).toEqual(filled('47%2011', '7d'))
  expect(await page.isVisible('.ask')).toBe(false)
  await page.click('.pick')
  expect(await page.inputValue('#value-customer')).toBe('47 11')
  await page.fill('#value-customer', '..')
  await page.getByRole('button', { name: 'Fill in the links' }).click()
  expect(await page.textContent('#value-customer-error')).toContain('would lead elsewhere')
  expect(await page.inputValue('#value-customer')).toBe('..')
})

test('after a password, values are filled in, and what the page has within is of no other values', async () => {
  const person = await newPerson(stage.server)
  const { url } = await person.makeBundle({ ...DESK, access: 'password', password: 'four stairs down' })
  const page = await stage.browser.newPage()
  await page.goto(`${url}/4711`)
  await page.fill('#password', 'four stairs down')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.locator('#open').waitFor()
  expect(await hrefs(page)).toEqual(filled('4711', '7d'))
  expect([await page.isVisible('.qr'), await page.isVisible('#bookmarks')]).toEqual([true, true])
  await page.click('.pick')
  await page.keyboard.type('5')
  await page.keyboard.press('Tab')
  expect(await hrefs(page)).toEqual(filled('5', '7d'))
  expect([await page.isVisible('.qr'), await page.isVisible('#bookmarks')]).toEqual([false, false])
})

test.each([true, false])(
  'what else is in the address stays there, whatever it is called (JavaScript: %p)',
  async (isScripted) => {
    const others = 'utm_source=mail&querySelectorAll=1&addEventListener=2&classList=3&noValidate=4'
    const page = await visit(DESK, `?${others}`, { javaScriptEnabled: isScripted })
    await page.fill('#value-customer', '4711')
    if (isScripted) await page.press('#value-customer', 'Tab')
    else await page.getByRole('button', { name: 'Fill in the links' }).click()
    expect(await hrefs(page)).toEqual(filled('4711', '7d'))
    await becomes(() => new URL(page.url()).searchParams.get('customer'), '4711')
    const { searchParams } = new URL(page.url())
    for (const [name, value] of new URLSearchParams(others))
      expect([name, searchParams.get(name)]).toEqual([name, value])
  },
)

describe('behind a password, of a launcher whose rules read a variable,', () => {
  const PASSWORD = 'four stairs down'
  const when = (field: string, value: string) => ({ op: 'startsWith', field: `query.${field}`, value })
  const rules = [
    { name: 'Europe', when: when('customer', 'EU-'), tabs: [{ url: 'https://eu.northwind.example/{customer}' }] },
    { name: 'Mail', when: when('from', 'mail'), tabs: [{ url: 'https://mail.northwind.example/{customer}' }] },
  ]
  const lockedAt = async (at: string, options: BrowserContextOptions) => {
    const person = await newPerson(stage.server)
    const gate = { access: 'password', password: PASSWORD, resolutionPolicy: { version: 1, rules } }
    const { url } = await person.makeBundle({ ...DESK, ...gate })
    const page = await (await stage.browser.newContext(options)).newPage()
    await page.goto(url + at)
    return page
  }
  const unlock = async (page: Page) => {
    await page.fill('#password', PASSWORD)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.locator('h1', { hasText: 'Customer' }).waitFor()
  }

  test.each([true, false])(
    'another value asks for the password again and is kept (JavaScript: %p)',
    async (isScripted) => {
      for (const at of ['/4711', '?customer=4711', '']) {
        const page = await lockedAt(`${at}${at.includes('?') ? '&' : '?'}from=mail`, { javaScriptEnabled: isScripted })
        await page.fill('#password', 'five stairs down')
        await page.getByRole('button', { name: 'Open' }).click()
        await page.getByText('This isn’t the password.').waitFor()
        await unlock(page)
        expect([at, await hrefs(page)]).toEqual([at, [at === '' ? null : 'https://mail.northwind.example/4711']])
        if (at !== '') await page.click('.pick')
        await page.fill('#value-customer', 'EU-7')
        await page.getByRole('button', { name: isScripted ? 'Show tabs' : 'Fill in the links' }).click()
        await page.locator('#password').waitFor()
        expect(new URL(page.url()).searchParams.get('from')).toBe('mail')
        await unlock(page)
        expect(await hrefs(page)).toEqual(['https://eu.northwind.example/EU-7'])
        expect(await page.title()).toBe('Customer EU-7 · Openall')
      }
    },
  )
})

async function visit(bundle: NewBundle, at = '', options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await stage.browser.newContext(options)).newPage()
  const { url } = await createBundle(stage.server.origin, bundle)
  await page.goto(url + at)
  return page
}

function hrefs(page: Page): Promise<(string | null)[]> {
  return page.locator('a.tab').evaluateAll((tabs) => tabs.map((tab) => tab.getAttribute('href')))
}

function filled(customer: string, range: string): string[] {
  return DESK.urls.map((url) => url.replaceAll('{customer}', customer).replaceAll('{range}', range))
}
