import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import Papa from 'papaparse'
import { dateOf } from '../../src/core/dates.js'
import { becomes } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import type { Person } from '../people.ts'
import type { Server } from '../server.ts'
import { DESKTOP, IPHONE } from './devices.ts'
import { kindsOfWay } from './engines.ts'
import { type At, button, field, link, signedIn, tab } from './journey.ts'

// Somebody who works with tables: what is counted goes out as CSV, and links come in as CSV.

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(300_000)

const DAY_MS = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

const [PLAN, BOARD, PHONE] = ['https://plan.example/q3', 'https://board.example/?of=a,b', 'https://m.example/']

/** A list as a spreadsheet saves it: every column that we have, and cells that need quotes. */
const LINKS = `url,note,tags,openPolicy,section,check
https://one.example/,"First, of all","read first, ""a, b""",auto,Start,yes
https://two.example/?q=1,Said “two”,,manual,Start,no
https://three.example/,,third,auto,,yes
https://four.example/,'=SUM(A1),,auto,End,yes
`
const rowsOf = (csv: string) => Papa.parse<Record<string, string>>(csv.trim(), { header: true }).data

let server: Server
beforeAll(async () => {
  server = await startInProcess()
})
afterAll(() => server.stop())

describe.each(kindsOfWay('WebKit'))('$name', (kind) => {
  let at: At
  let owner: Person
  let leave: () => Promise<void>
  beforeAll(async () => {
    ;({ at, owner, leave } = await signedIn(kind, server, 'analyst'))
  })
  afterEach(() => at.expectQuiet())
  afterAll(() => leave?.())

  /** A bundle with a rule, and what was counted of it today and before. */
  async function counted(): Promise<void> {
    const when = { op: 'equals', field: 'device', value: 'mobile' }
    const { slug } = await owner.makeBundle({
      title: 'Quarter three',
      urls: [PLAN, BOARD],
      urlMetadata: [{ note: 'The plan' }],
      resolutionPolicy: { version: 1, rules: [{ name: 'Phones, "all"', when, tabs: [{ url: PHONE }] }] },
    })
    const views: Record<string, string>[] = [
      { 'user-agent': DESKTOP, 'accept-language': 'de-AT', referer: 'https://news.example/story' },
      { 'user-agent': DESKTOP, 'accept-language': 'en-GB', referer: 'https://news.example/' },
      { 'user-agent': DESKTOP, 'accept-language': 'en-GB', referer: 'https://wiki.example/' },
      { 'user-agent': IPHONE, 'accept-language': 'en-GB' },
    ]
    for (const headers of views) await fetch(`${server.origin}/l/${slug}`, { headers })
    const opened = [[PLAN, BOARD], [PLAN], [PLAN, PHONE], [PHONE]]
    for (const urls of opened) {
      await fetch(`${server.origin}/api/links/${slug}/events`, {
        method: 'POST',
        headers: { 'user-agent': DESKTOP, 'content-type': 'text/plain', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ kind: 'open_tabs', urls }),
      })
    }
    for (const [days, views, clicks] of [
      [3, 1200, 30],
      [20, 17, 4],
      [60, 5, 5],
    ] as const) {
      const insert = "INSERT INTO daily_counters SELECT id, ?, '', ?, ? FROM bundles WHERE slug = ?"
      await server.sql(insert, [ago(days), views, clicks, slug])
    }
    const told = async () => (await owner.api<Counted>('GET', `/api/links/${slug}/insights`)).body
    const sum = (all: { views: number }[]) => all.reduce((before, { views }) => before + views, 0)
    await becomes(async () => {
      const { breakdowns, tabs, totals } = await told()
      return [totals.views, sum(breakdowns.languages.values), tabs.map(({ opens }) => opens)]
    }, [1221, 4, [3, 1, 2]])
  }

  test('insights are read in another range, and every file that the page offers has its numbers', async () => {
    await counted()
    await at.open('/dashboard')
    await at.click(link('Quarter three'))
    await at.click(tab('Insights'))
    for (const [days, views] of [
      ['7', '1,204'],
      ['90', '1,226'],
    ] as const) {
      await at.click(link(`${days} days`))
      await at.has(`//*[@aria-current][normalize-space() = "${days} days"]`)
      await at.sees(views)
      await at.click('//summary[normalize-space() = "CSV"]')
      await at.has(link('Views per day'))
      const offered = await at.viewer.read<Offered[]>(OFFERED)
      const names = offered.map(({ heading }) => heading)
      expect(names).toEqual(expect.arrayContaining(['Views per day', 'Referrers', 'Devices', 'Languages', 'By rule']))
      expect(names.length).toBe(6)
      for (const { heading, href, rows } of offered) {
        const answer = await owner.fetch(href)
        expect([heading, answer.status, answer.headers.get('content-type')]).toEqual([
          heading,
          200,
          'text/csv; charset=utf-8',
        ])
        const [header = [], ...lines] = Papa.parse<string[]>((await answer.text()).trim()).data
        const counts = header.flatMap((name, column) => (COUNTS.includes(name) ? [column] : []))
        const inFile = lines.map((cells) => counts.map((column) => Number(cells[column])))
        const onPage = rows.map((cells) =>
          cells.slice(0, counts.length).map((cell) => Number(cell.replaceAll(',', ''))),
        )
        expect([heading, inFile.length, counts.length]).toEqual([
          heading,
          rows.length,
          heading === 'Views per day' || heading === 'By rule' ? 2 : 1,
        ])
        expect([heading, inFile.toSorted(byNumbers)]).toEqual([heading, onPage.toSorted(byNumbers)])
      }
      const lines = rowsOf(await (await owner.fetch(offered[0]!.href)).text())
      expect(lines).toHaveLength(Number(days))
    }
  })

  test('a CSV of links is imported, changed before it is made, and exported again with nothing lost', async () => {
    await at.open('/dashboard')
    await at.click(link('New bundle'))
    await at.has('#urls')
    await at.click('main a[href="/dashboard/links/import"]')
    await at.paste(field('Paste or upload'), LINKS)
    await at.click(button('Preview'))
    await at.has(field('Title of bundle 1'))
    const titles = async () => {
      const { body } = await owner.api<{ bundles: { title: string }[] }>('GET', '/api/me/links')
      return body.bundles.map(({ title }) => title)
    }
    expect(await titles()).toEqual(['Quarter three'])
    await at.fill(field('Title of bundle 1'), 'From a spreadsheet')
    await at.click('//label[contains(., "three.example")]//input')
    await at.click(button('Create 1 bundle'))
    await at.click(link('From a spreadsheet'))
    expect(await titles()).toContain('From a spreadsheet')
    await at.has(tab('Insights'))
    const files = await at.viewer.read<string[]>(
      `[...document.querySelectorAll('a[href$=".csv"]')].map(({ href }) => href)`,
    )
    expect(files).toHaveLength(1)
    const exported = rowsOf(await (await owner.fetch(files[0]!)).text())
    const kept = rowsOf(LINKS).filter(({ url }) => url !== 'https://three.example/')
    expect(exported).toEqual(kept)
  })

  test('the reports of each week are one link, and a calendar reminds of it every Monday', async () => {
    await at.open('/dashboard/links/new')
    await at.fill('#urls', 'https://sales.example/reports?week={week} https://visits.example/{week}')
    await at.sees('2 links found')
    await at.fill('#title', 'Reports for {week}')
    await at.click(button('Get the link'))
    await at.sees('Bundle created.')
    await at.click('//summary[@aria-label = "More for week"]')
    await at.fill('[name="variables.default"]', '=week')
    await at.click(button('Save'))
    await at.sees('Saved')
    await at.click('//summary[starts-with(@aria-label, "More for Reports")]')
    await at.click(link('Remind me'))
    await at.sees('Reports for …')
    await at.sees('Week: that of the day')
    const zone = await at.viewer.read<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')
    await becomes(() => at.viewer.read('document.getElementById("zone").value'), zone)
    await at.click('//label[normalize-space() = "Thu"]')
    await at.click(button('Make the reminder'))
    await at.sees('Your reminder is ready')
    const next = await at.viewer.read<string>('document.querySelector(".next b").textContent')
    expect(next).toMatch(/^Next: (?:(?:Mon|Thu) \d+ [A-Z][a-z]{2}, 09:00(?: · )?){3}$/)
    const address = await at.viewer.read<string>('document.querySelector("a[download]").href')
    expect(await at.viewer.read<string>('document.querySelector("a[href^=webcal]").href')).toBe(
      address.replace(/^http:/, 'webcal:'),
    )
    // A calendar signs in nowhere.
    const calendar = (await (await fetch(address)).text()).replaceAll('\r\n ', '')
    expect([calendar.includes('SUMMARY:Reports for …\r\n'), calendar.includes('BYDAY=MO,TH\r\n')]).toEqual([true, true])
    await at.open(/\r\nURL:(.*)\r\n/.exec(calendar)?.[1] ?? '')
    const week = dateOf('=week', zone)
    await at.has(`//h1[normalize-space() = "Reports for ${week}"]`)
    await at.has(`//a[@href = "https://visits.example/${week}"]`)
  })
})

interface Counted {
  totals: { views: number }
  tabs: { opens: number }[]
  breakdowns: { languages: { values: { views: number }[] } }
}

/** A file that the page offers, and the rows of numbers beside it. */
interface Offered {
  heading: string
  href: string
  rows: string[][]
}

/** The columns of files that are on the page as they are. */
const COUNTS = ['views', 'openAllClicks', 'opens']

/** The numbers of a file stand in the section of its name. */
const OFFERED = `[...document.querySelectorAll('main a[download][href*="/insights"]')].map((file) => {
  const heading = file.textContent.trim()
  const section = [...document.querySelectorAll('main section')]
    .find((one) => one.querySelector('h2')?.textContent.trim() === heading)
  const all = [...section.querySelectorAll('table')]
  return {
    heading,
    href: file.getAttribute('href'),
    rows: all.flatMap((table) => [...table.tBodies[0].rows]).map((row) => [...row.cells].slice(1).map((cell) => cell.textContent.trim())),
  }
})`

function byNumbers(one: number[], other: number[]): number {
  return one.map((number, at) => number - (other[at] ?? 0)).find((difference) => difference !== 0) ?? 0
}
