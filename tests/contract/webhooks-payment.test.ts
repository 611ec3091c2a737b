import { expect, test } from 'bun:test'
import { newOrganization, newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { deliver, newEventId, newSecret, sendPaymentEvent, sendStripeEvent, signStandard } from '../webhooks.ts'

const SECRET = newSecret()
const settings = {
  SERVICE_PAYMENT_WEBHOOK_SECRET: SECRET,
  SERVICE_PLAN_FREE_MAX_BUNDLES: '1',
  SERVICE_PLAN_PRO_MAX_BUNDLES: '3',
}
const URLS = { urls: ['https://a.example/'] }

onEveryTarget(settings, (at) => {
  const standard = (type: string, data: Record<string, unknown>, more = {}) =>
    sendPaymentEvent(at(), SECRET, type, data, more).then(({ outcome }) => outcome)
  const stripe = (type: string, data: Record<string, unknown>, more = {}) =>
    sendStripeEvent(at(), SECRET, type, data, more).then(({ outcome }) => outcome)
  const mayMake = async (person: Person) => (await person.api('POST', '/api/links', URLS)).status === 201
  /** A person whose free plan is full, and their subscription. */
  const fullUp = async () => {
    const person = await newPerson(at())
    expect([await mayMake(person), await mayMake(person)]).toEqual([true, false])
    return { person, subscription: { id: newEventId(), metadata: { subject: `user:${person.userId}` } } }
  }

  for (const [sender, tell, begins, ends] of [
    [
      'Standard Webhooks',
      standard,
      ['subscription.active', 'subscription.updated'],
      ['subscription.revoked', 'subscription.canceled'],
    ],
    [
      'Stripe',
      stripe,
      ['customer.subscription.created', 'customer.subscription.updated'],
      ['customer.subscription.deleted'],
    ],
  ] as const) {
    test(`${sender}: a running subscription gives the plan pro, and its end takes nothing away`, async () => {
      const { person, subscription } = await fullUp()
      const [slug] = (await person.api<{ bundles: { slug: string }[] }>('GET', '/api/me/links')).body.bundles.map(
        (b) => b.slug,
      )
      expect(await tell(begins[0], { ...subscription, status: 'active' })).toBe('applied')
      expect([await mayMake(person), await mayMake(person), await mayMake(person)]).toEqual([true, true, false])
      for (const end of ends) {
        await tell(begins[1], subscription)
        const plan = async () => (await at().sql('SELECT plan FROM owners WHERE user_id = ?', [person.userId]))[0]?.plan
        expect(await plan()).toBe('pro')
        expect(await tell(end, { ...subscription, status: 'canceled' })).toBe('applied')
        expect(await plan()).toBe('free')
      }
      expect((await fetch(`${at().origin}/l/${slug}`)).status).toBe(200)
      expect((await person.api('PATCH', `/api/links/${slug}`, { title: 'still mine' })).status).toBe(200)
      await person.api('DELETE', `/api/links/${slug}`)
      expect(await mayMake(person)).toBeFalse()
    })
  }

  test('an organisation is paid for separately', async () => {
    const person = await newPerson(at())
    const { id } = await newOrganization(person)
    await person.api('POST', '/api/auth/organization/set-active', { organizationId: id })
    expect([await mayMake(person), await mayMake(person)]).toEqual([true, false])
    await standard('subscription.active', { metadata: { subject: `organization:${id}`, plan: 'pro' } })
    expect(await mayMake(person)).toBeTrue()
  })

  test('an unpaid subscription gives nothing, one with a late payment stays active', async () => {
    const { person, subscription } = await fullUp()
    for (const status of ['incomplete', 'unpaid', 'canceled', 'paused', 'incomplete_expired']) {
      await stripe('customer.subscription.updated', { ...subscription, status })
      expect([status, await mayMake(person)]).toEqual([status, false])
    }
    await stripe('customer.subscription.updated', { ...subscription, status: 'past_due' })
    expect(await mayMake(person)).toBeTrue()
  })

  test('a late event undoes nothing', async () => {
    const { person, subscription } = await fullUp()
    const now = Math.floor(Date.now() / 1000)
    expect(await stripe('customer.subscription.deleted', subscription, { created: now })).toBe('applied')
    expect(await stripe('customer.subscription.updated', subscription, { created: now - 5 })).toBe('outdated')
    expect(await mayMake(person)).toBeFalse()
    expect(await standard('subscription.active', subscription, { timestamp: new Date().toISOString() })).toBe('applied')
    expect(await mayMake(person)).toBeTrue()
  })

  test('a subscription to another product is ignored', async () => {
    for (const metadata of [undefined, null, {}, { subject: null }, { subject: 'team:1' }, { subject: 'user:' }]) {
      expect(await stripe('customer.subscription.created', { metadata })).toBe('ignored')
    }
    expect(await standard('subscription.created', { metadata: { subject: 'user:1' } })).toBe('ignored')
  })

  test('a plan for an unknown account is 404, so that the sender retries; its end is not', async () => {
    const person = await newPerson(at())
    const id = newEventId()
    const tell = (subject: string) => {
      const body = JSON.stringify({ type: 'subscription.active', data: { metadata: { subject } } })
      return deliver(at(), 'payment', body, signStandard(SECRET, body, { id }))
    }
    for (const subject of ['user:nobody', 'organization:nobody']) {
      expect(await tell(subject)).toEqual({ status: 404, code: 'NOT_FOUND' })
      expect(await standard('subscription.revoked', { metadata: { subject } })).toBe('ignored')
    }
    expect(await at().sql("SELECT 1 FROM owners WHERE 'nobody' IN (user_id, organization_id)")).toEqual([])
    // The refused delivery is accepted once the account exists.
    expect(await tell(`user:${person.userId}`)).toEqual({ status: 200, outcome: 'applied' })
  })
})
