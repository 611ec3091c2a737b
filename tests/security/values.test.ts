import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { OAuth2Server } from 'oauth2-mock-server'
import { eventually } from '../eventually.ts'
import { type ParsedMail, startMailSink } from '../mail-sink.ts'
import { callOf, send } from '../mcp/support.ts'
import { METRICS_TOKEN } from '../metrics.ts'
import { actFor, linkIn, newEmail, newOrganization, Person, press, Visitor } from '../people.ts'
import { freePort } from '../ports.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { type Server, startServer } from '../server.ts'

setDefaultTimeout(180_000)

// What a viewer fills in is about people, so it is nowhere but in the answers to that viewer: it is sent through every door,
// and then everything that the service keeps, writes or sends to others is searched for its bytes.

/** What a viewer fills in, and nothing else has. */
const VALUE = 'zq7secretxk4'
/** What would be refused, for the same reason. */
const WRONG = `${VALUE}\u202e`
const LOCK = 'four stairs down'
const VIEWER = { 'user-agent': 'Mozilla/5.0 Firefox/153.0', accept: 'text/html' }

let server: Server
let sink: Awaited<ReturnType<typeof startMailSink>>
let receiver: Receiver
let provider: OAuth2Server
let owner: Person
let slugs: string[]
/** What everybody is sent alike, or others are. */
const told: string[] = []
/** The mails that somebody asked for to get back to a filled page. */
const asked: ParsedMail[] = []

beforeAll(async () => {
  sink = await startMailSink(freePort())
  receiver = startReceiver()
  provider = new OAuth2Server()
  await provider.issuer.keys.generate('RS256')
  await provider.start(0, '127.0.0.1')
  const claims = { sub: crypto.randomUUID(), email: newEmail('oidc'), email_verified: true, name: 'Olga' }
  provider.service.on('beforeTokenSigning', (token) => Object.assign(token.payload, claims))
  provider.service.on('beforeUserinfo', (response) => Object.assign(response, { body: claims }))
  server = await startServer({
    env: {
      SERVICE_ACCESS_LOG: 'all',
      LOG_LEVEL: 'trace',
      SERVICE_METRICS_TOKEN: METRICS_TOKEN,
      SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true',
      SMTP_URL: sink.url,
      OIDC_ISSUER: String(provider.issuer.url),
      OIDC_CLIENT_ID: 'openall',
      OIDC_CLIENT_SECRET: 'secret',
    },
  })
  owner = await signedIn(new Person(server), newEmail())
  const { id } = await newOrganization(owner)
  await actFor(owner, null)
  await owner.api('POST', '/api/me/webhooks', { url: receiver.url, events: ['bundle.updated'] })
  const fields = {
    title: 'Customer {id}',
    description: 'All of {id}',
    urls: ['https://crm.example/{id}', 'https://logs.example/?q={id}#{id}'],
    urlMetadata: [{ note: 'Notes on {id}', section: 'In {id}' }],
    variables: [{ name: 'id' }, { name: 'region', default: 'eu', options: ['eu', 'us'] }],
  }
  const rules = [
    {
      name: 'vip',
      when: { op: 'startsWith', field: 'query.id', value: 'zq' },
      tabs: [{ url: 'https://vip.example/{id}' }],
    },
  ]
  const kinds = [
    { copyable: true },
    { resolutionPolicy: { version: 1, rules } },
    { access: 'password', password: LOCK },
    { access: 'members' },
    { closesAt: '2020-01-01T00:00:00Z' },
  ]
  const made = []
  for (const kind of kinds) made.push((await owner.makeBundle({ ...fields, ...kind })).slug)
  await actFor(owner, id)
  made.push((await owner.makeBundle({ ...fields, access: 'members' })).slug)
  await actFor(owner, null)
  slugs = made
})
afterAll(async () => {
  await server?.stop()
  await Promise.all([sink?.stop(), receiver?.stop(), provider?.stop()])
})

/** Signs in by a mailed link. */
async function signedIn<V extends Visitor>(visitor: V, email: string): Promise<V> {
  await visitor.form('/sign-in/link', { email, next: '/' })
  await press(visitor, linkIn(await sink.mailTo(email, 'Your sign-in link')))
  return visitor
}

test('a value is sent through every door', async () => {
  const program = await owner.program()
  const key = program.always.authorization ?? ''
  const tester = await signedIn(new Person(server), newEmail())
  for (const slug of slugs) {
    for (const visitor of [new Visitor(server, VIEWER), owner, tester]) await pass(slug, visitor)
    const by = { authorization: key }
    const read = { jsonrpc: '2.0', id: 1, method: 'resources/read' }
    await send(server, callOf('get_tabs', { slug, values: { id: VALUE } }), by)
    await send(server, callOf('get_tabs', { slug: `${server.origin}/l/${slug}/${VALUE}` }), by)
    await send(server, callOf('get_tabs', { slug, values: { id: WRONG, region: VALUE } }), by)
    await send(server, callOf('get_tabs', { slug, values: { id: 1 }, [VALUE]: VALUE }), by)
    await send(server, { ...read, params: { uri: `openall://l/${slug}?id=${VALUE}` } }, by)
    await send(server, { ...read, params: { uri: `${server.origin}/l/${slug}/${VALUE}` } }, by)
    await send(server, { ...read, params: { uri: `https://other.example/l/${slug}/${VALUE}` } }, by)
    // What the owner does while others fill it in.
    await program.api('PATCH', `/api/links/${slug}`, { description: 'Another of {id}' })
  }
  const { status } = await owner.fetch(`/dashboard?open=1&q=${VALUE}`)
  expect(status).toBeLessThan(400)
})

/** Sends the value through all doors of a launcher, as a browser would, and keeps what others are sent. */
async function pass(slug: string, visitor: Visitor): Promise<void> {
  const [query, wrong] = [`?id=${VALUE}&region=us`, `?id=${encodeURIComponent(WRONG)}&region=${VALUE}`]
  const filled = `/l/${slug}${query}`
  const paths = [
    '',
    '.json',
    '.md',
    '/bookmarks.html',
    '/qr.svg',
    '/opensearch.xml',
    '/copy',
    '/feed',
    '/picture.png',
    '/report',
    '/remind',
    '/calendar.ics',
  ]
  for (const path of paths) {
    for (const end of [query, wrong]) {
      const answer = await visitor.fetch(`/l/${slug}${path}${end}`, { headers: { referer: server.origin + filled } })
      const body = await answer.text()
      expect([path, answer.headers.get('referrer-policy')]).toEqual([
        path,
        expect.stringMatching(/^(no-referrer|same-origin)$/),
      ])
      told.push(answer.headers.get('link') ?? '', ...outward(answer))
      if (path === '/feed' || path === '/opensearch.xml') told.push(body)
      told.push(...[...body.matchAll(/<meta [^>]*"(?:og|twitter):image"[^>]*>/g)].map(([tag]) => tag))
    }
  }
  for (const path of [`/${VALUE}`, `/${VALUE}?region=${VALUE}`, `/${VALUE}/more`, `/%ff${VALUE}`]) {
    for (const accept of ['text/html', 'application/json', 'text/markdown']) {
      await (await visitor.fetch(`/l/${slug}${path}`, { headers: { accept } })).text()
    }
  }
  for (const password of [LOCK, 'wrong']) {
    for (const path of [filled, `/l/${slug}/${VALUE}`])
      await visitor.form(path, { password, referrer: server.origin + filled })
  }
  await visitor.form(`/l/${slug}/copy${query}`, { title: 'A copy' }, { origin: server.origin })
  await visitor.form(`/l/${slug}/report${query}`, { reason: 'spam' }, { referer: server.origin + filled })
  await visitor.api('GET', `/api/links/${slug}/tabs${query}`)
  await visitor.api('GET', `/api/links/${slug}/tabs${wrong}`)
  const event = { kind: 'open_all' }
  await visitor.api('POST', `/api/links/${slug}/events${query}`, event, { referer: server.origin + filled, ...VIEWER })
  await visitor.api('POST', `/api/links/${slug}/events`, { ...event, id: VALUE }, VIEWER)
}

/** Where an answer leads on another origin. */
function outward({ headers }: Response): string[] {
  const location = headers.get('location') ?? ''
  return new URL(location, server.origin).origin === server.origin ? [] : [location]
}

test('whoever signs in for a filled page comes back to it, by a mailed link and by a provider', async () => {
  const next = `/l/${slugs[3]}?id=${VALUE}`
  const browser = new Visitor(server, VIEWER)
  const locked = await (await browser.fetch(next)).text()
  expect(locked).toContain(`/sign-in?next=${encodeURIComponent(next)}`)
  const email = newEmail()
  await browser.fetch(`/sign-in?next=${encodeURIComponent(next)}`)
  await browser.form('/sign-in/link', { email, next })
  const mail = await sink.mailTo(email, 'Your sign-in link')
  asked.push(mail)
  const back = await press(browser, linkIn(mail))
  expect([back.status, back.headers.get('location')]).toEqual([303, next])

  // A slash in a value of the path, which the library for accounts refuses in an address, and would log.
  const slash = `/l/${slugs[3]}/${VALUE}%2F1`
  const by = newEmail()
  expect((await browser.form('/sign-in/link', { email: by, next: slash })).status).toBe(200)
  const second = await sink.mailTo(by, 'Your sign-in link')
  asked.push(second)
  const pressed = await press(browser, linkIn(second))
  const between = await (await browser.fetch(pressed.headers.get('location') ?? '')).text()
  expect(between).toContain(`href="${slash}"`)
  await browser.api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: `//evil.example/${VALUE}` })

  const other = new Visitor(server, VIEWER)
  const onward = await other.form('/sign-in/oidc', { next })
  const toProvider = (onward.headers.get('refresh') ?? '').split('0;url=')[1] ?? ''
  expect(toProvider).toStartWith(String(provider.issuer.url))
  told.push(toProvider)
  expect(foundIn('the store', stored())).toEqual([])
  const came = (await fetch(toProvider, { redirect: 'manual' })).headers.get('location') ?? ''
  const landed = (await other.fetch(came)).headers.get('location') ?? ''
  expect(landed.replace(server.origin, '')).toBe(next)

  // More than a cookie holds: they come back to the launcher, and it asks again.
  const long = await other.form('/sign-in/oidc', { next: `/l/${slugs[3]}?id=${encodeURIComponent('漢'.repeat(200))}` })
  expect(Math.max(...long.headers.getSetCookie().map(({ length }) => length))).toBeLessThan(4096)
  const again = (long.headers.get('refresh') ?? '').split('0;url=')[1] ?? ''
  const cameBack = (await fetch(again, { redirect: 'manual' })).headers.get('location') ?? ''
  expect((await other.fetch(cameBack)).headers.get('location')).toEndWith(`/l/${slugs[3]}`)
})

test('and then it is in nothing that is kept, written or sent to others', async () => {
  await eventually(() => receiver.received.length > 0, 'a webhook')
  const metrics = await fetch(`${server.origin}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  expect([
    ...foundIn('the store', stored()),
    ...foundIn('the log', server.output()),
    ...foundIn('metrics', await metrics.text()),
    ...foundIn('webhooks', receiver.received.map(({ text, headers }) => text + JSON.stringify([...headers])).join()),
    ...foundIn('mails', JSON.stringify(sink.mails.filter((mail) => !asked.includes(mail)))),
    ...foundIn('what others are sent', told.join('\n')),
  ]).toEqual([])
  expect(server.output()).toContain('"route":"/l/:"')
})

function stored(): string {
  return server
    .files()
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')
}

/** What is around the value where it is found, in any of its forms. */
function foundIn(place: string, text: string): string[] {
  const forms = [VALUE, Buffer.from(VALUE).toString('base64').slice(0, 14), Buffer.from(VALUE).toString('hex')]
  return forms.flatMap((form) => {
    const at = text.indexOf(form)
    return at === -1 ? [] : [`${place}: ${text.slice(Math.max(0, at - 200), at + 60)}`]
  })
}
