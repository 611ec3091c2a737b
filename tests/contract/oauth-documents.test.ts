import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate, trusting } from '../certificate.ts'
import { becomes } from '../eventually.ts'
import { need } from '../needs.ts'
import { approve, askPath, backTo, beginDevice, newProof, reach, redeem, refresh, type SignedInApp } from '../oauth.ts'
import { newPerson, Visitor } from '../people.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'

// Apps whose client id is the address of a document, with a real site over TLS.

setDefaultTimeout(180_000)

const CALLBACK = 'http://127.0.0.1:7777/callback'
const JSON_TYPE = { 'content-type': 'application/json' }

/** A site of apps. Each path answers in its own way; how often it was asked is counted. */
function openSite(key: string, cert: string) {
  const asked = new Map<string, number>()
  const stopping = new AbortController()
  const site = Bun.serve({
    port: 0,
    hostname: 'localhost',
    idleTimeout: 60,
    tls: { key: Bun.file(key), cert: Bun.file(cert) },
    async fetch(request) {
      const { pathname, href } = new URL(request.url)
      asked.set(pathname, (asked.get(pathname) ?? 0) + 1)
      const fine = {
        client_id: href,
        client_name: 'An agent',
        redirect_uris: [CALLBACK, 'https://app.example/callback'],
      }
      const answer = (more: object, init: ResponseInit = { headers: JSON_TYPE }) =>
        new Response(JSON.stringify({ ...fine, ...more }), init)
      const endless = (first: string, everyMs: number) => {
        const encoder = new TextEncoder()
        let isFirst = true
        return new ReadableStream({
          async pull(controller) {
            if (!isFirst && everyMs > 0) await Bun.sleep(everyMs)
            if (stopping.signal.aborted) return controller.close()
            controller.enqueue(encoder.encode(isFirst ? first : ' '.repeat(everyMs > 0 ? 1 : 65_536)))
            isFirst = false
          },
        })
      }
      switch (pathname) {
        case '/silent':
          return new Promise<Response>(() => {})
        case '/redirect':
          return new Response(null, { status: 302, headers: { location: '/app' } })
        case '/endless':
          return new Response(endless('{', 0), { headers: JSON_TYPE })
        case '/slow':
          return new Response(endless('{', 500), { headers: JSON_TYPE })
        case '/large':
          return new Response(`{"x":"${'x'.repeat(10_000_000)}"}`, { headers: JSON_TYPE })
        case '/rather-large':
          return answer({ x: 'x'.repeat(17_000) })
        case '/deep':
          return new Response('['.repeat(16_000), { headers: JSON_TYPE })
        case '/no-json':
          return new Response('<html>', { headers: JSON_TYPE })
        case '/page':
          return answer({}, { headers: { 'content-type': 'text/html' } })
        case '/missing':
          return answer({}, { status: 404, headers: JSON_TYPE })
        case '/other-id':
          return answer({ client_id: href.replace('other-id', 'app') })
        case '/no-id':
          return answer({ client_id: undefined })
        case '/secret':
          return answer({ token_endpoint_auth_method: 'client_secret_post' })
        case '/holds-secret':
          return answer({ client_secret: 'x' })
        case '/odd-name':
          return answer({ client_name: 'Bank\u202egnp' })
        case '/script':
          return answer({ redirect_uris: ['javascript:alert(1)'] })
        case '/devices-only':
          return answer({ grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] })
        case '/unkept':
          return answer({}, { headers: { ...JSON_TYPE, 'cache-control': 'no-store, max-age=0' } })
        default:
          return answer({})
      }
    },
  })
  return {
    origin: `https://localhost:${site.port}`,
    asked: (path: string) => asked.get(path) ?? 0,
    stop: () => {
      stopping.abort()
      return site.stop(true)
    },
  }
}

describe.each(RUNTIMES.map((runtime) => ({ runtime })))('on $runtime', ({ runtime }) => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-'))
  let site: ReturnType<typeof openSite>
  let server: Server
  let guarded: Server
  beforeAll(async () => {
    need('openssl')
    const { key, cert } = makeCertificate(folder, 'localhost')
    site = openSite(key, cert)
    const start = (env: Record<string, string>) => startServer({ runtime, env: { ...trusting(cert), ...env } })
    ;[server, guarded] = await Promise.all([start({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }), start({})])
  })
  afterAll(async () => {
    await Promise.all([server?.stop(), guarded?.stop(), site?.stop()])
    rmSync(folder, { recursive: true, force: true })
  })
  const ask = (id: string, more: Record<string, string> = {}) =>
    askPath(id, newProof().challenge, { redirect_uri: CALLBACK, ...more })

  test('an app that publishes a document signs in, renews and is listed, without registering', async () => {
    const id = `${site.origin}/app`
    const person = await newPerson(server)
    const { verifier, challenge } = newProof()
    const path = askPath(id, challenge, { redirect_uri: CALLBACK })
    const page = await (await person.fetch(path)).text()
    for (const text of ['An agent', 'Published by', new URL(id).host, 'Any program on this computer'])
      expect(page).toContain(text)
    expect(page).not.toContain('chose its name itself')
    const code = (await approve(person, path)).searchParams.get('code') ?? ''
    const { status, body } = await redeem(server, id, code, verifier, { redirect_uri: CALLBACK })
    expect(status).toBe(200)
    expect(await reach(server, body.access_token)).toMatchObject({ mcp: 200 })
    const app: SignedInApp = { clientId: id, accessToken: '', refreshToken: body.refresh_token, scope: '' }
    const renewed = await refresh(server, app)
    expect(await reach(server, renewed.body.access_token)).toMatchObject({ mcp: 200 })
    // Another document is another app.
    const thief = { ...app, clientId: `${site.origin}/thief`, refreshToken: renewed.body.refresh_token }
    expect((await refresh(server, thief)).body.error).toBe('invalid_grant')
    expect(site.asked('/app')).toBe(1)
    expect(site.asked('/thief')).toBe(0)
  })

  test('nobody makes the service request an address without signing in, nor a device in the name of such an app', async () => {
    const id = `${site.origin}/unasked`
    const stranger = await new Visitor(server).fetch(ask(id))
    expect([stranger.status, stranger.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^\/sign-in\?next=/),
    ])
    const device = await beginDevice(server, { client_id: id })
    expect([device.status, device.body.error]).toEqual([400, 'unauthorized_client'])
    expect(site.asked('/unasked')).toBe(0)
  })

  test('a browser is sent only where the document says', async () => {
    const person = await newPerson(server)
    for (const redirect_uri of [
      'https://evil.example/',
      'http://127.0.0.1:7777/other',
      'https://app.example/callback/x',
    ]) {
      const path = ask(`${site.origin}/app`, { redirect_uri })
      for (const answer of [await person.fetch(path), await person.form(path, { decision: 'connect', subject: '' })])
        expect([redirect_uri, answer.status, backTo(answer), answer.headers.get('location')]).toEqual([
          redirect_uri,
          400,
          null,
          null,
        ])
    }
    // Programs get a free port when they start.
    const back = await approve(person, ask(`${site.origin}/app`, { redirect_uri: 'http://127.0.0.1:50001/callback' }))
    expect(back.port).toBe('50001')
  })

  test('a document that says something else, or anything too large, slow or redirected, is no app', async () => {
    const person = await newPerson(server)
    const reasons: [path: string, says: RegExp][] = [
      ['/redirect', /answered with 302/],
      ['/endless', /at most 16 KiB|more than 64 KiB/],
      ['/slow', /no complete answer in time/],
      ['/large', /at most 16 KiB|more than 64 KiB/],
      ['/rather-large', /at most 16 KiB/],
      ['/deep', /cannot be read/],
      ['/no-json', /cannot be read/],
      ['/page', /content type must be application\/json/],
      ['/missing', /answered with 404/],
      ['/other-id', /its client_id must be its own address/],
      ['/no-id', /its client_id must be its own address/],
      ['/secret', /token_endpoint_auth_method must be none/],
      ['/holds-secret', /may hold no secret/],
      ['/odd-name', /client_name/],
      ['/script', /redirect_uris/],
      ['/devices-only', /grant_types must include/],
    ]
    const answers = await Promise.all(reasons.slice(0, 8).map(async ([path]) => person.fetch(ask(site.origin + path))))
    for (const [path] of reasons.slice(8)) answers.push(await person.fetch(ask(site.origin + path)))
    for (const [n, answer] of answers.entries()) {
      const [path, says] = reasons[n]!
      expect([path, answer.status, backTo(answer)]).toEqual([path, 400, null])
      expect(await answer.text(), path).toMatch(says)
    }
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200)
  })

  test('an address that another parser could read differently is no client id', async () => {
    const person = await newPerson(server)
    const { host } = new URL(site.origin)
    for (const id of [
      `http://${host}/app`,
      `https://${host}`,
      `https://${host}/`,
      `https://${host}/a/../app`,
      `https://${host}/a/%2e%2e/app`,
      `https://${host}/./app`,
      `https://${host}/app#x`,
      `https://user:pass@${host}/app`,
      `https://${host.toUpperCase()}/app`,
      `https:/${host}/app`,
      `https://${host}\\app`,
      `https://${host}/app${'x'.repeat(500)}`,
    ]) {
      const answer = await person.fetch(ask(id))
      expect([id, answer.status, backTo(answer)]).toEqual([id, 400, null])
    }
  })

  test('a document is kept for a while, asked for once by many at a time, and by one person not without end', async () => {
    const person = await newPerson(server)
    const pages = await Promise.all(Array.from({ length: 5 }, () => person.fetch(ask(`${site.origin}/unkept`))))
    expect(pages.map(({ status }) => status)).toEqual(Array(5).fill(200))
    expect(site.asked('/unkept')).toBe(1)
    const statuses: number[] = []
    for (let n = 0; n < 32; n += 1) statuses.push((await person.fetch(ask(`${site.origin}/many/${n}`))).status)
    expect(statuses.slice(0, 29)).toEqual(Array(29).fill(200))
    expect(statuses.slice(-2)).toEqual([429, 429])
  })

  test('sites that are silent take the places of those who ask for them, and nobody else’s', async () => {
    const [ann, ben] = [await newPerson(server), await newPerson(server)]
    const silent = Array.from({ length: 8 }, (_, at) => ann.fetch(ask(`${site.origin}/silent?${at}`)))
    await becomes(() => site.asked('/silent'), 8)
    const ninth = await ann.fetch(ask(`${site.origin}/ninth`))
    expect([ninth.status, await ninth.text()]).toEqual([400, expect.stringContaining('too many apps are asking')])
    expect((await ben.fetch(ask(`${site.origin}/of-ben`))).status).toBe(200)
    expect((await Promise.all(silent)).map(({ status }) => status)).toEqual(Array(8).fill(400))
  })

  test('an address in the service’s own network is not requested unless the operator allows it', async () => {
    const person = await newPerson(guarded)
    const port = new URL(site.origin).port
    for (const id of [`${site.origin}/guarded`, `https://127.0.0.1:${port}/guarded`, `https://[::1]:${port}/guarded`]) {
      const answer = await person.fetch(ask(id))
      expect([id, answer.status]).toEqual([id, 400])
      expect(await answer.text()).toContain('its URL must lead to a public address')
    }
    expect(site.asked('/guarded')).toBe(0)
  })
})
