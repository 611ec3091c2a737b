import { expect, test } from 'bun:test'
import { variantsOf } from '../../src/core/variants.ts'
import { operations } from '../../src/implementations.ts'
import { POLICY } from '../parity/world.ts'
import { actFor, addMember, newOrganization, newPerson, PLAIN, URL_A, URL_B, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

interface DryRun {
  dryRun: true
  bundle: Record<string, unknown> & { resolutionPolicy: { rules: { id?: string }[] } }
  warnings: { path: string; message: string }[]
  code: string
}

onEveryTarget({ SERVICE_PLAN_FREE_MAX_BUNDLES: '2' }, (at) => {
  const tables = [
    'bundles',
    'bundle_versions',
    'version_parts',
    'policy_rules',
    'claims',
    'bundle_changes',
    'idempotency_answers',
    'owners',
  ]
  const stored = async () => Promise.all(tables.map(async (table) => (await at().sql(`SELECT * FROM ${table}`)).length))

  test('a dry run of a new bundle answers with what would be saved, and writes nothing', async () => {
    const person = await newPerson(at())
    const before = await stored()
    const body = {
      urls: [` ${URL_A} `, URL_B],
      title: 'x',
      slug: 'dry-run-slug',
      resolutionPolicy: POLICY,
      dryRun: true,
    }
    const headers = { 'idempotency-key': 'a dry run', 'service-client': 'tests/1' }
    const { status, body: told, headers: sent } = await person.api<DryRun>('POST', '/api/links', body, headers)
    expect([status, sent.get('location')]).toEqual([200, null])
    expect<unknown>(told).toEqual({
      dryRun: true,
      bundle: {
        slug: 'dry-run-slug',
        url: `${at().origin}/l/dry-run-slug`,
        versionNumber: 1,
        urls: [URL_A, URL_B],
        urlMetadata: [{}, {}],
        ...PLAIN,
        title: 'x',
        owner: { type: 'user', userId: person.userId },
        source: 'api',
        metadata: { client: 'tests/1' },
        resolutionPolicy: POLICY,
      },
      warnings: [],
    })
    expect(await stored()).toEqual(before)
    expect((await new Visitor(at()).fetch('/l/dry-run-slug')).status).toBe(404)
    // The key is still unused, because nothing took effect.
    const { dryRun: _, ...real } = body
    expect((await person.api('POST', '/api/links', real, headers)).status).toBe(201)
  })

  test('without an account a dry run has no owner, no slug and no claim token', async () => {
    const { status, body } = await new Visitor(at()).api<DryRun>('POST', '/api/links', {
      urls: [URL_A],
      dryRun: true,
    })
    expect([status, body.bundle.slug, body.bundle.url, body.bundle.owner, Object.keys(body)]).toEqual([
      200,
      null,
      null,
      null,
      ['dryRun', 'bundle', 'warnings'],
    ])
  })

  test('a dry run of an edit answers with what would be saved and warnings, and changes nothing', async () => {
    const person = await newPerson(at())
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const read = async () => (await person.api<Record<string, unknown>>('GET', `/api/links/${slug}`)).body
    const [before, rows] = [await read(), await stored()]
    const tooWide = { op: 'endsWith', field: 'emailDomain', value: 'acme.com' }
    const rules = [...POLICY.rules, { name: 'new', when: tooWide, tabs: [{ url: URL_A }] }]
    const sent = { title: 'y', resolutionPolicy: { version: 1, rules }, dryRun: true }
    const { status, body, headers } = await person.api<DryRun>('PATCH', `/api/links/${slug}`, sent)
    expect([status, headers.get('etag'), body.dryRun, body.bundle.title]).toEqual([200, null, true, 'y'])
    expect([body.bundle.url, body.bundle.versionNumber]).toEqual([`${at().origin}/l/${slug}`, 2])
    // A saved rule keeps its id; a new one gets its id when saved.
    const [old, added] = body.bundle.resolutionPolicy.rules
    expect([old?.id, added?.id]).toEqual([expect.stringMatching(/^r_/), undefined])
    expect(body.warnings.map(({ path }) => path)).toEqual(['resolutionPolicy.rules[1].when'])
    expect(await read()).toEqual(before)
    expect(await stored()).toEqual(rows)
  })

  test('a dry run is refused whenever the real call would be', async () => {
    const [person, other] = [await newPerson(at()), await newPerson(at())]
    const { slug } = await person.makeBundle()
    const { slug: foreign } = await other.makeBundle()
    const codeOf = async (method: string, path: string, body: object, headers?: Record<string, string>) => {
      const { status, body: told } = await person.api<DryRun>(method, path, { ...body, dryRun: true }, headers)
      return [status, told.code]
    }
    expect(await codeOf('POST', '/api/links', { urls: ['ftp://x'] })).toEqual([400, 'INVALID_URLS'])
    expect(await codeOf('POST', '/api/links', { urls: [URL_A], slug })).toEqual([409, 'SLUG_TAKEN'])
    expect(await codeOf('POST', '/api/links', { urls: [URL_A], slug: 'admin' })).toEqual([409, 'SLUG_TAKEN'])
    expect(await codeOf('PATCH', `/api/links/${slug}`, {})).toEqual([400, 'BAD_REQUEST'])
    expect(await codeOf('PATCH', `/api/links/${slug}`, { title: 'y' }, { 'if-match': '"v9"' })).toEqual([
      412,
      'VERSION_CONFLICT',
    ])
    expect(await codeOf('PATCH', `/api/links/${foreign}`, { title: 'y' })).toEqual([403, 'FORBIDDEN'])
    expect(await codeOf('PATCH', '/api/links/none', { title: 'y' })).toEqual([404, 'NOT_FOUND'])
    await person.makeBundle()
    expect(await codeOf('POST', '/api/links', { urls: [URL_A] })).toEqual([403, 'PLAN_LIMIT'])
    const { status, body } = await person.api<DryRun>('POST', '/api/links', { urls: [URL_A], dryRun: 1 })
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
  })

  test('no bundle can have a path of the API as its slug, which would hide it', async () => {
    const person = await newPerson(at())
    const routes = operations.flatMap((operation) => [operation, ...variantsOf(operation)]).map(({ route }) => route)
    const fixed = routes.flatMap((route) => /^\w+ \/links\/([\w-]+)$/.exec(route)?.[1] ?? [])
    expect(fixed).toContain('dry-run')
    for (const slug of fixed) {
      const { status, body } = await person.api<DryRun>('POST', '/api/links', { urls: [URL_A], slug })
      expect([slug, status, body.code]).toEqual([slug, 409, 'SLUG_TAKEN'])
    }
  })

  test('a viewer of an organisation can dry-run only what they may do', async () => {
    const [admin, viewer] = [await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(admin)
    await addMember(admin, id, viewer, 'viewer')
    await actFor(viewer, id)
    const { status, body } = await viewer.api<DryRun>('POST', '/api/links', { urls: [URL_A], dryRun: true })
    expect([status, body.code]).toEqual([403, 'FORBIDDEN'])
  })

  test('other operations treat dryRun as an unknown field', async () => {
    const person = await newPerson(at())
    const { slug } = await person.makeBundle()
    for (const line of [`/api/links/${slug}/restore`, '/api/me/keys']) {
      const { status, body } = await person.api<DryRun>('POST', line, { name: 'x', dryRun: true })
      expect([line, status, body.code]).toEqual([line, 400, 'BAD_REQUEST'])
    }
  })

  test('a dry run counts against the limit of its key', async () => {
    const person = await newPerson(at())
    const wishes = { name: 'x', rateLimitPerHour: 1 }
    const { rawKey } = (await person.api<{ rawKey: string }>('POST', '/api/me/keys', wishes)).body
    const dry = () =>
      new Visitor(at()).api(
        'POST',
        '/api/links',
        { urls: [URL_A], dryRun: true },
        { authorization: `Bearer ${rawKey}` },
      )
    expect((await dry()).status).toBe(200)
    expect((await dry()).status).toBe(429)
  })
})
