import { beforeAll, expect, test } from 'bun:test'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { unescaped } from './html.ts'

const FORM = 'every=week&days=mon&days=wed&at=09:00&zone=Asia/Kolkata&day=1'

onEveryTarget({}, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const make = async (fields: object = {}) => (await owner.makeBundle({ title: 'Morning checks', ...fields })).slug
  const page = async (slug: string, query = '', by = new Visitor(at())) => {
    const answer = await by.fetch(`/l/${slug}/remind${query && `?${query}`}`)
    return { status: answer.status, headers: answer.headers, html: await answer.text() }
  }
  const hrefOf = (html: string, text: string) =>
    unescaped(new RegExp(`<a [^>]*href="([^"]*)"[^>]*>${text}</a>`).exec(html)?.[1] ?? '')
  const hiddenIn = (html: string) =>
    Array.from(html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g), ([, name, value]) => [
      name,
      value,
    ])

  test('a launcher leads to the page, whose form without a script makes the calendar’s address', async () => {
    const slug = await make()
    expect(
      hrefOf(await (await fetch(`${at().origin}/l/${slug}`, { headers: { accept: 'text/html' } })).text(), 'Remind me'),
    ).toBe(`/l/${slug}/remind`)
    const asked = await page(slug)
    expect([asked.status, asked.headers.get('x-robots-tag')]).toEqual([200, 'noindex'])
    expect(asked.html).toContain('Morning checks')
    expect(asked.html).toMatch(/<input type="checkbox" name="days" value="mon" checked/)
    expect(hrefOf(asked.html, 'Subscribe')).toBe('')
    const made = await page(slug, FORM)
    expect(made.status).toBe(200)
    const address = hrefOf(made.html, 'Download for a calendar')
    const today = new Date(Date.now() + 5.5 * 3_600_000).toISOString().slice(0, 10)
    const query = `days=mon,wed&at=09:00&zone=Asia/Kolkata&start=${today}`
    expect(address).toBe(`${at().origin}/l/${slug}/calendar.ics?${query}`)
    expect(hrefOf(made.html, 'Subscribe')).toBe(address.replace('http:', 'webcal:'))
    const calendar = await (await fetch(address)).text()
    const next = /Next: ([\s\S]*?)<\/b>/
      .exec(made.html)?.[1]
      ?.replace(/<[^>]*>|\s+/g, ' ')
      .replace(/ +/g, ' ')
      .trim()
    expect(next).toMatch(/^(?:(?:Mon|Wed) \d+ [A-Z][a-z]{2}, 09:00(?: · )?){3}$/)
    const [, first = ''] = /DTSTART;TZID=Asia\/Kolkata:(\d{8})T090000/.exec(calendar) ?? []
    expect(first >= today.replaceAll('-', '')).toBe(true)
    expect(calendar).toContain('BYDAY=MO,WE')
  })

  test('a month needs no days of the week, and what is wrong is said beside its field', async () => {
    const slug = await make()
    const monthly = await page(slug, 'every=month&days=mon&day=last&at=18:30&zone=UTC')
    expect(hrefOf(monthly.html, 'Download for a calendar')).toContain('?every=month&day=last&at=18:30&zone=UTC&start=')
    const wrong = await page(slug, 'every=week&at=&zone=Nowhere')
    expect(wrong.status).toBe(400)
    for (const [id, text] of [
      ['when', 'Choose at least one day'],
      ['at', 'Give hours and minutes'],
      ['zone', 'Name a time zone'],
    ])
      expect(wrong.html).toMatch(new RegExp(`id="${id}-error">${text}`))
    expect(wrong.html).toContain('value="Nowhere"')
    expect(hrefOf(wrong.html, 'Subscribe')).toBe('')
  })

  test('values come along from the launcher, also those called like the form’s own fields', async () => {
    const variables = [{ name: 'customer' }, { name: 'day', default: '=today' }, { name: 'zone', default: 'eu' }]
    const slug = await make({
      title: '{customer} on {day}',
      variables,
      urls: ['https://a.example/{customer}?day={day}&zone={zone}'],
    })
    const { html } = await page(slug, 'customer=A%26B&zone=us&utm_source=x&openall-referrer=https%3A%2F%2Fchat.example')
    expect(html).toContain('A&amp;B on …')
    const hidden = hiddenIn(html)
    expect(hidden).toEqual([
      ['customer', 'A&amp;B'],
      ['value.zone', 'us'],
      ['utm_source', 'x'],
    ])
    const fields = hidden.map(([name = '', value = '']) => [name, unescaped(value)])
    const made = await page(slug, `${new URLSearchParams(fields)}&${FORM}`)
    const address = hrefOf(made.html, 'Download for a calendar')
    const url = /\r\nURL:(.*)\r\n/.exec((await (await fetch(address)).text()).replaceAll('\r\n ', ''))?.[1]
    expect(url).toBe(`${at().origin}/l/${slug}?customer=A%26B&zone=us&utm_source=x`)
  })

  test('the page opens to those whom the launcher lets in, and tells others nothing', async () => {
    const gone = await make()
    await owner.api('DELETE', `/api/links/${gone}`)
    const past = new Date(Date.now() - 3_600_000).toISOString()
    for (const [slug, status, own] of [
      [await make({ access: 'members' }), 401, 200],
      [await make({ access: 'password', password: 'four stairs down' }), 401, 200],
      [await make({ closesAt: past }), 410, 200],
      [gone, 404, 404],
    ] as const) {
      for (const query of ['', FORM]) {
        const [told, mine] = [await page(slug, query), await page(slug, query, owner)]
        expect([slug, told.status, mine.status]).toEqual([slug, status, own])
        expect(told.html).not.toContain('Morning checks')
        expect(mine.html.includes('Morning checks')).toBe(own === 200)
      }
    }
  })

  test('after a password, the launcher offers no page that would ask for it again', async () => {
    const slug = await make({ access: 'password', password: 'four stairs down' })
    const unlocked = await (await new Visitor(at()).form(`/l/${slug}`, { password: 'four stairs down' })).text()
    expect([unlocked.includes('Morning checks'), unlocked.includes('Remind me')]).toEqual([true, false])
  })
})
