import { expect, test } from 'bun:test'
import { readConfig } from '../../src/config/config.ts'
import { onBothSchemes } from '../targets.ts'
import { sendRaw } from './support.ts'

// Other names of the service (SERVICE_ALIASES).

onBothSchemes({ SERVICE_ALIASES: 'go, Go.Corp.Example' }, (at) => {
  const ask = async (host: string, path = '/l/launch?a=1', method = 'GET') => {
    const text = await sendRaw(
      at(),
      `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    )
    const [head = ''] = text.split('\r\n\r\n')
    const location = /^location: (.*)$/im.exec(head)?.[1]?.trim()
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), location, head: head.toLowerCase() }
  }

  test('a visit there is led to the same place at the base address, without cookie or HSTS', async () => {
    for (const host of ['go', 'GO', 'go:80', 'go:8080', 'go.corp.example']) {
      for (const path of ['/', '/l/launch?a=1&b=%20', '/api/me', '/L/Launch.', '//evil.example/x']) {
        const { status, location, head } = await ask(host, path)
        expect([host, path, status, location]).toEqual([host, path, 308, `${at().origin}${path}`])
        expect(head).not.toMatch(/set-cookie|strict-transport-security/)
      }
    }
    expect((await ask('go', '/l/launch', 'HEAD')).status).toBe(308)
  })

  test('everything else is refused as before', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await ask('go', '/', method)).status).toBe(421)
    for (const host of ['go.example', 'xgo', 'go.', 'go@evil.example', 'evil.example'])
      expect([host, [421, 400].includes((await ask(host)).status)]).toEqual([host, true])
    // Bun takes the host of the header.
    const absolute = await ask('go', 'http://evil.example/x')
    expect([undefined, `${at().origin}/x`]).toContain(absolute.location)
    expect((await ask('go', '/healthz')).status).toBe(200)
  })
})

test('names that are none, and the base address itself, stop the start', () => {
  const read = (SERVICE_ALIASES: string) =>
    readConfig({
      DATABASE_URL: 'http://db.example',
      SERVICE_SECRET: 'abcdefgh'.repeat(4),
      SERVICE_BASE_URL: 'https://go.corp.example',
      SERVICE_ALIASES,
    })
  for (const wrong of ['https://go', 'go/', 'go:80', 'go,,x', 'a b', 'gö'])
    expect(() => read(wrong)).toThrow('SERVICE_ALIASES must be names of hosts with commas between them')
  expect(() => read('go,GO.corp.example')).toThrow('SERVICE_ALIASES must be other hosts than go.corp.example')
  expect(read('go , old.example,go').aliases).toEqual(['go', 'old.example'])
})
