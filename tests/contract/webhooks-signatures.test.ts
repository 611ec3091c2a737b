import { describe, expect, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { newPerson } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { deliver, newEventId, newSecret, sendIdentityEvent, signStandard, signStripe, signSvix } from '../webhooks.ts'

const [IDENTITY, OLD, PAYMENT] = [newSecret(), newSecret(), newSecret()]
/** A secret as Polar makes it: the signature uses its text, undecoded. */
const TEXT = 'polar_whs_0123456789abcdefghij'
const MINUTE = 60_000
const settings = {
  SERVICE_IDENTITY_WEBHOOK_SECRET: ` ${IDENTITY}  ${OLD} `,
  SERVICE_PAYMENT_WEBHOOK_SECRET: `${PAYMENT} ${TEXT}`,
}
const refused = { status: 401, code: 'UNAUTHORIZED' }
const ignored = { status: 200, outcome: 'ignored' }
const UNKNOWN = JSON.stringify({ type: 'session.created', data: { id: 'é' } })

onEveryTarget(settings, (at) => {
  test('a webhook is accepted with the signature of each sender’s own library, and an unknown event ignored', async () => {
    const event = JSON.stringify({ id: 'evt_1', type: 'invoice.paid', data: { object: {} } })
    expect(await deliver(at(), 'identity', UNKNOWN, signStandard(IDENTITY, UNKNOWN))).toEqual(ignored)
    expect(await deliver(at(), 'identity', UNKNOWN, signSvix(IDENTITY, UNKNOWN))).toEqual(ignored)
    expect(await deliver(at(), 'payment', event, signStandard(PAYMENT, event))).toEqual(ignored)
    expect(await deliver(at(), 'payment', event, await signStripe(PAYMENT, event))).toEqual(ignored)
    const textual = signStandard(Buffer.from(TEXT).toString('base64'), event)
    expect(await deliver(at(), 'payment', event, textual)).toEqual(ignored)
    expect(await deliver(at(), 'payment', event, await signStripe(TEXT, event))).toEqual(ignored)
  })

  test('an event named like a property of every object is unknown', async () => {
    for (const type of ['constructor', '__proto__', 'toString']) {
      const event = JSON.stringify({ id: newEventId(), type, data: {} })
      expect(await deliver(at(), 'identity', event, signStandard(IDENTITY, event))).toEqual(ignored)
      expect(await deliver(at(), 'payment', event, signStandard(PAYMENT, event))).toEqual(ignored)
    }
  })

  test('while a secret is rotated both the old and the new one are accepted', async () => {
    expect(await deliver(at(), 'identity', UNKNOWN, signStandard(OLD, UNKNOWN))).toEqual(ignored)
    const [id, when] = [newEventId(), new Date()]
    const foreign = signStandard(newSecret(), UNKNOWN, { id, at: when })
    const own = signStandard(OLD, UNKNOWN, { id, at: when })
    const both = { ...own, 'webhook-signature': `${foreign['webhook-signature']} ${own['webhook-signature']}` }
    expect(await deliver(at(), 'identity', UNKNOWN, both)).toEqual(ignored)
  })

  test('a webhook without a valid signature is refused', async () => {
    const signed = signStandard(IDENTITY, UNKNOWN)
    const { 'webhook-signature': signature } = signed
    const wrong: Record<string, string>[] = [
      {},
      signStandard(newSecret(), UNKNOWN),
      signStandard(PAYMENT, UNKNOWN),
      await signStripe(IDENTITY, UNKNOWN),
      signStandard(IDENTITY, `${UNKNOWN} `),
      { ...signed, 'webhook-id': 'another' },
      { ...signed, 'webhook-timestamp': String(Number(signed['webhook-timestamp']) + 1) },
      { ...signed, 'webhook-timestamp': 'now' },
      { ...signed, 'webhook-signature': signature.replace('v1,', 'v2,') },
      { ...signed, 'webhook-signature': 'v1' },
      { ...signed, 'webhook-signature': `${signature.slice(0, -1)}` },
      { 'webhook-signature': signature },
    ]
    for (const headers of wrong) {
      expect([headers, await deliver(at(), 'identity', UNKNOWN, headers)]).toEqual([headers, refused])
    }
    const { 'stripe-signature': stripe } = await signStripe(PAYMENT, UNKNOWN)
    for (const header of ['', 't=1', stripe.replace('v1=', 'v0='), stripe.replace(/t=\d+/, 't=NaN'), `${stripe}0`]) {
      const headers = { 'stripe-signature': header }
      expect([headers, await deliver(at(), 'payment', UNKNOWN, headers)]).toEqual([headers, refused])
    }
  })

  test('a signature is valid for five minutes, in both directions', async () => {
    for (const [minutes, answer] of [
      [-4.5, 200],
      [4.5, 200],
      [-5.5, 401],
      [5.5, 401],
    ] as const) {
      const when = { at: new Date(Date.now() + minutes * MINUTE) }
      const event = JSON.stringify({ id: newEventId(), type: 'invoice.paid', data: {} })
      const receipts = [
        await deliver(at(), 'identity', event, signStandard(IDENTITY, event, when)),
        await deliver(at(), 'payment', event, await signStripe(PAYMENT, event, when.at)),
      ]
      expect([minutes, ...receipts.map(({ status }) => status)]).toEqual([minutes, answer, answer])
    }
  })

  test('an event takes effect once, however often and however close together it is sent', async () => {
    const person = await newPerson(at())
    const rename = (name: string) =>
      JSON.stringify({
        type: 'user.updated',
        data: { id: person.userId, email: person.email, email_verified: true, name },
      })
    const named = async () => (await at().sql('SELECT name FROM user WHERE id = ?', [person.userId]))[0]?.name
    const id = newEventId()
    const sends = Array.from({ length: 5 }, () =>
      deliver(at(), 'identity', rename('First'), signStandard(IDENTITY, rename('First'), { id })),
    )
    const outcomes = (await Promise.all(sends)).map(({ outcome }) => outcome).sort()
    expect(outcomes).toEqual(['applied', 'duplicate', 'duplicate', 'duplicate', 'duplicate'])
    expect(await named()).toBe('First')
    expect((await sendIdentityEvent(at(), IDENTITY, 'user.updated', JSON.parse(rename('Second')).data)).outcome).toBe(
      'applied',
    )
    const late = await deliver(at(), 'identity', rename('First'), signSvix(IDENTITY, rename('First'), { id }))
    expect(late).toEqual({ status: 200, outcome: 'duplicate' })
    expect(await named()).toBe('Second')
  })

  test('a signed but invalid event is refused with what is wrong, and may be sent again', async () => {
    for (const [body, code] of [
      ['{', 'INVALID_JSON'],
      ['[]', 'BAD_REQUEST'],
      ['null', 'BAD_REQUEST'],
      ['{"type":1}', 'BAD_REQUEST'],
      ['{"type":"user.created","data":{"id":7}}', 'BAD_REQUEST'],
      ['{"type":"organization.created","data":null}', 'BAD_REQUEST'],
      [`{"type":"a","data":"${'x'.repeat(256 * 1024)}"}`, 'PAYLOAD_TOO_LARGE'],
    ] as const) {
      const { status, code: told } = await deliver(at(), 'identity', body, signStandard(IDENTITY, body))
      expect([body.slice(0, 60), status >= 400 && status < 500, told]).toEqual([body.slice(0, 60), true, code])
    }
    const long = { id: 'x'.repeat(256) }
    expect((await deliver(at(), 'identity', UNKNOWN, signStandard(IDENTITY, UNKNOWN, long))).code).toBe('BAD_REQUEST')
  })

  test('only POST is answered', async () => {
    const answer = await fetch(`${at().origin}/api/webhooks/identity`)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('without a secret', () => {
  test('every webhook is refused', async () => {
    const server = await startInProcess({ SERVICE_IDENTITY_WEBHOOK_SECRET: '' })
    expect(await deliver(server, 'identity', UNKNOWN, signStandard(IDENTITY, UNKNOWN))).toEqual(refused)
    expect(await deliver(server, 'payment', UNKNOWN, await signStripe(PAYMENT, UNKNOWN))).toEqual(refused)
    await server.stop()
  })
})
