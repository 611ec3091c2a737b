import { expect, test } from 'bun:test'
import { operations } from '../../src/api/implementations.ts'
import { variantsOf } from '../../src/operations/operation.ts'
import { POLICY } from '../parity/world.ts'
import { newPerson, URL_A, Visitor } from '../people.ts'
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
})
