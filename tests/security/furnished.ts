import { randomBytes } from 'node:crypto'
import {
  arriveByMail,
  type CreatedBody,
  invitationLink,
  linkIn,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  type Person,
  signUp,
  URL_A,
  URL_B,
  Visitor,
} from '../people.ts'
import type { Server } from '../server.ts'
import { unsubscribeLinkOf } from '../unsubscribing.ts'
import { newAddress } from './callers.ts'
import type { Values } from './routes.ts'

/** A person who owns one of everything, and the route parameters of each. */
export interface Furnished {
  person: Person
  slug: string
  /** Values for the parameters of every route. */
  values: Values
}

/** Every place where people can enter text. */
export const PLACES = [
  'person',
  'other',
  'organization',
  'title',
  'description',
  'note',
  'tag',
  'url',
  'rule',
  'value',
  'tab',
  'label',
  'example',
  'key',
  'report',
  'browser',
  'webhook',
] as const

/** The text to enter at a place; at most 40 characters, the shortest limit of all. */
type Texts = (place: (typeof PLACES)[number]) => string

const plain: Texts = () => 'text'

/**
 * Creates a person with one of everything: bundles with versions and rules, an organisation with a member and an
 * invitation, API keys, another session, a claim, a report.
 */
export async function furnish(server: Server, text: Texts = plain): Promise<Furnished> {
  const person = await newPerson(server)
  const other = await newPerson(server)
  const must = async <T>(by: Visitor, method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await by.api<T>(method, path, body, { 'x-client': newAddress() })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await must(person, 'POST', '/api/auth/update-user', { name: text('person') })
  const bundle = {
    urls: [`${URL_A}?q=${text('url')}&for={customer}`, URL_B],
    urlMetadata: [{ note: text('note'), tags: [text('tag')] }, { openPolicy: 'manual' }],
    title: text('title'),
    description: text('description'),
    variables: [{ name: 'customer', label: text('label'), example: text('example') }],
    resolutionPolicy: {
      version: 1,
      rules: [
        {
          name: text('rule'),
          showBadge: true,
          when: { op: 'contains', field: 'query.who', value: text('value') },
          tabs: [{ url: URL_B, note: text('tab') }],
        },
      ],
    },
  }
  const { slug } = await must<CreatedBody>(person, 'POST', '/api/links', bundle)
  await must(person, 'PATCH', `/api/links/${slug}`, {
    description: `${text('description')} again`,
    urls: [URL_B, URL_A],
  })
  await must(person, 'PATCH', `/api/links/${slug}`, { description: text('description'), urls: bundle.urls })
  const proposal = await must<{ id: string }>(person, 'POST', `/api/links/${slug}/proposals`, { title: 'Proposed' })
  const deleted = await must<CreatedBody>(person, 'POST', '/api/links', { urls: [URL_A], title: text('title') })
  await must(person, 'DELETE', `/api/links/${deleted.slug}`)
  const unclaimed = await must<CreatedBody>(new Visitor(server), 'POST', '/api/links', {
    ...bundle,
    email: person.email,
  })
  await must(new Visitor(server), 'POST', `/api/links/${slug}/reports`, { reason: 'phishing', detail: text('report') })
  const key = await must<{ apiKey: { id: number } }>(person, 'POST', '/api/me/keys', { name: text('key') })
  const hook = await must<{ webhook: { id: string } }>(person, 'POST', '/api/me/webhooks', {
    url: `https://93.184.216.34/?q=${text('webhook')}`,
    events: ['bundle.restored'],
  })
  const webhookId = hook.webhook.id
  const delivery = `INSERT INTO outbox (webhook_id, message_id, event, at, attempts, failure)
    VALUES (?, 'msg_1', 'webhook.test', 1, 1, 'it was answered with 500') RETURNING id`
  const [delivered] = await server.sql(delivery, [webhookId])
  // Another session, listed by its User-Agent.
  const browser = await arriveByMail(server, person.email)
  const token = decodeURIComponent(browser.cookies.get('session') ?? '').split('.')[0] ?? ''
  const [session] = await server.sql('UPDATE session SET user_agent = ? WHERE token = ? RETURNING id', [
    text('browser'),
    token,
  ])
  await must(browser, 'GET', '/api/me')

  const { id, memberIds } = await newOrganization(person, [[other, 'viewer']])
  const organization = { organizationId: id, data: { name: text('organization') } }
  await must(person, 'POST', '/api/auth/organization/update', organization)
  const handle = `team-${randomBytes(6).toString('hex')}`
  await must(person, 'PATCH', `/api/organizations/${id}`, { handle })
  await must(person, 'POST', '/api/auth/organization/set-active', { organizationId: id })
  await must(person, 'POST', '/api/links', { ...bundle, listed: true })
  const invite = (by: Visitor, email: string, organizationId: string) =>
    must<{ id: string }>(by, 'POST', '/api/auth/organization/invite-member', { email, role: 'viewer', organizationId })
  const sent = await invite(person, newEmail(), id)
  await must(other, 'POST', '/api/auth/update-user', { name: text('other') })
  const { id: elsewhere } = await newOrganization(other)
  await must(other, 'POST', '/api/auth/organization/update', { ...organization, organizationId: elsewhere })
  const received = await invite(other, person.email, elsewhere)
  const secret = new URL(await invitationLink(server, person.email)).pathname.split('/').at(-1) ?? ''
  await person.api('POST', '/api/auth/organization/set-active', { organizationId: null })
  await person.api('POST', '/api/auth/request-password-reset', { email: person.email, redirectTo: '/' })
  await person.api('POST', '/api/auth/sign-in/magic-link', { email: person.email, callbackURL: '/' })
  const unconfirmed = await signUp(server, newEmail())
  const tokenOf = (link: string) => new URL(link).pathname.split('/').at(-1) ?? ''
  const reset = tokenOf(linkIn(await mailTo(server, person.email, 'Set a password')))
  const signInLink = tokenOf(linkIn(await mailTo(server, person.email, 'Your sign-in link')))
  const confirmation = tokenOf(linkIn(await mailTo(server, unconfirmed.email, 'Confirm your address')))
  // A file may furnish several people, and an icon's ID is its own.
  const iconId = randomBytes(16).toString('base64url')
  await server.sql("INSERT INTO icons (id, png) VALUES (?, x'89504e47') RETURNING 1", [iconId])
  const icon = /\/static\/icon[^"]*/.exec(await (await fetch(server.origin)).text())?.[0] ?? ''
  const form = await new Visitor(server, { 'x-client': newAddress() }).publish({
    urls: URL_A,
    title: text('title'),
  })
  const made = form.headers.get('location')?.split('/').at(-1) ?? ''
  return {
    person,
    slug,
    values: {
      '/made/:sealed': made,
      '/docs/:guide': 'quick-start',
      '/docs/pictures/:picture': 'keyword-chromium.png',
      '/:slug': slug,
      '/o/:handle': handle,
      '/l/:value': 'text',
      '/:versionNumber': '1',
      '/:webhookId': webhookId,
      '/:deliveryId': String(delivered?.id),
      '/api/links/:id': proposal.id,
      '/dashboard/links/:id': proposal.id,
      '/claim/:token': unclaimed.claimToken,
      '/password/:token': reset,
      '/sign-in/link/:token': signInLink,
      '/confirm/:token': confirmation,
      '/unsubscribe/:token': tokenOf(unsubscribeLinkOf(server, person)),
      '/api/auth/:token': reset,
      '/api/auth/:id': 'oidc',
      '/invitations/:id': received.id,
      '/invitations/:secret': secret,
      '/dashboard/keys/:id': String(key.apiKey.id),
      '/api/me/keys/:id': String(key.apiKey.id),
      '/dashboard/organizations/:id': id,
      '/dashboard/organizations/:invitation': sent.id,
      '/dashboard/organizations/:member': memberIds.get(other) ?? '',
      '/api/organizations/:organizationId': id,
      '/api/organizations/:userId': other.userId,
      '/api/organizations/:invitationId': sent.id,
      '/dashboard/settings/:id': String(session?.id),
      '/icons/:icon': `${iconId}.png`,
      '/static/:file': icon.replace('/static/', ''),
    },
  }
}
