import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../eventually.ts'
import { startMailSink } from '../mail-sink.ts'
import { newEmail, PASSWORD, URL_A, Visitor } from '../people.ts'
import { freePort } from '../ports.ts'
import { type Server, startServer } from '../server.ts'
import { newAddress, WITHOUT_LIMITS } from './callers.ts'

// What people can put into a mail's address and content. Only on Bun: nodemailer is the same on both runtimes.

/** Receives mails to any address. */
let sink: Awaited<ReturnType<typeof startMailSink>>
let server: Server

beforeAll(async () => {
  sink = await startMailSink(freePort())
  server = await startServer({
    env: { ...WITHOUT_LIMITS, SMTP_URL: sink.url, SERVICE_MAIL_FROM: 'service@openall.example' },
  })
})
afterAll(async () => {
  await server?.stop()
  await sink?.stop()
})

/** One address to some parsers, several or different ones to others. */
const ADDRESSES = [
  'a@b.example,c@evil.example',
  'a@b.example, c@evil.example',
  'a@b.example;c@evil.example',
  'a@b.example c@evil.example',
  'a@b.example\r\nBcc: c@evil.example',
  'a@b.example\nBcc: c@evil.example',
  'A <c@evil.example>',
  '<c@evil.example>a@b.example',
  'a@b.example<c@evil.example>',
  '"c@evil.example x"@b.example',
  '"a"@b.example',
  'group:c@evil.example;',
  '(a@b.example)c@evil.example',
  'a(c@evil.example)@b.example',
  '=?utf-8?q?c=40evil.example=2c?=@b.example',
  'a@b.example>',
  'a@b.example\u2028c@evil.example',
  'a@b.example\u0000',
  'a@b@evil.example',
]

const visitor = () => new Visitor(server, { 'x-client': newAddress() })

test('a mail goes only to the one address that was given, whatever it looks like', async () => {
  for (const email of ADDRESSES) {
    const callbackURL = '/'
    for (const [path, body] of [
      ['/api/auth/sign-in/magic-link', { email, callbackURL }],
      ['/api/auth/sign-up/email', { email, password: PASSWORD, name: '' }],
      ['/api/auth/request-password-reset', { email, redirectTo: '/' }],
      ['/api/auth/send-verification-email', { email }],
      ['/api/links', { urls: [URL_A], email }],
    ] as const) {
      const { status } = await visitor().api('POST', path, body)
      expect([path, email, status < 500]).toEqual([path, email, true])
    }
  }
  // Mail is sent in order: this one comes after all before it.
  const last = newEmail()
  await visitor().api('POST', '/api/auth/sign-in/magic-link', { email: last, callbackURL: '/' })
  await eventually(() => sink.mails.some(({ recipients }) => recipients.includes(last)), 'the last mail')
  await Bun.sleep(500)
  const elsewhere = sink.mails.filter(
    ({ recipients }) => recipients.length !== 1 || recipients.some((address) => address.endsWith('@evil.example')),
  )
  expect(elsewhere).toEqual([])
})

const NAMES = [
  'Ann"; x-injected: 1; a="',
  '=?utf-8?q?=0d=0ax-injected:_1?=',
  'Ann\u2028x-injected: 1',
  'Ann\u0085x-injected: 1',
  '<b>Ann</b> <img src=x>',
  'Ann, c@evil.example',
]

test('names of people and organisations bring no header, recipient or HTML into a mail', async () => {
  const person = visitor()
  const words = { email: newEmail(), password: PASSWORD, name: 'plain' }
  await person.api('POST', '/api/auth/sign-up/email', words)
  // The address is assumed to be confirmed; who may invite is tested elsewhere.
  await server.sql('UPDATE user SET email_verified = 1 WHERE email = ? RETURNING 1', [words.email])
  await person.api('POST', '/api/auth/sign-in/email', words)
  const { body } = await person.api('POST', '/api/auth/organization/create', { name: 'plain', slug: 'plain' })
  const invited: string[] = []
  for (const name of NAMES) {
    await person.api('POST', '/api/auth/update-user', { name })
    await person.api('POST', '/api/auth/organization/update', { organizationId: body.id, data: { name } })
    const invite = { email: newEmail(), role: 'viewer', organizationId: body.id }
    const { status } = await person.api('POST', '/api/auth/organization/invite-member', invite)
    if (status === 200) invited.push(invite.email)
  }
  expect(invited.length).toBeGreaterThan(2)
  const cameTo = (email: string) => sink.mails.some(({ recipients }) => recipients.includes(email))
  await eventually(() => invited.every(cameTo), 'the invitations')
  const headers = new Set(sink.mails.flatMap(({ headers }) => [...headers.keys()]))
  expect([...headers].sort()).toEqual([
    'content-transfer-encoding',
    'content-type',
    'date',
    'from',
    'message-id',
    'mime-version',
    'subject',
    'to',
  ])
  expect(sink.mails.filter(({ recipients }) => recipients.length !== 1)).toEqual([])
  const typeOf = ({ headers }: { headers: ReadonlyMap<string, string> }) =>
    headers.get('content-type')?.replace(/boundary=.*/, 'boundary')
  expect([...new Set(sink.mails.map(typeOf))].sort()).toEqual([
    'multipart/alternative; boundary',
    'text/plain; charset=utf-8',
  ])
  // The head of an organisation's mail is the service's own HTML: it has no element that a name could have brought.
  const html = sink.mails.flatMap(({ html }) => html ?? [])
  expect(html.length).toBe(invited.length)
  const elements = new Set(html.flatMap((text) => Array.from(text.matchAll(/<([a-z]+)/gi), ([, name]) => name)))
  expect([...elements].sort()).toEqual(ELEMENTS)
  const leadTo = html.flatMap((text) => Array.from(text.matchAll(/\b(?:href|src)="([^"]*)"/g), ([, to = '']) => to))
  expect(leadTo.length).toBeGreaterThanOrEqual(invited.length)
  expect(leadTo.filter((to) => !to.startsWith(`${server.origin}/`))).toEqual([])
})

/** Those of a letterhead without a picture. */
const ELEMENTS = ['a', 'body', 'br', 'div', 'head', 'html', 'meta', 'p', 'strong', 'table', 'td', 'tr']
