import { afterAll, afterEach, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { freePort } from '../ports.ts'
import { setExtensionStage } from './extension.ts'
import { openOmnibox } from './omnibox.ts'

// What connects is told by an instance, which anybody may have set up.

const stage = setExtensionStage()

type Answer = (request: Request) => Response | null | Promise<Response | null>

let answer: Answer = () => null
const seen: string[] = []
const hostile = Bun.serve({
  port: freePort(),
  async fetch(request) {
    const { pathname } = new URL(request.url)
    seen.push(pathname)
    return (
      (await answer(request)) ?? Response.json(DOCUMENTS[pathname] ?? {}, { status: pathname in DOCUMENTS ? 200 : 404 })
    )
  },
})
const HOSTILE = `http://localhost:${hostile.port}`
const SERVER = {
  issuer: HOSTILE,
  authorization_endpoint: `${HOSTILE}/authorize`,
  token_endpoint: `${HOSTILE}/token`,
  registration_endpoint: `${HOSTILE}/register`,
  revocation_endpoint: `${HOSTILE}/revoke`,
}
const DOCUMENTS: Record<string, unknown> = {
  '/.well-known/oauth-protected-resource/api': { resource: `${HOSTILE}/api`, resource_name: 'Hostile' },
  '/.well-known/oauth-authorization-server': SERVER,
  '/register': { client_id: 'client' },
}

afterAll(() => hostile.stop(true))
afterEach(async () => {
  seen.length = 0
  for (const page of stage.context.pages().slice(1)) await page.close()
})

/** Says that the metadata is another. */
const metadata =
  (fields: object): Answer =>
  ({ url }) =>
    url.endsWith('/oauth-authorization-server') ? Response.json({ ...SERVER, ...fields }) : null

/** Presses Sign in for an instance. @returns the error. */
async function refusal(address = HOSTILE): Promise<string> {
  const options = await stage.open('options.html')
  await options.getByLabel('Address of the service').fill(address)
  await options.getByRole('button', { name: 'Sign in', exact: true }).click()
  const error = options.locator('#error')
  await becomes(async () => (await error.innerText()) !== '', true)
  return error.innerText()
}

/** The answer to a sign-in, which the instance sends to the browser's own address. */
const back =
  (query: (asked: URLSearchParams) => Record<string, string>): Answer =>
  ({ url }) => {
    const { pathname, searchParams } = new URL(url)
    if (pathname !== '/authorize') return null
    return Response.redirect(`${searchParams.get('redirect_uri')}?${new URLSearchParams(query(searchParams))}`)
  }

test('an instance names only addresses of its own for a sign-in', async () => {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint']) {
    for (const address of [
      `${stage.server.origin}/oauth/token`,
      `${HOSTILE.replace('localhost', '127.0.0.1')}/x`,
      'x',
    ]) {
      answer = metadata({ [name]: address })
      expect(await refusal()).toContain('not its own')
    }
  }
  answer = metadata({ issuer: stage.server.origin })
  expect(await refusal()).toContain('is no Openall service')
  expect(seen).not.toContain('/register')
}, 120_000)

test('no redirect is followed, and no answer is read to an end that does not come', async () => {
  answer = ({ url }) =>
    url.includes('protected-resource')
      ? Response.redirect(`${stage.server.origin}/.well-known/oauth-protected-resource/api`)
      : null
  expect(await refusal()).toContain('can’t be reached')
  let sent = 0
  const endless = new ReadableStream({
    async pull(controller) {
      sent += 1
      controller.enqueue(new Uint8Array(64 * 1024).fill(32))
      await Bun.sleep(1)
    },
  })
  answer = ({ url }) => (url.includes('protected-resource') ? new Response(endless) : null)
  expect(await refusal()).toContain('is no Openall service')
  const read = sent
  await Bun.sleep(300)
  expect(sent - read).toBeLessThan(20)
})

test('an answer for another request, of another issuer, or without consent connects nothing', async () => {
  const fit = (asked: URLSearchParams) => ({ state: asked.get('state')!, iss: HOSTILE, code: 'code' })
  const cases: [Answer, string][] = [
    [back((asked) => ({ ...fit(asked), state: 'other' })), 'not for this request'],
    [back((asked) => ({ ...fit(asked), iss: stage.server.origin })), 'not for this request'],
    [back(() => ({ code: 'code' })), 'not for this request'],
    [back((asked) => ({ state: asked.get('state')!, iss: HOSTILE, error: 'access_denied' })), 'did not connect'],
  ]
  for (const [said, expected] of cases) {
    answer = said
    expect(await refusal()).toContain(expected)
  }
  expect(seen).not.toContain('/token')
  // A token that a header can't carry, and none at all.
  for (const token of ['a\r\nb', '', 1]) {
    const sends = back(fit)
    answer = (request) =>
      request.url.endsWith('/token')
        ? Response.json({ access_token: token, refresh_token: 'r', expires_in: 9 })
        : sends(request)
    expect(await refusal()).toContain('without a token')
  }
  const stored = await (await stage.open('options.html')).evaluate(() => chrome.storage.local.get())
  expect(stored).toEqual({})
}, 120_000)

/** Signs in to an instance that counts how its tokens are renewed. @returns the refresh tokens that it got, in order. */
async function connectCounting(renews: (times: number) => Promise<Response | null>): Promise<string[]> {
  const sends = back((asked) => ({ state: asked.get('state')!, iss: HOSTILE, code: 'code' }))
  const got: string[] = []
  answer = async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/api/me/links') return Response.json({ bundles: [], total: 0 })
    if (pathname !== '/token') return (await sends(request)) ?? null
    const form = new URLSearchParams(await request.text())
    const refreshToken = form.get('refresh_token')
    if (refreshToken !== null) got.push(refreshToken)
    const said = refreshToken === null ? null : await renews(got.length)
    // Each token is over when it arrives. A repeated request gets the same answer, as from the service.
    const next = `${Number(refreshToken ?? 0) + 1}`
    return said ?? Response.json({ access_token: `access${next}`, refresh_token: next, expires_in: 0 })
  }
  const options = await stage.open('options.html')
  await options.getByLabel('Address of the service').fill(HOSTILE)
  await options.getByRole('button', { name: 'Sign in', exact: true }).click()
  await options.getByText('Connected to').waitFor()
  return got
}

test('a renewal whose answer is lost, or whose worker ends, is asked again with the same token; two never run at once', async () => {
  let waits = 0
  const got = await connectCounting(async (times) => {
    if (times === 1) return new Response('{"access_token":')
    if (times === 3) await Bun.sleep((waits = 1500))
    return null
  })
  const bar = await openOmnibox(stage.context)
  await bar.type('oa one')
  await becomes(() => got, ['1', '1'])
  await becomes(() => seen.includes('/api/me/links'), true)
  await bar.type('oa two')
  await becomes(() => got, ['1', '1', '2'])
  await stage.stopWorker()
  await Bun.sleep(waits)
  await bar.type('oa three')
  await becomes(() => got, ['1', '1', '2', '2'])
  // Somebody else of the extension renews just now.
  const options = await stage.open('options.html')
  await options.evaluate((origin) => {
    const held = new Promise<void>((resolve) => Object.assign(globalThis, { release: resolve }))
    void navigator.locks.request(`token ${origin}`, () => held)
  }, HOSTILE)
  await bar.type('oa four')
  await Bun.sleep(800)
  expect(got).toHaveLength(4)
  await options.evaluate(() => (globalThis as unknown as { release(): void }).release())
  await becomes(() => got, ['1', '1', '2', '2', '3'])
  // And a network with a page of its own in between ends no sign-in.
  answer = () =>
    new Response('<h1>Welcome to our hotel</h1>', { status: 403, headers: { 'content-type': 'text/html' } })
  await bar.type('oa five')
  await Bun.sleep(1000)
  await options.getByText('Signed in', { exact: true }).waitFor()
})

test('content scripts reach no token, nor anything else that is stored', async () => {
  const page = await stage.context.newPage()
  await page.goto(`${HOSTILE}/register`)
  const reached = await (await stage.worker()).evaluate(async (address) => {
    const [tab] = await chrome.tabs.query({ url: `${address.replace(/:\d+$/, '')}/*`, active: true })
    const [frame] = await chrome.scripting.executeScript({
      target: { tabId: tab!.id! },
      func: async () => {
        const tried = (area: chrome.storage.StorageArea) => area.get().then(JSON.stringify, () => 'refused')
        const databases = await indexedDB.databases()
        return [
          await tried(chrome.storage.local),
          await tried(chrome.storage.session),
          databases.map(({ name }) => name),
        ]
      },
    })
    return frame!.result
  }, HOSTILE)
  expect(reached).toEqual(['refused', 'refused', []])
})

test('what an instance calls itself is one short line of text', async () => {
  await (await stage.open('options.html')).evaluate(() => chrome.storage.local.clear())
  answer = ({ url }) =>
    url.includes('protected-resource')
      ? Response.json({
          resource: `${HOSTILE}/api`,
          resource_name: `\u202e<img src=x onerror=alert(1)>\n${'x'.repeat(5000)}`,
        })
      : url.includes('/api/')
        ? Response.json({}, { status: 200 })
        : null
  const options = await stage.open('options.html')
  await options.getByLabel('Address of the service').fill(HOSTILE)
  await options.getByRole('button', { name: 'Use without an account' }).click()
  const name = options.locator('.called').first()
  await becomes(async () => (await name.innerText()).length, 60)
  expect(await name.innerText()).toStartWith('<img src=x onerror=alert(1)> xxx')
  await options.getByRole('button', { name: /^Disconnect/ }).click()
})
