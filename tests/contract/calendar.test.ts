import { beforeAll, expect, test } from 'bun:test'
import ICAL from 'ical.js'
import nodeIcal from 'node-ical'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const WEEKLY = 'days=mon,wed&at=09:00&zone=Europe/Berlin&start=2026-11-30'
const PASSWORD = 'four stairs down'

/** A calendar as ical.js reads it, by the rules of zones that it brings itself. */
function parsed(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text))
  const zone = new ICAL.Timezone(calendar.getFirstSubcomponent('vtimezone')!)
  ICAL.TimezoneService.reset()
  ICAL.TimezoneService.register(zone)
  const component = calendar.getFirstSubcomponent('vevent')!
  const textAt = (name: string) => String(component.getFirstPropertyValue(name))
  return { calendar, event: new ICAL.Event(component), told: textAt }
}

/** The times of a calendar from one time to another, in UTC. */
function timesIn(text: string, from: string, to: string): string[] {
  const times: string[] = []
  const iterator = parsed(text).event.iterator()
  for (let next = iterator.next(); next !== undefined; next = iterator.next()) {
    const time = next.toJSDate().toISOString()
    if (time >= to) break
    if (time >= from) times.push(time)
  }
  return times
}

/** The same as node-ical reads it, by the zone’s name. */
function timesByName(text: string, from: string, to: string): string[] {
  const event = Object.values(nodeIcal.sync.parseICS(text)).find((one) => one?.type === 'VEVENT')
  if (event?.type !== 'VEVENT') return []
  const last = new Date(Date.parse(to) - 1)
  return (event.rrule?.between(new Date(from), last, true) ?? []).map((time) => time.toISOString())
}

/** Every day of some weeks, in hours of UTC that the clocks of each zone show as 09:00. */
const ZONES = [
  { zone: 'Europe/Berlin', from: '2027-03-27', hours: ['08:00', '07:00', '07:00'] },
  { zone: 'Europe/Berlin', from: '2032-10-30', hours: ['07:00', '08:00', '08:00'] },
  { zone: 'America/New_York', from: '2027-03-13', hours: ['14:00', '13:00', '13:00'] },
  { zone: 'America/New_York', from: '2027-11-06', hours: ['13:00', '14:00', '14:00'] },
  { zone: 'America/Santiago', from: '2027-04-03', hours: ['12:00', '13:00', '13:00'] },
  { zone: 'America/Santiago', from: '2028-09-02', hours: ['13:00', '12:00', '12:00'] },
  { zone: 'Asia/Kolkata', from: '2027-03-27', hours: ['03:30', '03:30', '03:30'] },
  { zone: 'UTC', from: '2027-03-27', hours: ['09:00', '09:00', '09:00'] },
  // Half an hour; clocks that go back in summer; a fast in another month each year.
  { zone: 'Australia/Lord_Howe', from: '2027-04-02', hours: ['22:00', '22:30', '22:30'] },
  { zone: 'Europe/Dublin', from: '2027-03-27', hours: ['09:00', '08:00', '08:00'] },
  { zone: 'Africa/Casablanca', from: '2027-02-06', hours: ['08:00', '09:00', '09:00'] },
]

onEveryTarget({ SERVICE_CLIENT_IP_HEADER: 'x-client' }, (at) => {
  let owner: Person
  let networks = 0
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const make = async (fields: object = {}) => (await owner.makeBundle({ title: 'Morning checks', ...fields })).slug
  const stranger = () => new Visitor(at(), { 'x-client': `198.51.100.${(networks += 1)}` })
  const read = (slug: string, query = WEEKLY, by: Visitor = stranger(), headers: Record<string, string> = {}) =>
    by.fetch(`/l/${slug}/calendar.ics?${query}`, { headers })
  const textOf = async (slug: string, query = WEEKLY, by: Visitor = stranger()) => {
    const answer = await read(slug, query, by)
    const text = await answer.text()
    expect([query, answer.status, text.slice(0, 15)]).toEqual([query, 200, 'BEGIN:VCALENDAR'])
    return text
  }

  test('is one recurring event with its zone, its launcher and the titles of its tabs', async () => {
    const slug = await make({
      description: 'Before *anybody* asks',
      urls: ['https://a.example/x', 'https://b.example/'],
      urlMetadata: [{ note: 'The board; all of it,\nagain' }, {}],
    })
    const answer = await read(slug)
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toBe(`inline; filename="${slug}.ics"`)
    const text = await answer.text()
    const { calendar, event, told } = parsed(text)
    const link = `${at().origin}/l/${slug}`
    expect(calendar.getAllSubcomponents().map(({ name }) => name)).toEqual(['vtimezone', 'vevent'])
    expect([event.summary, told('url'), told('rrule')]).toEqual(['Morning checks', link, 'FREQ=WEEKLY;BYDAY=MO,WE'])
    expect(event.description).toBe(`${link}\n\nBefore anybody asks\n\n- The board; all of it,\n- b.example`)
    expect(String(calendar.getFirstPropertyValue('x-wr-calname'))).toBe('Morning checks')
    expect(text).toContain('\r\nREFRESH-INTERVAL;VALUE=DURATION:P1D\r\n')
    expect(text).toContain('\r\nDTSTART;TZID=Europe/Berlin:20261130T090000\r\n')
    // The zone is told whole, and lines end as calendars end them.
    expect(text).toContain('\r\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\r\n')
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(text).toEndWith('END:VCALENDAR\r\n')
  })

  test('counts nothing, is the same at each reading, and its ETag changes with what it tells', async () => {
    const slug = await make()
    const [first, again] = [await read(slug), await read(slug)]
    const etag = first.headers.get('etag') ?? ''
    expect([first.headers.get('cache-control'), again.headers.get('etag')]).toEqual(['no-cache', etag])
    expect(await first.text()).toBe(await again.text())
    expect((await read(slug, WEEKLY, stranger(), { 'if-none-match': etag })).status).toBe(304)
    await owner.api('PATCH', `/api/links/${slug}`, { title: 'Evening checks' })
    const changed = await read(slug, WEEKLY, stranger(), { 'if-none-match': etag })
    expect(changed.status).toBe(200)
    const text = await changed.text()
    const uid = (calendar: string) => /UID:(.*)\r/.exec(calendar)?.[1]
    expect([text.includes('SUMMARY:Evening checks'), uid(text)]).toEqual([true, uid(await textOf(slug))])
    // Another start is the same reminder, another time is another.
    expect(uid(await textOf(slug, WEEKLY.replace('11-30', '12-30')))).toBe(uid(text)!)
    expect(uid(await textOf(slug, WEEKLY.replace('09:00', '10:00')))).not.toBe(uid(text))
    const { body } = await owner.api<{ views: number }>('GET', `/api/links/${slug}/insights`)
    expect(JSON.stringify(body)).toContain('"views":0')
  })

  test.each(ZONES)('is at nine by the clocks of $zone, from $from', async ({ zone, from, hours }) => {
    const slug = await make()
    const days = 'mon,tue,wed,thu,fri,sat,sun'
    const text = await textOf(slug, `days=${days}&at=09:00&zone=${zone}&start=2026-06-01`)
    const to = new Date(Date.parse(from) + 3 * 86_400_000).toISOString()
    const expected = hours.map((hour, index) =>
      new Date(Date.parse(`${from}T${hour}:00Z`) + index * 86_400_000).toISOString(),
    )
    const since = new Date(from).toISOString()
    expect([zone, timesIn(text, since, to)]).toEqual([zone, expected])
    expect([zone, timesByName(text, since, to)]).toEqual([zone, expected])
  })

  test('is on a day that every month has, or on the last', async () => {
    const slug = await make()
    const of = (day: string) => textOf(slug, `every=month&day=${day}&at=18:30&zone=UTC&start=2027-01-15`)
    const [from, to] = ['2027-01-01T00:00:00.000Z', '2027-04-30T00:00:00.000Z']
    for (const [day, dates] of [
      ['1', ['02-01', '03-01', '04-01']],
      ['28', ['01-28', '02-28', '03-28', '04-28']],
      ['last', ['01-31', '02-28', '03-31']],
    ] as const) {
      const expected = dates.map((date) => `2027-${date}T18:30:00.000Z`)
      expect([day, timesIn(await of(day), from, to)]).toEqual([day, expected])
      expect([day, timesByName(await of(day), from, to)]).toEqual([day, expected])
    }
  })

  test('any title comes through whole, in lines of 75 octets that cut no character', async () => {
    for (const title of ['🎉👩‍👩‍👧 '.repeat(20).trim(), `a, b; c\\n "d" ${'ü'.repeat(150)}`, 'ノ'.repeat(200)]) {
      const slug = await make({ title, description: 'one\ntwo, three\n; four' })
      const text = await textOf(slug)
      const lines = text.split('\r\n')
      expect(lines.filter((line) => Buffer.byteLength(line) > 75)).toEqual([])
      expect(text).not.toContain('\ufffd')
      expect(parsed(text).event.summary).toBe(title)
      expect(parsed(text).event.description).toContain('one\ntwo, three\n; four')
      const event = Object.values(nodeIcal.sync.parseICS(text)).find((one) => one?.type === 'VEVENT')
      const summary = event?.type === 'VEVENT' ? String(event.summary) : null
      // node-ical takes an escaped backslash before an n for a line break.
      expect(summary?.replaceAll('\\\n', '\\n')).toBe(title)
    }
  })

  test('a wrong parameter is refused with its name and what it takes', async () => {
    const slug = await make()
    for (const [query, name] of [
      ['at=09:00&zone=UTC', 'days'],
      ['days=&at=09:00&zone=UTC', 'days'],
      ['days=mon,someday&at=09:00&zone=UTC', 'days'],
      ['days=mon&at=9:00&zone=UTC', 'at'],
      ['days=mon&at=24:00&zone=UTC', 'at'],
      ['days=mon&zone=UTC', 'at'],
      ['days=mon&at=09:00', 'zone'],
      ['days=mon&at=09:00&zone=Europe/Nowhere', 'zone'],
      ['days=mon&at=09:00&zone=%2B02:00', 'zone'],
      ['days=mon&at=09:00&zone=UTC%0D%0AX:1', 'zone'],
      ['every=year&day=1&at=09:00&zone=UTC', 'every'],
      ['every=month&at=09:00&zone=UTC', 'day'],
      ...['0', '29', '31', '-1', 'first'].map((day) => [`every=month&day=${day}&at=09:00&zone=UTC`, 'day'] as const),
      ['every=month&day=1&days=mon&at=09:00&zone=UTC', 'days'],
      ['days=mon&day=1&at=09:00&zone=UTC', 'day'],
      ['days=mon&at=09:00&zone=UTC&start=2026-02-30', 'start'],
      ['days=mon&at=09:00&zone=UTC&start=soon', 'start'],
    ] as const) {
      const answer = await read(slug, query)
      const text = await answer.text()
      expect([query, answer.status, answer.headers.get('content-type')]).toEqual([
        query,
        400,
        'text/plain; charset=utf-8',
      ])
      expect([query, text.includes(`${name}: `), /^(\w+): /gm.exec(text)?.[1]]).toEqual([query, true, name])
    }
  })

  test('keeps values, also those called like its own parameters, and leaves dates to the day of the event', async () => {
    const variables = [{ name: 'customer' }, { name: 'day', default: '=today' }, { name: 'zone', default: 'eu' }]
    const urls = ['https://a.example/{customer}?day={day}&zone={zone}']
    const slug = await make({ title: '{customer} in {zone} on {day}', variables, urls })
    const titleAt = async (query: string) => {
      const { event, told } = parsed(await textOf(slug, `${WEEKLY}${query}`))
      return [event.summary, told('url').replace(at().origin, '')]
    }
    expect(await titleAt('')).toEqual(['… in eu on …', `/l/${slug}`])
    const all = '&customer=A%26B%2C+C&value.day=2026-01-01&value.zone=us'
    const kept = 'customer=A%26B%2C+C&day=2026-01-01&zone=us'
    expect(await titleAt(all)).toEqual(['A&B, C in us on 2026-01-01', `/l/${slug}?${kept}`])
    const opened = await new Visitor(at()).api<{ values: object }>('GET', `/l/${slug}.json?${kept}`)
    expect(opened.body.values).toEqual({ customer: 'A&B, C', day: '2026-01-01', zone: 'us' })
    expect((await read(slug, `${WEEKLY}&customer=${'x'.repeat(2100)}`)).status).toBe(400)
    // A value of the first variable that is called like the calendar is still one, in the query.
    expect(
      (await stranger().api<{ values: object }>('GET', `/l/${slug}.json?customer=calendar.ics`)).body.values,
    ).toEqual(expect.objectContaining({ customer: 'calendar.ics' }))
  })

  test('a gated bundle tells strangers its link alone, and those whom it lets in its own title', async () => {
    const secrets = {
      title: 'Board pack',
      description: 'Hidden words',
      urls: ['https://hidden.example/{x}'],
      urlMetadata: [{ note: 'Whispered' }],
      variables: [{ name: 'x', default: 'y' }],
    }
    for (const gate of [{ access: 'members' }, { access: 'password', password: PASSWORD }]) {
      const slug = await make({ ...secrets, ...gate })
      const link = `${at().origin}/l/${slug}?x=1`
      for (const [by, title] of [
        [stranger(), link.replace('http://', '').replace('?x=1', '')],
        [owner, 'Board pack'],
      ] as const) {
        const answer = await read(slug, `${WEEKLY}&x=1`, by)
        expect(answer.headers.get('cache-control')).toBe('private, no-store')
        const text = await answer.text()
        expect(text).not.toMatch(/Hidden words|hidden\.example|Whispered/)
        const { event, told } = parsed(text)
        expect([event.summary, told('url'), event.description]).toEqual([title, link, link])
      }
    }
  })

  test('what is not open, closed, deleted or unknown answers as the launcher does', async () => {
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const gone = await make()
    await owner.api('DELETE', `/api/links/${gone}`)
    for (const slug of [
      await make({ opensAt: inHours(1) }),
      await make({ opensAt: inHours(-2), closesAt: inHours(-1), closedNote: 'Parting words' }),
      gone,
      'nothing-here',
    ]) {
      const launcher = await stranger().fetch(`/l/${slug}`, { headers: { accept: 'text/markdown' } })
      const calendar = await read(slug)
      expect([slug, calendar.status]).toEqual([slug, launcher.status])
      expect(await calendar.text()).toBe((await launcher.text()).replace(/\\(?=\W)/g, ''))
    }
  })

  test('a rule chooses the titles, and an alias leads to the bundle’s own calendar', async () => {
    const when = { op: 'exists', field: 'query.vip' }
    const rules = [{ name: 'VIP', when, tabs: [{ url: 'https://vip.example/', note: 'For few' }] }]
    const slug = await make({ resolutionPolicy: { version: 1, rules } })
    expect(parsed(await textOf(slug)).event.description).not.toContain('For few')
    const { event, told } = parsed(await textOf(slug, `${WEEKLY}&vip=1`))
    expect([event.description.includes('- For few'), told('url')]).toEqual([true, `${at().origin}/l/${slug}?vip=1`])
    expect((await read(slug)).headers.get('cache-control')).toBe('private, no-store')
    const led = await read(slug.toUpperCase())
    expect([led.status, led.headers.get('location')]).toEqual([307, `${at().origin}/l/${slug}/calendar.ics?${WEEKLY}`])
  })

  test('one address reads as many calendars as other pages for programs, and no more', async () => {
    const slug = await make()
    const visitor = stranger()
    const statuses = new Set<number>()
    for (let at = 0; at <= 120; at += 1) statuses.add((await read(slug, WEEKLY, visitor)).status)
    expect([...statuses]).toEqual([200, 429])
  })
})
