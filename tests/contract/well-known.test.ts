import { expect, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { newPerson } from '../people.ts'
import { furnish } from '../security/furnished.ts'
import { pagesFor } from '../security/routes.ts'
import { onBothSchemes } from '../targets.ts'
import { sendRaw } from './support.ts'

const CONTACT = 'mailto:security@go.example.com'
const DAY_MS = 86_400_000

onBothSchemes({ SERVICE_SECURITY_CONTACT: CONTACT }, (at) => {
  const get = (path: string, init: RequestInit = {}) => fetch(at().origin + path, { redirect: 'manual', ...init })

  test('security.txt says where to report vulnerabilities, as RFC 9116 specifies, and has not expired', async () => {
    const answer = await get('/.well-known/security.txt')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    const lines = (await answer.text()).trimEnd().split('\n')
    const fields = new Map(lines.map((line) => line.split(/: (.*)/s) as [string, string]))
    expect([...fields.keys()].sort()).toEqual(['Canonical', 'Contact', 'Expires', 'Preferred-Languages'])
    expect(fields.get('Contact')).toBe(CONTACT)
    expect(fields.get('Canonical')).toBe(`${at().origin}/.well-known/security.txt`)
    const expires = fields.get('Expires') ?? ''
    expect(expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const days = (Date.parse(expires) - Date.now()) / DAY_MS
    expect(days > 30 && days < 365).toBeTrue()
  })

  test('a password manager finds the page to change a password', async () => {
    const answer = await get('/.well-known/change-password')
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/dashboard/settings#password'])
    const person = await newPerson(at())
    expect(await (await person.fetch('/dashboard/settings')).text()).toContain('id="password"')
  })

  test('well-known addresses accept only GET and HEAD, and unknown ones are 404', async () => {
    for (const path of ['/.well-known/security.txt', '/.well-known/change-password']) {
      const refused = await get(path, { method: 'POST' })
      expect([path, refused.status, refused.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD'])
      expect((await get(path, { method: 'HEAD' })).status).toBe((await get(path)).status)
    }
    expect((await get('/.well-known/nothing')).status).toBe(404)
  })

  test('the development mailbox is closed to requests through a proxy on the same machine', async () => {
    expect((await get('/dev/mailbox')).status).toBe(200)
    const host = new URL(at().origin).host
    const marks: [string, string][] = [
      ['Forwarded', 'for=192.0.2.1'],
      ['X-Forwarded-For', '192.0.2.1'],
      ['X-Forwarded-Proto', 'https'],
      ['X-Forwarded-Host', 'go.example.com'],
      ['X-Forwarded-Server', 'edge'],
      ['X-Real-IP', '127.0.0.1'],
      ['X-Client-IP', '192.0.2.1'],
      ['X-Cluster-Client-IP', '192.0.2.1'],
      ['X-Original-Forwarded-For', '192.0.2.1'],
      ['X-Envoy-External-Address', '192.0.2.1'],
      ['Via', '1.1 edge'],
      ['True-Client-IP', '192.0.2.1'],
      ['CF-Connecting-IP', '192.0.2.1'],
      ['CF-Ray', 'x'],
      ['Fly-Client-IP', '192.0.2.1'],
      ['Fastly-Client-IP', '192.0.2.1'],
      ['Fastly-SSL', '1'],
      ['CDN-Loop', 'edge'],
    ]
    for (const [name, value] of marks)
      expect([name, (await get('/dev/mailbox', { headers: { [name]: value } })).status]).toEqual([name, 404])
    const asked = (given: string) =>
      sendRaw(at(), `GET /dev/mailbox HTTP/1.1\r\nhost: ${given}\r\nconnection: close\r\n\r\n`)
    expect(String(await asked(host))).toContain(' 200 ')
    for (const given of ['go.example.com', `mail.${host}`, '192.0.2.1'])
      expect(String(await asked(given))).not.toContain(' 200 ')
  })
})

test('every page forbids browser features that none of ours uses: camera, microphone, location and the like', async () => {
  const server = await startInProcess()
  const { person, values, slug } = await furnish(server)
  // A launcher twice, because the second comes from the cache.
  const missing = ['/nothing-here', '/l/nothing-here', '/claim/x', '/dashboard/nothing-here']
  const pages = [...(await pagesFor(server, person, values)), ...missing, `/l/${slug}`]
  for (const path of pages) {
    const answer = await person.fetch(path)
    expect([path, answer.headers.get('content-type')]).toEqual([path, 'text/html; charset=utf-8'])
    const policy = answer.headers.get('permissions-policy')?.split(', ') ?? []
    for (const feature of ['camera', 'microphone', 'geolocation', 'browsing-topics', 'payment', 'usb'])
      expect([path, policy]).toEqual([path, expect.arrayContaining([`${feature}=()`])])
    // Launchers need the clipboard and sharing.
    expect(policy.filter((rule) => /^(clipboard-write|web-share)=/.test(rule))).toEqual([])
  }
  await server.stop()
})

test('it is also closed if a header for the client’s address is configured: the service is behind a proxy', async () => {
  const behind = await startInProcess({ SERVICE_CLIENT_IP_HEADER: 'x-edge-client' })
  const { status } = await fetch(`${behind.origin}/dev/mailbox`, { headers: { 'x-edge-client': '127.0.0.1' } })
  await behind.stop()
  expect(status).toBe(404)
})
