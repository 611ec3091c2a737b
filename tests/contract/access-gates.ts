import type { Policy, Rule } from '../../db/policy.ts'
import { actFor, addMember, newOrganization, newPerson, type Person, signUp, Visitor } from '../people.ts'
import type { RandomPolicies, RandomViewer } from '../policies/random.ts'
import type { Server } from '../server.ts'

// A seeded world of bundles and people, for who-sees-what.test.ts.

const HOUR_MS = 3_600_000
/** The instants at which bundles open and close, and rules begin and end; clocks change in Berlin between the last two. */
export const EDGES = [-48, 0, 1, 47].map((hours) => Date.UTC(2027, 2, 26, 12) + hours * HOUR_MS)

interface Tab {
  url: string
  section: string | null
  openPolicy: string
}

/** What the maker of a bundle knows of it. */
export interface Made {
  slug: string
  title: string
  /** Only its tabs have this in their addresses. */
  host: string
  access: 'link' | 'members' | 'password'
  password: string
  opensAt: number | null
  closesAt: number | null
  policy: Policy | null
  tabs: Tab[]
  tabsOf: Map<Rule, Tab[]>
  owner: { user?: string | undefined; organization?: true }
  isDeleted: boolean
}

/** Somebody with a browser, or a program. */
export interface Someone {
  name: string
  headers: Record<string, string>
  /** Absent if nobody is signed in. */
  userId?: string
  /** In the organisation, now. */
  role?: NonNullable<RandomViewer['orgRole']>
  /** Of a confirmed address. */
  emailDomain?: string
}

/** The people of the world, by what they are to the organisation and to `owner`. */
export async function newPeople(server: Server) {
  const at = (name: string, domain: string) => newPerson(server, `${name}@${domain}`)
  const owner = await at('owner', 'acme.com')
  const [admin, editor, viewer] = [
    await at('admin', 'ACME.com'),
    await at('e', 'uni.edu'),
    await at('v', 'notacme.com'),
  ]
  const [former, demoted, foreign] = [
    await at('f', 'acme.com'),
    await at('d', 'mail.acme.com'),
    await at('o', 'uni.edu'),
  ]
  const unverified = await signUp(server, 'unverified@acme.com')
  const organization = await newOrganization(admin, [
    [editor, 'editor'],
    [viewer, 'viewer'],
    [former, 'editor'],
    [demoted, 'admin'],
  ])
  const organizationId = organization.id
  const change = { organizationId, memberId: organization.memberIds.get(demoted), role: 'viewer' }
  await did(admin, '/api/auth/organization/update-member-role', change)
  await did(admin, '/api/auth/organization/remove-member', { organizationId, memberIdOrEmail: former.email })
  const other = await newOrganization(foreign)
  await addMember(foreign, other.id, owner, 'viewer')
  for (const person of [admin, viewer]) await actFor(person, organizationId)
  await actFor(foreign, other.id)
  const left = await at('left', 'acme.com')
  const ended = cookieOf(left)
  await did(left, '/api/auth/sign-out', {})
  const { rawKey } = await did<{ rawKey: string }>(owner, '/api/me/keys', { name: 'all', scopes: ['keys:admin'] })
  const key = { authorization: `Bearer ${rawKey}` }
  const as = (name: string, { userId, email }: Person, more: Partial<Someone> = {}): Someone => {
    const emailDomain = email.slice(email.indexOf('@') + 1)
    const { headers, ...rest } = more
    return { name, userId, emailDomain, headers: { cookie: cookies.get(userId)!, ...headers }, ...rest }
  }
  const cookies = new Map(
    [owner, admin, editor, viewer, former, demoted, foreign, unverified].map((one) => [one.userId, cookieOf(one)]),
  )
  const { emailDomain: _, ...unproven } = as('an unverified address', unverified)
  const everyone: Someone[] = [
    { name: 'nobody', headers: {} },
    { name: 'a made-up cookie', headers: { cookie: `${cookieOf(owner).split('=')[0]}=made.up` } },
    { name: 'an ended session', headers: { cookie: ended } },
    { name: 'the owner’s key', headers: key },
    as('the owner', owner),
    as('a stranger with the owner’s key', foreign, { headers: key }),
    as('a stranger', foreign),
    unproven,
    as('an admin', admin, { role: 'admin' }),
    as('an editor', editor, { role: 'editor' }),
    as('a viewer', viewer, { role: 'viewer' }),
    as('a former editor', former),
    as('a former admin, a viewer now', demoted, { role: 'viewer' }),
  ]
  return { owner, admin, unverified, everyone }
}

type People = Awaited<ReturnType<typeof newPeople>>

const MAKERS = ['owner', 'owner', 'unverified', 'admin', 'admin', 'nobody', 'claimed'] as const

/** Makes a bundle by one of several ways, all of which end in what is returned. */
export async function newBundle(server: Server, random: RandomPolicies, number: number, people: People): Promise<Made> {
  const host = `b${number}x.example`
  const maker = random.pick(MAKERS)
  const canRequireMembers = maker !== 'nobody' && maker !== 'claimed'
  const access = random.pick(['link', 'link', 'password', canRequireMembers ? 'members' : 'link'] as const)
  const [opensAt = null, closesAt = null] = random.pick([
    [],
    [random.pick(EDGES)],
    [null, random.pick(EDGES)],
    [EDGES[0]!, random.pick(EDGES.slice(1))],
    [EDGES[1]!, random.pick(EDGES.slice(2))],
  ])
  const tabs = newTabs(random, 't', host)
  const policy = random.next() < 0.3 ? null : random.policy(4)
  const tabsOf = new Map<Rule, Tab[]>()
  for (const [at, rule] of policy?.rules.entries() ?? []) {
    const own = newTabs(random, `r${at}t`, host).map((tab) => ({ ...tab, openPolicy: 'auto' }))
    tabsOf.set(rule, own)
    const op = random.pick(['before', 'after'] as const)
    const edge = { op, field: 'now', value: iso(random.pick(EDGES)) } as const
    if (random.next() < 0.3) rule.when = { op: random.pick(['and', 'or'] as const), of: [edge, { op: 'signedIn' }] }
  }
  const rules = policy?.rules.map(({ id: _, ...rule }, at) => ({
    ...rule,
    tabs: (tabsOf.get(policy.rules[at]!) ?? []).map(({ url, section }) => ({ url, ...(section && { section }) })),
  }))
  const [title, password] = [`Title of ${host}`, `password of ${host}`]
  const content = {
    title,
    access,
    urls: tabs.map(({ url }) => url),
    urlMetadata: tabs.map(({ section, openPolicy }) => ({ openPolicy, ...(section && { section }) })),
    opensAt: opensAt && iso(opensAt),
    closesAt: closesAt && iso(closesAt),
    ...(access === 'password' && { password }),
    resolutionPolicy: rules ? { version: 1, rules } : null,
  }
  const nobody = new Visitor(server)
  const by = maker === 'nobody' || maker === 'claimed' ? nobody : people[maker]
  // Seen, and so kept, while it was something else.
  const isEdited = maker !== 'nobody' && random.next() < 0.5
  const before = {
    urls: [`https://before.${host}/`],
    title,
    ...random.pick([{}, { access: 'password', password: 'x'.repeat(9) }]),
  }
  const { slug, claimToken: token } = await by.makeBundle(isEdited ? before : content)
  if (maker === 'claimed') await did(people.owner, '/api/claims', { token })
  const editor = maker === 'claimed' ? people.owner : by
  if (isEdited) {
    await (await nobody.fetch(`/l/${slug}`)).text()
    await did(editor, `/api/links/${slug}`, content, 'PATCH')
  }
  const isDeleted = maker !== 'nobody' && random.next() < 0.15
  if (isDeleted) await did(editor, `/api/links/${slug}`, undefined, 'DELETE')
  const isRestored = isDeleted && random.next() < 0.5
  if (isRestored) await did(editor, `/api/links/${slug}/restore`, {})
  const user = { owner: people.owner.userId, claimed: people.owner.userId, unverified: people.unverified.userId }
  const owner = maker === 'admin' ? { organization: true as const } : maker === 'nobody' ? {} : { user: user[maker] }
  const known = { slug, title, host, access, password, opensAt, closesAt, policy, tabs, tabsOf, owner }
  return { ...known, isDeleted: isDeleted && !isRestored }
}

function newTabs(random: RandomPolicies, name: string, host: string): Tab[] {
  return Array.from({ length: 1 + Math.floor(random.next() * 4) }, (_, at) => ({
    url: `https://${name}${at}.${host}/`,
    section: random.pick([null, 'First part', 'Second part']),
    openPolicy: random.pick(['auto', 'manual']),
  }))
}

function iso(instant: number): string {
  return new Date(instant).toISOString()
}

function cookieOf({ cookies }: Visitor): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

async function did<T>(by: Visitor, path: string, body: unknown, method = 'POST'): Promise<T> {
  const answer = await by.api<T>(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
