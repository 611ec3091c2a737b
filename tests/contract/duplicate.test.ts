import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fieldsIn, multipart } from '../form.ts'
import { POLICY } from '../parity/world.ts'
import { actFor, type BundleBody, newOrganization, newPerson, type Person, URL_A, URL_B, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

interface Told extends BundleBody {
  opensAt: string | null
  closesAt: string | null
  listed: boolean
  source: string
  metadata: { client: string } | null
  resolutionPolicy: { rules: { id: string; name: string }[] } | null
  url: string
  error: string
  code: string
}

const ORIGINAL = {
  title: 'Launch day',
  description: 'In reading order',
  urlMetadata: [{ note: 'first', tags: ['live'] }, { openPolicy: 'manual' }],
  resolutionPolicy: POLICY,
}

onEveryTarget({}, (at) => {
  let person: Person
  let slug: string
  beforeAll(async () => {
    person = await newPerson(at())
    slug = (await person.makeBundle(ORIGINAL)).slug
  })
  const duplicate = (fields: object = {}, headers: Record<string, string> = {}, of = slug, by: Visitor = person) =>
    by.api<Told>('POST', `/api/links/${of}/duplicate`, fields, headers)
  const read = async (of: string, by: Visitor = person) => (await by.api<Told>('GET', `/api/links/${of}`)).body
  const key = (name: string) => ({ 'idempotency-key': name })
  const rows = async () => Number((await at().sql('SELECT count(*) AS rows FROM bundles'))[0]?.rows)

  test('a copy has the content of its original, belongs to its maker, and leaves the original unchanged', async () => {
    const before = await read(slug)
    const { status, headers, body } = await duplicate({}, { 'service-client': 'tests/1' })
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`/api/links/${body.slug}`)
    expect<unknown>(body).toEqual({ slug: body.slug, url: `${at().origin}/l/${body.slug}`, versionNumber: 1 })
    expect(body.slug).not.toBe(slug)
    const copy = await read(body.slug)
    const { title, description, urls, urlMetadata, owner } = before
    expect(copy).toMatchObject({ title, description, urls, urlMetadata, owner })
    expect([copy.source, copy.metadata]).toEqual(['api', { client: 'tests/1' }])
    expect(await read(slug)).toEqual(before)
    const { body: history } = await person.api<{ versions: object[] }>('GET', `/api/links/${body.slug}/versions`)
    expect(history.versions).toMatchObject([{ versionNumber: 1, title, editedByIdentityUserId: person.userId }])
    expect((await fetch(body.url)).status).toBe(200)
  })

  test('the rules of a copy are new, without counts', async () => {
    const ruleOf = async (of: string) => (await read(of)).resolutionPolicy?.rules[0]
    const first = await ruleOf(slug)
    const second = await ruleOf((await duplicate()).body.slug)
    expect(second).toEqual({ ...first!, id: expect.stringMatching(/^r_\w{10}$/) })
    expect(second?.id).not.toBe(first?.id)
  })

  test('sent fields replace those of the original', async () => {
    const made = async (fields: object) => read((await duplicate(fields)).body.slug)
    expect(await made({ title: 'Another', description: null })).toMatchObject({
      title: 'Another',
      description: null,
      urls: [URL_A, URL_B],
      resolutionPolicy: { rules: [{ name: POLICY.rules[0]?.name }] },
    })
    // A URL that stays keeps its metadata.
    const moved = await made({ urls: [URL_B, 'https://c.example/', URL_A] })
    expect(moved.urlMetadata).toEqual([{ openPolicy: 'manual' }, {}, { note: 'first', tags: ['live'] }])
    expect((await made({ urlMetadata: [{ note: 'other' }] })).urlMetadata).toEqual([{ note: 'other' }, {}])
    expect((await made({ resolutionPolicy: null })).resolutionPolicy).toBeNull()
    const rules = [{ ...POLICY.rules[0], name: 'Others' }]
    const { resolutionPolicy } = await made({ resolutionPolicy: { version: 1, rules } })
    expect(resolutionPolicy?.rules.map(({ name }) => name)).toEqual(['Others'])
    expect((await made({ source: 'extension' })).source).toBe('extension')
  })

  test('is on no start page, wherever its original is, unless that is asked for', async () => {
    const admin = await newPerson(at())
    const [ours, theirs] = [await newOrganization(admin), await newOrganization(admin)]
    await actFor(admin, ours.id)
    const { slug: original } = await admin.makeBundle({ listed: true, copyable: true })
    const listed = async (fields: object, by: Visitor = admin) =>
      (await read((await duplicate(fields, {}, original, by)).body.slug, by)).listed
    expect([await listed({}), await listed({ listed: true })]).toEqual([false, true])
    await actFor(admin, theirs.id)
    expect([await listed({}), await listed({}, person)]).toEqual([false, false])
    // The form does not suggest it either.
    const form = await (await admin.fetch(`/dashboard/links/new?from=${original}`)).text()
    expect(form).toContain('name="listed"')
    expect(form).not.toMatch(/<input[^>]*name="listed"[^>]*checked/)
  })

  test('its times can be moved by days, those of its rules too, and keep their hour in a time zone', async () => {
    const when = {
      op: 'or',
      of: [
        { op: 'after', field: 'now', value: '2027-03-26T08:00:00Z' },
        { op: 'not', of: [{ op: 'before', field: 'now', value: '2027-03-27T09:30:00+01:00' }] },
        { op: 'timeWindow', days: ['mon'], from: '09:00', to: '10:00', timeZone: 'UTC' },
      ],
    }
    const rules = { version: 1, rules: [{ name: 'Timed', when, tabs: [{ url: URL_A }] }] }
    // The clocks of Berlin go forward on 28 March 2027 at 2:00, and back on 31 October.
    const times = { opensAt: '2027-03-26T08:00:00.000Z', closesAt: '2027-03-27T01:30:00.000Z' }
    const { slug: timed } = await person.makeBundle({ ...times, resolutionPolicy: rules })
    const moved = async (fields: object) => read((await duplicate(fields, {}, timed)).body.slug)
    expect(await moved({ shiftDays: 7 })).toMatchObject({
      opensAt: '2027-04-02T08:00:00.000Z',
      closesAt: '2027-04-03T01:30:00.000Z',
    })
    const inBerlin = await moved({ shiftDays: 7, timeZone: 'Europe/Berlin' })
    expect(inBerlin).toMatchObject({ opensAt: '2027-04-02T07:00:00.000Z', closesAt: '2027-04-03T00:30:00.000Z' })
    expect(inBerlin.resolutionPolicy).toMatchObject({
      rules: [
        {
          when: {
            of: [{ value: '2027-04-02T07:00:00.000Z' }, { of: [{ value: '2027-04-03T07:30:00.000Z' }] }, when.of[2]],
          },
        },
      ],
    })
    // 2:30 of 28 March is skipped there: as much later as the clock jumps.
    const skipped = await moved({ shiftDays: 1, timeZone: 'Europe/Berlin' })
    expect(skipped).toMatchObject({ opensAt: '2027-03-27T08:00:00.000Z', closesAt: '2027-03-28T01:30:00.000Z' })
    // To a leap day and back; what is sent is not moved.
    const leap = await moved({ shiftDays: 340, opensAt: null })
    expect(leap).toMatchObject({ opensAt: null, closesAt: '2028-03-01T01:30:00.000Z' })
    expect((await moved({ shiftDays: 339 })).closesAt).toBe('2028-02-29T01:30:00.000Z')
    expect((await moved({ shiftDays: -7, timeZone: 'europe/berlin' })).opensAt).toBe('2027-03-19T08:00:00.000Z')
    const wrong: [object, RegExp][] = [
      [{ shiftDays: 3661 }, /^shiftDays must be/],
      [{ shiftDays: 0.5 }, /^shiftDays must be/],
      [{ shiftDays: 1, timeZone: 'Mars/Olympus' }, /^timeZone must be an IANA time zone/],
    ]
    for (const [fields, says] of wrong) expect((await duplicate(fields, {}, timed)).body.error).toMatch(says)
    const { slug: late } = await person.makeBundle({ closesAt: '9999-12-31T00:00:00Z' })
    expect((await duplicate({ shiftDays: 1 }, {}, late)).body.error).toMatch(/^shiftDays must keep all times/)
  })

  test('nothing has to be sent', async () => {
    const { status } = await person.api('POST', `/api/links/${slug}/duplicate`)
    expect(status).toBe(201)
    expect((await duplicate({ slug })).status).toBe(201)
    expect(await duplicate({ slug: 'another' })).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
  })

  test('invalid fields are reported as for a new bundle', async () => {
    const before = await rows()
    const refusals: [object, string, RegExp][] = [
      [{ tilte: 'x' }, 'BAD_REQUEST', /^tilte is not a field/],
      [{ title: 'x'.repeat(201) }, 'BAD_REQUEST', /^title must be at most 200/],
      [{ urls: [] }, 'INVALID_URLS', /^urls must have at least 1/],
      [{ urls: ['ftp://a.example'] }, 'INVALID_URLS', /^urls\[0\]/],
      [{ urls: [URL_A], urlMetadata: [{}, {}] }, 'BAD_REQUEST', /^urlMetadata must be no longer/],
      [{ urlMetadata: [{}, {}, {}] }, 'BAD_REQUEST', /^urlMetadata must be no longer/],
      [{ email: 'x@y.example' }, 'BAD_REQUEST', /^email is not a field/],
      [{ newSlug: 'A B' }, 'BAD_REQUEST', /^newSlug must be lower-case/],
      [{ newSlug: slug }, 'SLUG_TAKEN', /^newSlug is taken/],
      [{ newSlug: 'dashboard' }, 'SLUG_TAKEN', /^newSlug is taken/],
      [{ newSlug: slug, dryRun: true }, 'SLUG_TAKEN', /^newSlug is taken/],
      [
        { resolutionPolicy: { version: 1, rules: [{ ...POLICY.rules[0], id: 'r_0000000000' }] } },
        'BAD_REQUEST',
        /^resolutionPolicy\.rules\[0\]\.id must be the id/,
      ],
    ]
    for (const [fields, code, says] of refusals) {
      const { body } = await duplicate(fields)
      expect([fields, body.code, body.error]).toEqual([fields, code, expect.stringMatching(says)])
    }
    expect(await rows()).toBe(before)
  })

  test('a slug can be chosen', async () => {
    const newSlug = 'a-chosen-copy'
    expect((await duplicate({ newSlug })).body.slug).toBe(newSlug)
    expect(await read(newSlug)).toMatchObject({ slug: newSlug, title: ORIGINAL.title })
  })

  test('an idempotency key repeats its answer whatever happens to the original afterwards', async () => {
    const { slug: short } = await person.makeBundle({ title: 'short-lived' })
    const first = await duplicate({}, key('once'), short)
    await person.api('PATCH', `/api/links/${short}`, { title: 'edited' })
    await person.api('DELETE', `/api/links/${short}`)
    const again = await duplicate({}, key('once'), short)
    expect([again.status, again.headers.get('idempotency-replayed'), again.body]).toEqual([201, 'true', first.body])
    expect((await duplicate({}, key('once'))).body.code).toBe('IDEMPOTENCY_CONFLICT')
  })

  describe('of somebody else', () => {
    test('nothing is copied that belongs to others, is anonymous, deleted, or does not exist', async () => {
      const stranger = await newPerson(at())
      const { slug: unclaimed } = await new Visitor(at()).makeBundle()
      const { slug: deleted } = await person.makeBundle()
      await person.api('DELETE', `/api/links/${deleted}`)
      const before = await rows()
      const refused = async (by: Visitor, of: string) => (await duplicate({}, {}, of, by)).body
      expect(await refused(stranger, slug)).toMatchObject({
        code: 'FORBIDDEN',
        error: 'you do not own this bundle: get_tabs reads what its link shows',
      })
      expect(await refused(person, unclaimed)).toMatchObject({ code: 'FORBIDDEN' })
      for (const of of [deleted, 'there-is-none']) expect((await refused(person, of)).code).toBe('NOT_FOUND')
      expect((await refused(new Visitor(at()), slug)).code).toBe('UNAUTHORIZED')
      const dry = await duplicate({ dryRun: true }, {}, slug, stranger)
      expect([dry.body.code, await rows()]).toEqual(['FORBIDDEN', before])
    })

    test('a copy belongs to the acting subject, and viewers make none there', async () => {
      const [admin, viewer, editor] = [await newPerson(at()), await newPerson(at()), await newPerson(at())]
      const { id: organizationId } = await newOrganization(admin, [
        [viewer, 'viewer'],
        [editor, 'editor'],
      ])
      for (const member of [admin, viewer, editor]) await actFor(member, organizationId)
      const { slug: theirs } = await admin.makeBundle(ORIGINAL)
      for (const fields of [{}, { dryRun: true }]) {
        const { status, body } = await duplicate(fields, {}, theirs, viewer)
        expect([status, body.code, body.error]).toEqual([403, 'FORBIDDEN', 'needs role editor (you are viewer)'])
      }
      const ofEditor = await duplicate({}, {}, theirs, editor)
      expect((await read(ofEditor.body.slug, admin)).owner).toEqual({ type: 'organization', organizationId })
      // Whoever may read a bundle may copy it.
      await actFor(viewer, null)
      const own = await duplicate({}, {}, theirs, viewer)
      expect((await read(own.body.slug, viewer)).owner).toEqual({ type: 'user', userId: viewer.userId })
      expect(await duplicate({}, {}, own.body.slug, admin)).toMatchObject({ status: 403 })
    })
  })

  test('the dashboard’s form makes a copy through the operation, once', async () => {
    const path = `/dashboard/links/new?from=${slug}`
    const send = async (fields: [string, string][]) => {
      const { body, headers } = multipart(fields)
      return person.fetch('/dashboard/links/new', { method: 'POST', body, headers })
    }
    const fields = fieldsIn(await (await person.fetch(path)).text())
    expect(fields).toContainEqual(['title', 'Launch day (copy)'])
    expect(fields).toContainEqual(['from', slug])
    const wrong = await send(fields.map(([name, value]) => [name, name === 'slug' ? slug : value]))
    expect(wrong.status).toBe(409)
    expect(await wrong.text()).toContain('Taken. Choose another.')
    const before = await rows()
    const made = await send(fields)
    const copied = /links\/([\w-]+)/.exec(made.headers.get('location') ?? '')?.[1] ?? ''
    const { title, urls, urlMetadata, resolutionPolicy } = await read(copied)
    expect([made.status, title]).toEqual([303, 'Launch day (copy)'])
    expect({ urls, urlMetadata }).toEqual({ urls: [URL_A, URL_B], urlMetadata: ORIGINAL.urlMetadata })
    expect(resolutionPolicy?.rules.map(({ name }) => name)).toEqual(POLICY.rules.map(({ name }) => name))
    expect((await send(fields)).headers.get('location')).toBe(made.headers.get('location'))
    expect(await rows()).toBe(before + 1)
  })
})

const folder = mkdtempSync(join(tmpdir(), 'openall-hosts-'))
const SERVICE_BLOCKED_HOSTS_FILE = join(folder, 'hosts.txt')
writeFileSync(SERVICE_BLOCKED_HOSTS_FILE, 'bad.example\n')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

onEveryTarget({ SERVICE_BLOCKED_HOSTS_FILE }, (at) => {
  test('a bundle that leads to a blocked host is not copied, even if it is older than the block', async () => {
    const person = await newPerson(at())
    const { slug } = await person.makeBundle()
    const copy = (fields: object) => person.api<Told>('POST', `/api/links/${slug}/duplicate`, fields)
    expect((await copy({ urls: ['https://bad.example/'] })).body.code).toBe('INVALID_URLS')
    await at().sql('UPDATE bundles SET urls = ? WHERE slug = ? RETURNING 1', [
      JSON.stringify([URL_A, 'https://bad.example/']),
      slug,
    ])
    for (const fields of [{}, { dryRun: true }]) {
      const { body } = await copy(fields)
      expect([body.code, body.error]).toEqual(['INVALID_URLS', expect.stringMatching(/^urls\[1\] .*bad\.example/)])
    }
    expect((await copy({ urls: [URL_A] })).status).toBe(201)
  })
})
