import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type Draft, keepDraft, newDraft, readDrafts } from '../../extension/parts/draft.ts'
import { lastBundleOf, readUnclaimed } from '../../extension/parts/kept-links.ts'
import { saveDraft } from '../../extension/parts/saving.ts'
import { listOf } from '../../extension/parts/tab-list.ts'
import { startInProcess } from '../in-process.ts'
import { type BundleBody, newPerson, type Person, Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { fakeChrome, leaveNoChrome } from './fake-chrome.ts'

let server: Server
let person: Person
let kept: ReturnType<typeof fakeChrome>

beforeAll(async () => {
  server = await startInProcess()
})
afterAll(() => server.stop())
beforeEach(async () => {
  kept = fakeChrome()
  person = await newPerson(server)
  await connect(person)
})
leaveNoChrome()

const { fetch } = globalThis
afterEach(() => {
  globalThis.fetch = fetch
})

/** Connects the service for somebody, as signing in leaves it; null: without an account. */
async function connect(somebody: Visitor | null, origin = server.origin): Promise<void> {
  const account = somebody === null ? null : { clientId: 'app', hasEnded: false }
  kept.local.instances = { [origin]: { origin, name: 'Openall', account, opensAtOnce: false } }
  if (somebody === null) return
  kept.session[`token ${origin}`] = { token: (await somebody.mint()).rawKey, until: Date.now() + 3_600_000 }
}

const urlsOf = (count: number) => Array.from({ length: count }, (_, at) => `https://a.example/${at}`)

/** A draft whose user has pressed Save. */
async function pressed(urls: readonly string[], fields: Partial<Draft> = {}): Promise<Draft> {
  const found = urls.map((url, at) => ({ url, title: `Page ${at}`, section: at === 0 ? 'First' : 'Others' }))
  const draft = {
    ...newDraft({ kind: 'window', id: 1 }, listOf(found, []), 'Reading'),
    origin: server.origin,
    ...fields,
  }
  await keepDraft(draft)
  return draft
}

/** Saves a draft. @returns what is stored of it afterwards. */
async function saved({ key }: Draft): Promise<Draft> {
  await saveDraft(key)
  return (await readDrafts()).find((one) => one.key === key)!
}

async function bundles(): Promise<(BundleBody & { source: string })[]> {
  const { body } = await person.api<{ bundles: (BundleBody & { source: string })[] }>('GET', '/api/me/links')
  return body.bundles.toReversed()
}

/** Loses the answers to some requests: they arrive, and nobody hears of it. */
function loseAnswers(isLost: (method: string) => boolean): void {
  globalThis.fetch = (async (input: string, init: RequestInit = {}) => {
    const answer = await fetch(input, init)
    if (isLost(init.method ?? 'GET')) throw new TypeError('the connection broke')
    return answer
  }) as typeof fetch
}

test('a list becomes a bundle of the account, with titles and sections, from the extension', async () => {
  const { state, made } = await saved(await pressed(urlsOf(3)))
  const [bundle, ...others] = await bundles()
  expect([state, others.length, bundle?.title, bundle?.source]).toEqual(['saved', 0, 'Reading', 'extension'])
  expect(bundle?.urls).toEqual(urlsOf(3))
  expect(bundle?.urlMetadata.map(({ note, section }) => [note, section])).toEqual([
    ['Page 0', 'First'],
    ['Page 1', 'Others'],
    ['Page 2', 'Others'],
  ])
  const { slug = '', url = '' } = bundle ?? {}
  const editUrl = `${server.origin}/dashboard/links/${slug}`
  expect(made).toEqual([{ slug, url, title: 'Reading', editUrl, isPrivate: false }])
  expect(await lastBundleOf(server.origin)).toEqual({ slug, title: 'Reading' })
})

test('a lost answer leaves the list as it was sent; saving again finds the same bundle', async () => {
  const draft = await pressed(urlsOf(2))
  loseAnswers((method) => method === 'POST')
  const { state, isUnsure, trouble, made } = await saved(draft)
  expect([state, isUnsure, made]).toEqual(['open', true, []])
  expect(trouble?.message).toBe(`${new URL(server.origin).host} can’t be reached. Save again once you are online.`)
  globalThis.fetch = fetch
  expect((await saved(draft)).state).toBe('saved')
  expect(await bundles()).toHaveLength(1)
})

test('a save that ended with its worker is done once, and two at a time make one bundle', async () => {
  const draft = await pressed(urlsOf(2))
  globalThis.fetch = (() => new Promise(() => {})) as unknown as typeof fetch
  void saveDraft(draft.key)
  await Bun.sleep(10)
  const [left] = await readDrafts()
  expect([left?.state, left?.isUnsure]).toEqual(['saving', true])
  // The worker is gone, and its locks with it.
  const storage = structuredClone(kept)
  kept = fakeChrome()
  Object.assign(kept.local, storage.local)
  Object.assign(kept.session, storage.session)
  globalThis.fetch = fetch
  await Promise.all([saveDraft(draft.key), saveDraft(draft.key)])
  expect(await bundles()).toHaveLength(1)
})

test('a long list becomes several bundles; those that are made are not made again', async () => {
  const draft = await pressed(urlsOf(60))
  let posts = 0
  loseAnswers((method) => method === 'POST' && ++posts > 1)
  const { state, made } = await saved(draft)
  expect([state, made.length]).toEqual(['open', 1])
  globalThis.fetch = fetch
  expect((await saved(draft)).made).toHaveLength(3)
  expect((await bundles()).map(({ title, urls }) => [title, urls.length])).toEqual([
    ['Reading (1 of 3)', 25],
    ['Reading (2 of 3)', 25],
    ['Reading (3 of 3)', 10],
  ])
})

test('links are added to a bundle that others edit meanwhile; those that it has are not added again', async () => {
  const { slug } = await person.makeBundle({ title: 'Launch', urls: [urlsOf(1)[0], 'https://b.example/'] })
  const draft = await pressed(urlsOf(3), { target: { slug, title: 'Launch', links: 2 } })
  let edits = 0
  globalThis.fetch = (async (input: string, init: RequestInit = {}) => {
    if (init.method !== 'PATCH' || edits++ > 0) return fetch(input, init)
    globalThis.fetch = fetch
    await person.api('PATCH', `/api/links/${slug}`, { title: 'Renamed' })
    return fetch(input, init)
  }) as typeof fetch
  const { state, made } = await saved(draft)
  const [bundle] = await bundles()
  expect([state, made[0]?.title]).toEqual(['saved', 'Renamed'])
  expect([bundle?.title, bundle?.urls]).toEqual([
    'Renamed',
    [urlsOf(1)[0]!, 'https://b.example/', ...urlsOf(3).slice(1)],
  ])
  expect(bundle?.urlMetadata.at(-1)).toEqual({ note: 'Page 2', section: 'Others' })
})

test('an answer that was lost adds nothing twice', async () => {
  const { slug } = await person.makeBundle({ urls: ['https://b.example/'] })
  const draft = await pressed(urlsOf(2), { target: { slug, title: '', links: 1 } })
  loseAnswers((method) => method === 'PATCH')
  expect((await saved(draft)).isUnsure).toBe(true)
  globalThis.fetch = fetch
  expect((await saved(draft)).state).toBe('saved')
  expect((await bundles())[0]).toMatchObject({ urls: ['https://b.example/', ...urlsOf(2)], versionNumber: 2 })
})

test('a bundle without room says how many fit', async () => {
  const { slug } = await person.makeBundle({ title: 'Launch', urls: urlsOf(24) })
  const urls = ['https://b.example/1', 'https://b.example/2', 'https://b.example/3']
  const { isUnsure, trouble } = await saved(await pressed(urls, { target: { slug, title: 'Launch', links: null } }))
  expect([isUnsure, trouble?.message]).toEqual([
    false,
    '“Launch” has 24 links. 1 more fits. Remove 2, or save a new bundle.',
  ])
})

test('a sign-in that has ended is said, and the list stays', async () => {
  const { origin } = server
  const account = { clientId: 'app', hasEnded: true }
  kept.local.instances = { [origin]: { origin, name: 'Openall', account, opensAtOnce: false } }
  const { state, isUnsure, trouble, links } = await saved(await pressed(urlsOf(2)))
  expect([state, isUnsure, links.length, trouble?.isSignedOut]).toEqual(['open', false, 2, true])
  expect(trouble?.message).toBe('You are signed out of Openall. Sign in, then save.')
})

test('too many saves say when the next one works', async () => {
  globalThis.fetch = (async () =>
    Response.json(
      { error: 'Slow down.', code: 'RATE_LIMITED', retryAfterSeconds: 90 },
      { status: 429, headers: { 'retry-after': '90' } },
    )) as unknown as typeof fetch
  const { isUnsure, trouble } = await saved(await pressed(urlsOf(2)))
  expect([isUnsure, trouble?.message]).toEqual([false, 'Too many saves in a short time. Save again in 90 seconds.'])
})

test('without an account the private link is kept, also if its answer came only the second time', async () => {
  await connect(null)
  const draft = await pressed(urlsOf(2))
  loseAnswers((method) => method === 'POST')
  expect((await saved(draft)).isUnsure).toBe(true)
  globalThis.fetch = fetch
  const { made } = await saved(draft)
  const [private_, ...others] = await readUnclaimed()
  expect(others).toEqual([])
  expect(private_).toMatchObject({ url: made[0]!.url, title: 'Reading', claimUrl: made[0]!.editUrl! })
  expect((await new Visitor(server).fetch(private_!.claimUrl)).status).toBe(200)
  // Once the link has ended, it is no longer of use.
  expect(await readUnclaimed(Date.parse(private_!.until))).toEqual([])
})

test('an instance that wants an account says so', async () => {
  const closed = await startInProcess({ SERVICE_ANONYMOUS_BUNDLES: 'off' })
  try {
    await connect(null, closed.origin)
    const { trouble } = await saved(await pressed(urlsOf(2), { origin: closed.origin }))
    expect(trouble).toEqual({
      message: 'Openall takes bundles only from people with an account. Sign in, then save again.',
      isSignedOut: true,
    })
  } finally {
    await closed.stop()
  }
})

test('what an instance calls a link is a link, or nothing', async () => {
  const slug = 'aaaaaaaaaa'
  globalThis.fetch = (async () =>
    Response.json({ slug, url: 'javascript:alert(1)' }, { status: 201 })) as unknown as typeof fetch
  const { state, made, isUnsure } = await saved(await pressed(urlsOf(1)))
  expect([state, made, isUnsure]).toEqual(['open', [], true])
})
