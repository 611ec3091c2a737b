import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate, trusting } from '../certificate.ts'
import { need } from '../needs.ts'
import { newPerson } from '../people.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'

// Sites over TLS whose certificates no public authority has signed, as on a network of one's own.

const folder = mkdtempSync(join(tmpdir(), 'openall-tls-'))
const serve = (name: string) => {
  const { key, cert } = makeCertificate(mkdtempSync(join(folder, `${name}-`)), 'localhost')
  const tls = { key: Bun.file(key), cert: Bun.file(cert) }
  const fetch = () => new Response('<title>The plan</title>', { headers: { 'content-type': 'text/html' } })
  return { cert, site: Bun.serve({ port: 0, hostname: '127.0.0.1', tls, fetch }) }
}
const [ours, others] = [serve('ours'), serve('others')]
afterAll(async () => {
  await Promise.all([ours, others].map(({ site }) => site.stop(true)))
  rmSync(folder, { recursive: true })
})

describe.each(RUNTIMES.map((runtime) => [runtime] as const))('on %s', (runtime) => {
  let server: Server
  beforeAll(async () => {
    need('openssl')
    server = await startServer({
      runtime,
      env: { SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true', ...trusting(ours.cert) },
    })
  })
  afterAll(() => server.stop())

  test('a page is read over TLS by an authority that the operator trusts, and by no other', async () => {
    const person = await newPerson(server)
    const urls = [ours, others].map(({ site }) => `https://localhost:${site.port}/`)
    const { status, body } = await person.api<{ links: { title: string | null; problem: string | null }[] }>(
      'POST',
      '/api/links/inspect',
      { urls },
    )
    expect([status, body.links.map(({ title, problem }) => [title, problem])]).toEqual([
      200,
      [
        ['The plan', null],
        [null, 'It did not answer: the site may be down, or not public.'],
      ],
    ])
  })
})
