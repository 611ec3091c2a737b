import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { mailTo, newEmail, signUp, Visitor } from '../people.ts'
import { type Furnished, furnish } from '../security/furnished.ts'
import { type FoundRoute, fill, routesOf } from '../security/routes.ts'
import type { Server } from '../server.ts'

const NAME = 'Linkhaus & Söhne'

let server: Server
let world: Furnished
let routes: FoundRoute[]
beforeAll(async () => {
  server = await startInProcess({ SERVICE_NAME: NAME, SERVICE_CLIENT_IP_HEADER: 'x-client' })
  world = await furnish(server)
  routes = (await routesOf(server)).filter(({ method }) => method === 'GET')
})
afterAll(async () => {
  await server?.stop()
})

const isNamed = (text: string) => text.includes(NAME) || text.includes(NAME.replace('&', '&amp;'))

test('every page has the name from SERVICE_NAME, and none says Openall', async () => {
  const stranger = new Visitor(server)
  const wrong: string[] = []
  const assets = new Set<string>()
  let pages = 0
  const look = async (visitor: Visitor, path: string) => {
    const response = await visitor.fetch(path)
    const text = await response.text()
    if (text.includes('Openall')) wrong.push(`${path} says Openall`)
    // Pages are complete documents; a bookmarks file is one for another program.
    if (!text.startsWith('<!doctype html>')) return
    pages += 1
    if (!isNamed(text)) wrong.push(`${path} has no name`)
    for (const [asset] of text.matchAll(/\/static\/[\w.-]+/g)) assets.add(asset)
  }
  for (const { template } of routes) {
    // better-auth's error page redirects to our own; the rest is JSON.
    if (template.startsWith('/api/auth/')) continue
    const path = fill(template, world.values)
    await look(world.person, path)
    await look(stranger, path)
  }
  await look(stranger, '/nothing')
  await look(stranger, '/l/nothing123')
  for (const asset of assets) await look(stranger, asset)
  expect(wrong).toEqual([])
  expect([pages > 40, assets.size > 5]).toEqual([true, true])
})

test('every mail has the name, and none says Openall', async () => {
  const known = await signUp(server)
  const visitor = new Visitor(server)
  const invited = newEmail()
  await visitor.api('POST', '/api/auth/sign-up/email', { email: known.email, password: 'correct horse', name: '' })
  await visitor.api('POST', '/api/auth/sign-in/magic-link', { email: known.email, callbackURL: '/' })
  await visitor.api('POST', '/api/auth/request-password-reset', { email: known.email, redirectTo: '/' })
  await world.person.api('POST', '/api/auth/organization/invite-member', {
    email: invited,
    role: 'viewer',
    organizationId: world.values['/dashboard/organizations/:id'],
  })
  await mailTo(server, invited, '')
  await mailTo(server, known.email, 'Set a password')
  await new Visitor(server).makeBundle({ email: newEmail() })
  const box = server
    .output()
    .split('\n')
    .filter((line) => line.includes('"mail":'))
  expect(box.length).toBeGreaterThan(5)
  expect(box.filter((mail) => !isNamed(mail) || mail.includes('Openall'))).toEqual([])
})

test('texts for agents and programs have the name as well', async () => {
  const { body } = await world.person.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'agent' })
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }
  const told = await fetch(`${server.origin}/api/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${body.rawKey}`,
    },
    body: JSON.stringify(initialize),
  })
  const texts = [await told.text()]
  for (const path of ['/llms.txt', '/api/openapi.json', '/docs']) {
    texts.push(await (await fetch(server.origin + path)).text())
  }
  expect(texts.map((text) => [isNamed(text), text.includes('Openall')])).toEqual(texts.map(() => [true, false]))
})
