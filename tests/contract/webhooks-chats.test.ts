import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { CHAT_HOSTS, CHAT_PATHS, type Chat, type ChatName, startChat } from '../chats.ts'
import { becomes, eventually } from '../eventually.ts'
import { type InProcess, startInProcess } from '../in-process.ts'
import { leadHere } from '../name-server.ts'
import { follow, newPerson, type Person } from '../people.ts'
import { startReceiver } from '../receiver.ts'

// Messages to chats: what their readers see, by receivers that refuse what the chats refuse.

setDefaultTimeout(180_000)

const NAMES = Object.keys(CHAT_HOSTS) as ChatName[]
const HOUR_MS = 3_600_000

interface Made {
  webhook: { id: string; format: string; enabled: boolean; disabledBy: string | null }
  secret: string
  warning: string
}
interface Delivery {
  state: string
  attempts: number
  failure: string | null
  attemptedAt: string
  nextAttemptAt: string
}

let stopLeading: (() => void) | undefined
let server: InProcess
const chats: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  stopLeading = await leadHere([...Object.values(CHAT_HOSTS), 'chat.example.com'])
  server = await startInProcess({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' })
})
afterEach(async () => {
  for (const chat of chats.splice(0)) await chat.stop()
})
afterAll(async () => {
  await server?.stop()
  stopLeading?.()
})

const urlOf = (name: ChatName, { port }: Pick<Chat, 'port'>, host: string = CHAT_HOSTS[name]) =>
  `http://${host}:${port}${CHAT_PATHS[name]}`

/** A person’s webhook to a chat. */
async function connected(person: Person, name: ChatName, events = ['*'], host?: string) {
  const chat = startChat(name)
  chats.push(chat)
  const wishes = { url: urlOf(name, chat, host), format: name, events }
  const { status, body } = await person.api<Made>('POST', '/api/me/webhooks', wishes)
  expect([status, body.webhook?.format ?? body]).toEqual([201, name])
  return { chat, ...body, address: `/api/me/webhooks/${body.webhook.id}` }
}

async function named(name: string): Promise<Person> {
  const person = await newPerson(server)
  expect((await person.api('POST', '/api/auth/update-user', { name })).status).toBe(200)
  return person
}

const newest = async (person: Person, address: string) =>
  (await person.api<{ deliveries: Delivery[] }>('GET', `${address}/deliveries`)).body.deliveries[0]
const shown = async (person: Person) =>
  (await person.api<{ webhooks: Made['webhook'][] }>('GET', '/api/me/webhooks')).body.webhooks[0]

/** What was shown, once that is so many messages; fails if any was refused. */
async function seenIn(chat: Chat, number: number) {
  await eventually(() => chat.seen.length >= number || chat.refused.length > 0, `${number} messages`)
  expect(chat.refused).toEqual([])
  return chat.seen
}

/** The sentences of the activity page, oldest first, as they read to somebody else. */
async function sentencesOf(person: Person): Promise<string[]> {
  const page = await (await person.fetch('/dashboard/settings/activity?type=bundle')).text()
  return [...page.matchAll(/<div class="what">[\s\S]*?<p>([\s\S]*?)<\/p>/g)]
    .map(([, html = '']) => html.replace(/<[^>]+>/g, '').replaceAll('&amp;', '&'))
    .reverse()
}

for (const name of NAMES) {
  test(`${name}: a message says what the activity says, with the title as a link and hosts of changed links, unsigned`, async () => {
    const person = await named('Ada Byron')
    const { chat, address, warning } = await connected(person, name)
    expect(warning).toBe('Messages to chats are not signed: secret counts only if the format becomes standard.')
    expect((await person.api('POST', `${address}/test`)).status).toBe(200)
    const [trial] = await seenIn(chat, 1)
    expect(trial).toEqual({ text: 'This is a test message from Openall. It works.', links: [], mentions: [] })
    const urls = ['https://docs.example/secret?token=1', 'https://wiki.example:8443/', 'https://docs.example/b']
    const { slug } = await person.makeBundle({ title: 'Launch & day', urls: [...urls, 'https://last.example/'] })
    const link = `${server.origin}/l/${slug}`
    await person.api('PATCH', `/api/links/${slug}`, {
      urls: [urls[0], 'https://new.example/{x}'],
      variables: [{ name: 'x', label: 'X' }],
    })
    await person.api('PATCH', `/api/links/${slug}`, { title: 'Launch week' })
    await person.api('DELETE', `/api/links/${slug}`)
    const [, ...told] = await seenIn(chat, 5)
    // The name is the present one, as in the activity.
    const words = (await sentencesOf(person)).map((text) => text.replace('You', 'Ada Byron'))
    expect(words).toHaveLength(4)
    expect(told.map(({ text }) => text.split('\n')[0]!.replace('Launch & day', 'Launch week'))).toEqual(words)
    const [created, edited, retitled, deleted] = told
    expect(created?.text.split('\n').slice(1)).toEqual([
      'Added: docs.example, wiki.example:8443, docs.example',
      'and 1 more link',
    ])
    expect(edited?.text.split('\n').slice(1)).toEqual([
      'Added: new.example',
      'Removed: wiki.example:8443, docs.example',
      'and 1 more link',
    ])
    expect([retitled?.text.includes('\n'), deleted?.text.includes('\n')]).toEqual([false, false])
    for (const { links } of [created!, edited!, retitled!]) {
      expect(links).toEqual([{ text: expect.stringMatching(/^Launch (& day|week)$/), href: link }])
    }
    expect(deleted?.links.map(({ href }) => href)).toEqual([])
    for (const headers of chat.headers) {
      const ours = [...headers.keys()].filter((key) => /webhook|signature|cookie|authorization/.test(key))
      expect([ours, headers.get('user-agent')]).toEqual([[], expect.stringContaining('-webhooks/1')])
    }
    expect(await newest(person, address)).toMatchObject({ state: 'delivered' })
  })

  test(`${name}: no title and no name becomes markup, a link or a mention, or too long`, async () => {
    const person = await named('1. @everyone <!here> **Ann** <@U0123> [x](//y)')
    const { chat } = await connected(person, name, ['bundle.created', 'bundle.updated'])
    const titles = [
      '👨‍👩‍👧'.repeat(40),
      '🎉'.repeat(200),
      '*'.repeat(200),
      '](https://evil.example) @everyone [',
      'a|b> <https://evil.example|free money> <!channel> <@U0123ABCD> @channel @here',
      '<@123456789012345678> <@&1> <#2> </x:3> ||spoiler|| `code` ~~no~~ __under__ _it_ \\*',
      'https://evil.example/?a=b&amp;c',
      '# Heading {{DATE(2026-01-01T00:00:00Z)}} {{{x}}} <at>Ann</at> &lt;b&gt; &#64;everyone',
      '- item',
      'לוח השקה (עברית) | إطلاق',
    ]
    const slugs: string[] = []
    for (const title of titles) slugs.push((await person.makeBundle({ title })).slug)
    const told = await seenIn(chat, titles.length)
    const who = '1. @everyone <!here> **Ann** <@U0123> [x](//y)'
    for (const [at, title] of titles.entries()) {
      const mine = told.find(({ links }) => links[0]?.href === `${server.origin}/l/${slugs[at]}`)
      expect(mine).toEqual({
        text: `${who} created ${title}\nAdded: ${new URL('https://a.example/').host}, b.example`,
        links: [{ text: title, href: `${server.origin}/l/${slugs[at]}` }],
        mentions: [],
      })
    }
    const many = Array.from({ length: 25 }, (_, n) => `https://${`long-${n}-`.repeat(9)}x.${'example.'.repeat(20)}com/`)
    await person.api('PATCH', `/api/links/${slugs[2]}`, {
      urls: many,
      description: 'x',
      closedNote: 'y',
      copyable: true,
    })
    const last = (await seenIn(chat, titles.length + 1)).at(-1)
    expect(last?.text.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^Added: (long-\d-.{50,80}…(, )?){3}$/),
      'and 24 more links',
    ])
  })
}

test('a person without a name is known by no address', async () => {
  const person = await newPerson(server)
  const { chat } = await connected(person, 'slack')
  await person.makeBundle({ title: 'Launch' })
  const [told] = await seenIn(chat, 1)
  expect(told?.text).toStartWith(`${person.email.split('@')[0]} created Launch`)
})

test('a chat that is too busy is sent to later, however it asks', async () => {
  const asked = (headers: Record<string, string>, body = ''): Response => new Response(body, { status: 429, headers })
  const discord = (seconds: unknown) =>
    JSON.stringify({ message: 'You are being rate limited.', retry_after: seconds, global: false })
  const inAnHour = new Date(Math.ceil(Date.now() / 1000) * 1000 + HOUR_MS).toUTCString()
  const cases: [name: ChatName, answer: () => Response, from: number, to: number][] = [
    ['slack', () => asked({ 'retry-after': '30' }), 30_000, 30_001],
    ['teams', () => asked({ 'retry-after': inAnHour }), HOUR_MS - 60_000, HOUR_MS + 1_000],
    ['discord', () => asked({}, discord(64.57)), 64_570, 64_571],
    ['discord', () => asked({ 'retry-after': '65' }, discord(64.57)), 65_000, 65_001],
    ['discord', () => asked({}, discord(1e12)), 6 * HOUR_MS, 6 * HOUR_MS],
    ['discord', () => asked({}, discord(-1)), 5_000, 5_001],
    ['discord', () => asked({}, discord('64')), 5_000, 5_001],
    ['ntfy', () => asked({}, 'null'), 5_000, 5_001],
    ['ntfy', () => asked({}, `[${'1,'.repeat(10_000)}`), 5_000, 5_001],
  ]
  const attempt = async ([name, answer, from, to]: (typeof cases)[number]) => {
    const person = await newPerson(server)
    const { chat, address } = await connected(person, name)
    chat.answer = answer
    await person.makeBundle()
    await becomes(async () => (await newest(person, address))?.attempts, 1)
    const { nextAttemptAt, attemptedAt } = (await newest(person, address))!
    const wait = Date.parse(nextAttemptAt) - Date.parse(attemptedAt)
    expect([name, wait >= from && wait <= to + 1, wait]).toEqual([name, true, wait])
  }
  await Promise.all(cases.map(attempt))
})

test('a webhook that its chat has deleted is disabled at once, with the mail; elsewhere a 404 is tried again', async () => {
  const cases: [name: ChatName, status: number, host: string | undefined, isGone: boolean][] = [
    ['slack', 404, undefined, true],
    ['slack', 410, undefined, true],
    ['discord', 404, undefined, true],
    ['teams', 410, undefined, true],
    ['teams', 404, undefined, false],
    ['slack', 404, 'chat.example.com', false],
    ['slack', 403, undefined, false],
  ]
  for (const [name, status, host, isGone] of cases) {
    const person = await newPerson(server)
    const { chat, address } = await connected(person, name, ['*'], host)
    chat.answer = () => new Response('no_service', { status })
    await person.api('POST', `${address}/test`)
    await becomes(async () => (await newest(person, address))?.state, 'failed')
    expect(await shown(person)).toMatchObject({ enabled: true })
    await person.makeBundle()
    await becomes(async () => (await newest(person, address))?.attempts, 1)
    await becomes(async () => (await shown(person))?.disabledBy, isGone ? 'gone' : null)
    expect([name, status, (await newest(person, address))?.state]).toEqual([
      name,
      status,
      isGone ? 'failed' : 'waiting',
    ])
    if (!isGone) continue
    await eventually(
      () => server.output().includes(person.email) && server.output().includes('no longer has this webhook'),
      'the mail',
    )
    chat.answer = null
    await person.api('PATCH', address, { enabled: true })
    await seenIn(chat, 1)
  }
})

test('the form proposes the format by the host; it is changed later, logged, and allowed where it does not fit', async () => {
  const person = await named('Ada')
  const form = await (await person.fetch('/dashboard/webhooks/new')).text()
  const idempotencyKey = /name="idempotencyKey" value="([^"]+)"/.exec(form)?.[1] ?? ''
  const chat = startChat('slack')
  chats.push(chat)
  const sent = { url: urlOf('slack', chat), format: '', events: 'bundle.created', idempotencyKey }
  const unknown = await person.form('/dashboard/webhooks/new', { ...sent, format: 'irc' })
  expect(unknown.status).toBe(400)
  const made = await (await follow(person, await person.form('/dashboard/webhooks/new', sent))).text()
  expect(made).toContain('Webhook created. Send a test message')
  expect([made.includes('Messages to Slack'), made.includes('Messages to chats aren’t signed')]).toEqual([true, true])
  expect(made).not.toContain('whsec_')
  const [, address = ''] = /href="(\/dashboard\/webhooks\/wh_\w+)\/edit"/.exec(made) ?? []
  expect((await person.form(`${address}/test`, {})).status).toBeLessThan(400)
  await seenIn(chat, 1)

  // A format that the host does not take is saved, with a hint.
  const edited = await follow(
    person,
    await person.form(`${address}/edit`, { url: sent.url, format: 'discord', events: 'bundle.created' }),
  )
  const hint = 'Slack takes messages in a format of its own, not Discord’s: set the format to slack.'
  expect(await edited.text()).toContain(hint)
  const id = address.split('/').at(-1)
  const changed = await person.api<{ warning?: string }>('PATCH', `/api/me/webhooks/${id}`, { format: 'standard' })
  expect(changed.body.warning).toContain('refuses signed events: set the format to slack.')
  const elsewhere = await person.api<{ warning?: string }>('PATCH', `/api/me/webhooks/${id}`, {
    url: urlOf('slack', chat, 'chat.example.com'),
    format: 'ntfy',
  })
  expect(elsewhere.body.warning).toBe(
    'This is no address of ntfy: the receiver must take messages in the format of ntfy.',
  )
  const fits = await person.api<{ warning?: string }>('PATCH', `/api/me/webhooks/${id}`, {
    url: sent.url,
    format: 'slack',
  })
  expect(fits.body.warning).toBeUndefined()
  expect((await person.api('PATCH', `/api/me/webhooks/${id}`, { format: 'irc' })).status).toBe(400)
  const { body } = await person.api<{ events: { changes: object[] }[] }>('GET', '/api/me/events?type=webhook.updated')
  expect(body.events.map(({ changes }) => changes)).toEqual([
    [{ field: 'url' }, { field: 'format', from: 'ntfy', to: 'slack' }],
    [{ field: 'url' }, { field: 'format', from: 'standard', to: 'ntfy' }],
    [{ field: 'format', from: 'discord', to: 'standard' }],
    [{ field: 'format', from: 'slack', to: 'discord' }],
  ])
  const page = await (await person.fetch('/dashboard/settings/activity?type=webhook')).text()
  expect(page).toContain('changed the format of the webhook to')
  const { webhooks } = (await person.api<{ webhooks: object[] }>('GET', '/api/me/export')).body
  expect(webhooks).toMatchObject([{ id, format: 'slack' }])
})

test('a webhook without a format sends signed events, and one that becomes standard signs', async () => {
  const person = await newPerson(server)
  const receiver = startReceiver()
  chats.push(receiver)
  const wish = { url: receiver.url, format: 'slack', events: ['bundle.created'] }
  const { body } = await person.api<Made>('POST', '/api/me/webhooks', wish)
  expect(body.warning).toContain('This is no address of Slack')
  await person.api('PATCH', `/api/me/webhooks/${body.webhook.id}`, { format: 'standard' })
  receiver.secret = body.secret
  await person.makeBundle()
  await becomes(() => receiver.received.map(({ type }) => type), ['bundle.created'])
  const { format: _, ...plain } = wish
  expect((await person.api<Made>('POST', '/api/me/webhooks', plain)).body.webhook.format).toBe('standard')
})

test('test messages have a limit', async () => {
  const person = await newPerson(server)
  const { address } = await connected(person, 'ntfy')
  const statuses: number[] = []
  for (let tests = 0; tests < 21; tests += 1) statuses.push((await person.api('POST', `${address}/test`)).status)
  expect([statuses.slice(0, 20).every((status) => status === 200), statuses[20]]).toEqual([true, 429])
})
