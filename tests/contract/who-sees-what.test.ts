import { afterAll, beforeAll, expect, setDefaultTimeout, setSystemTime, test } from 'bun:test'
import { type InProcess, startInProcess } from '../in-process.ts'
import { naiveMatch } from '../policies/naive.ts'
import { RandomPolicies, type RandomViewer } from '../policies/random.ts'
import { prng } from '../prng.ts'
import { EDGES, type Made, newBundle, newPeople, type Someone } from './doors.ts'

// Ten thousand cases of who sees what of which bundle and when, each against a plain reading of the specification.
// One runtime is enough: what decides is the same code on all.

setDefaultTimeout(180_000)

const SEED = 21
const BUNDLES = 120
const CASES = 10_000
const HOUR_MS = 3_600_000
/** Each edge, the moments around it, and some others. */
const MOMENTS = EDGES.flatMap((edge) => [edge - 1, edge, edge + 1, edge + HOUR_MS / 2])

type Facts = Omit<RandomViewer, 'signedIn' | 'emailDomain' | 'orgRole' | 'now'>

const AGENTS: readonly (readonly [name: string, facts: Facts])[] = [
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
    { client: 'browser', device: 'desktop', os: 'linux', browser: 'firefox' },
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0',
    { client: 'browser', device: 'desktop', os: 'windows', browser: 'edge' },
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
    { client: 'browser', device: 'mobile', os: 'ios', browser: 'safari' },
  ],
  [
    'Mozilla/5.0 (Linux; Android 15; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
    { client: 'browser', device: 'tablet', os: 'android', browser: 'chrome' },
  ],
]
const LANGUAGES = [
  ['de-DE,de;q=0.9,en;q=0.8', 'de-DE'],
  ['fr;q=0.4, en-GB;q=0.7', 'en-GB'],
  ['DE-at', 'DE-at'],
  ['*', undefined],
] as const
const COUNTRIES = [
  ['DE', 'DE'],
  ['us', 'us'],
  ['XX', undefined],
] as const
const REFERRERS = [
  ['https://news.example/a?b=c', 'news.example'],
  ['https://WWW.News.example/', 'www.news.example'],
  ['http://acme.com:8080/x', 'acme.com'],
  ['about:blank', undefined],
] as const

const QUERIES: readonly Record<string, string>[] = [
  {},
  { ref: 'a' },
  { ref: 'aB', utm_campaign: 'Launch Day' },
  { utm_campaign: 'x' },
]

/** The forms of a launcher; a password is sent as its page's form does. */
type Form = 'json' | 'html' | 'markdown' | 'password'
const ACCEPT = { json: 'application/json', html: 'text/html', markdown: 'text/markdown', password: 'text/html' }

interface Case {
  bundle: Made
  viewer: Someone
  now: number
  form: Form
  /** What is sent in the form. */
  password: string
  referrer: string
  query: string
  headers: Record<string, string>
  facts: Facts
}

const random = new RandomPolicies(prng(SEED))

function newCase(now: number, index: number, bundles: readonly Made[], everyone: readonly Someone[]): Case {
  const form: Form = index % 40 === 5 ? 'password' : index % 10 === 0 ? random.pick(['html', 'markdown']) : 'json'
  const bundle = random.pick(form === 'password' ? bundles.filter(({ access }) => access === 'password') : bundles)
  const viewer = random.pick(everyone)
  const [agent, ofAgent] = random.pick(AGENTS)
  const [language, best] = random.pick(LANGUAGES)
  const [country, code] = random.pick(COUNTRIES)
  const [referrer, referrerDomain] = random.pick(REFERRERS)
  const sent = random.pick(QUERIES)
  const facts: Facts = { ...ofAgent, query: sent }
  // Whoever asks for Markdown reads it with a model, whatever it calls itself.
  if (form === 'markdown') facts.client = 'agent'
  if (best !== undefined) facts.language = best
  if (code !== undefined) facts.country = code
  if (referrerDomain !== undefined) facts.referrerDomain = referrerDomain
  const headers = {
    accept: ACCEPT[form],
    'user-agent': agent,
    'accept-language': language,
    'x-country': country,
    // Wrong passwords are limited per address.
    'x-client': `10.0.${index >> 8}.${index & 255}`,
    ...(form !== 'password' && { referer: referrer }),
    ...viewer.headers,
  }
  const password = random.pick([bundle.password, bundle.password, 'not the password', 'x'.repeat(9)])
  const query = new URLSearchParams(sent).toString()
  return { bundle, viewer, now, form, password, referrer, query: query && `?${query}`, headers, facts }
}

interface Seen {
  status: number
  /** Absent from pages. */
  code?: string | undefined
  /** The tabs' addresses; as JSON, also where they stand and how they open. */
  tabs?: unknown[]
}

function isInside({ owner }: Made, { userId, role }: Someone): boolean {
  if (owner.organization) return role !== undefined
  return owner.user !== undefined && owner.user === userId
}

/** The naive reading. */
function reading(asked: Case): Seen {
  const { bundle, viewer, now, form, facts } = asked
  const { access, opensAt, closesAt, policy } = bundle
  const refused = (status: number, code: string): Seen => (form === 'json' ? { status, code } : { status })
  // Only a launcher that is there takes a form.
  if (bundle.isDeleted) return form === 'password' ? refused(405, 'METHOD_NOT_ALLOWED') : refused(404, 'NOT_FOUND')
  if (!isInside(bundle, viewer)) {
    if (access === 'members') return refused(401, 'MEMBERS_ONLY')
    const knowsIt = form === 'password' && asked.password === bundle.password
    if (access === 'password' && !knowsIt) return refused(401, 'PASSWORD_REQUIRED')
    if (opensAt !== null && now < opensAt) return refused(403, 'NOT_OPEN_YET')
    if (closesAt !== null && now >= closesAt) return refused(410, 'CLOSED')
  }
  const { userId, emailDomain, role } = viewer
  const account: RandomViewer = { signedIn: userId !== undefined }
  if (emailDomain !== undefined) account.emailDomain = emailDomain
  if (bundle.owner.organization && role !== undefined) account.orgRole = role
  const rule = policy && naiveMatch(policy, { ...facts, ...account, now: new Date(now).toISOString() })
  const tabs = rule ? bundle.tabsOf.get(rule)! : bundle.tabs
  return { status: 200, tabs: form === 'json' ? tabs : tabs.map(({ url }) => url) }
}

let server: InProcess
beforeAll(async () => {
  // Before anything else happens, so that nothing depends on when the test runs.
  setSystemTime(EDGES[0]! - HOUR_MS)
  server = await startInProcess({ SERVICE_CLIENT_IP_HEADER: 'x-client', SERVICE_COUNTRY_HEADER: 'x-country' })
})
afterAll(async () => {
  await server?.stop()
  setSystemTime()
})

async function look({ bundle, form, password, referrer, query, headers }: Case): Promise<Seen> {
  const sent = form === 'password' ? { method: 'POST', body: new URLSearchParams({ password, referrer }) } : {}
  const answer = await server.ask(`/l/${bundle.slug}${query}`, { ...sent, headers })
  const text = await answer.text()
  const { status } = answer
  if (status !== 200 && (text.includes(bundle.host) || text.includes(bundle.title))) return { status, code: 'TOLD' }
  if (form === 'json') {
    const { code, tabs } = JSON.parse(text) as { code?: string; tabs?: Made['tabs'] }
    if (tabs === undefined) return { status, code }
    return { status, tabs: tabs.map(({ url, section, openPolicy }) => ({ url, section, openPolicy })) }
  }
  const urls = text.match(new RegExp(`https://\\w+\\.${bundle.host}/`, 'g')) ?? []
  return status === 200 ? { status, tabs: [...new Set(urls)] } : { status }
}

test('ten thousand viewers see what a plain reading of the specification says', async () => {
  const people = await newPeople(server)
  const bundles: Made[] = []
  for (let at = 0; at < BUNDLES; at += 1) bundles.push(await newBundle(server, random, at, people))
  const wrong: object[] = []
  const outcomes: Record<string, number> = {}
  for (let index = 0; index < CASES; index += 1) {
    const now = MOMENTS[Math.floor((index * MOMENTS.length) / CASES)]!
    setSystemTime(now)
    const asked = newCase(now, index, bundles, people.everyone)
    const [seen, expected] = [await look(asked), reading(asked)]
    const outcome = `${asked.form} ${expected.status}`
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    if (!Bun.deepEquals(seen, expected)) wrong.push({ index, ...asked, seen, expected })
  }
  expect([wrong.length, wrong.slice(0, 3)]).toEqual([0, []])
  // Every answer was met, in every form, often enough to mean something.
  for (const form of Object.keys(ACCEPT)) {
    for (const status of [200, 401, 403, 410]) expect(outcomes[`${form} ${status}`]).toBeGreaterThan(10)
  }
})
