import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { OpenallError, verifyWebhook } from '../../src/sdk/openall.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const SECRET = newSecret()
const BODY = JSON.stringify({
  type: 'bundle.updated',
  timestamp: '2026-11-23T12:00:00.000Z',
  data: { slug: 'launch-day', title: 'Ä 🎉' },
})

function sign(body = BODY, at = new Date(), secret = SECRET): Record<string, string> {
  const signature = new Webhook(secret).sign('msg_1', at, body)
  const time = String(Math.floor(at.getTime() / 1000))
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': time, 'webhook-signature': signature }
}

const codeOf = (checked: Promise<unknown>) =>
  checked.then(
    () => 'accepted',
    (error) => (error instanceof OpenallError ? error.code : error),
  )

test('a webhook that is signed by the standard’s library is read, in every form in which servers have it', async () => {
  const at = new Date()
  const headers = sign(BODY, at)
  const forms = [
    headers,
    new Headers(headers),
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  ]
  for (const form of forms) {
    for (const body of [BODY, new TextEncoder().encode(BODY), Buffer.from(BODY)]) {
      const event = await verifyWebhook(body, form, SECRET)
      expect([event.type, event.data.title]).toEqual(['bundle.updated', 'Ä 🎉'])
    }
  }
  const svix = new SvixWebhook(SECRET).sign('msg_1', at, BODY)
  expect((await verifyWebhook(BODY, { ...headers, 'webhook-signature': svix }, SECRET)).type).toBe('bundle.updated')
})

test('while a secret is changed, either signature and either secret will do', async () => {
  const other = newSecret()
  const headers = sign()
  const both = `v1,AAAA v1a,unknown ${sign(BODY, new Date(), other)['webhook-signature']} ${headers['webhook-signature']}`
  expect(await codeOf(verifyWebhook(BODY, { ...headers, 'webhook-signature': both }, SECRET))).toBe('accepted')
  expect(await codeOf(verifyWebhook(BODY, headers, [other, SECRET]))).toBe('accepted')
  expect(await codeOf(verifyWebhook(BODY, headers, SECRET.slice('whsec_'.length)))).toBe('accepted')
})

test('anything else is refused', async () => {
  const headers = sign()
  const [minutes, now] = [60_000, Date.now()]
  const refused: [string, string | Uint8Array, Record<string, string>, string?][] = [
    ['another body', BODY.replace('launch', 'lunch'), headers],
    ['another id', BODY, { ...headers, 'webhook-id': 'msg_2' }],
    ['another time', BODY, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) }],
    ['another secret', BODY, headers, newSecret()],
    ['an old one', BODY, sign(BODY, new Date(now - 6 * minutes))],
    ['one of the future', BODY, sign(BODY, new Date(now + 6 * minutes))],
    ['no headers', BODY, {}],
    ['no signature', BODY, { ...headers, 'webhook-signature': '' }],
    ['no base64', BODY, { ...headers, 'webhook-signature': 'v1,%%%' }],
    ['another scheme', BODY, { ...headers, 'webhook-signature': headers['webhook-signature']!.replace('v1,', 'v2,') }],
    ['no time', BODY, { ...headers, 'webhook-timestamp': 'NaN' }],
    ['a cut signature', BODY, { ...headers, 'webhook-signature': headers['webhook-signature']!.slice(0, 12) }],
    [
      'a matching one after very many',
      BODY,
      { ...headers, 'webhook-signature': `${'v1,AAAA '.repeat(20)}${headers['webhook-signature']}` },
    ],
  ]
  for (const [what, body, sent, secret = SECRET] of refused)
    expect([what, await codeOf(verifyWebhook(body, sent, secret))]).toEqual([what, 'INVALID_SIGNATURE'])
  expect(await codeOf(verifyWebhook(BODY, headers, ''))).toBe('BAD_REQUEST')
  expect(await codeOf(verifyWebhook('not JSON', sign('not JSON'), SECRET))).toBe('BAD_REQUEST')
})
