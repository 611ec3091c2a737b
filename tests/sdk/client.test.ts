import { beforeAll, expect, test } from 'bun:test'
import { type Client, createClient } from '../../src/sdk/openall.ts'
import { newPerson, type Person, URL_A, URL_B } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { told } from '../told.ts'
import { errorOf, mintKey } from './support.ts'

onEveryTarget({}, (at) => {
  let person: Person
  let openall: Client
  beforeAll(async () => {
    person = await newPerson(at())
    openall = createClient({ server: at().origin, key: await mintKey(person) })
  })

  test('a bundle is created, read, changed, listed, deleted and restored', async () => {
    const { slug, url } = await openall.createBundle({ title: 'One', urls: [URL_A] })
    expect(url).toBe(`${at().origin}/l/${slug}`)
    const first = await openall.getBundle.answer({ slug })
    expect(first.body).toMatchObject({ slug, title: 'One', urls: [URL_A], source: 'sdk' })
    expect(first.body.metadata?.client).toMatch(/^sdk\/\d+\.\d+\.\d+$/)
    expect(first).toMatchObject({ status: 200, version: 1 })

    const edited = await openall.updateBundle.answer({ slug, title: null }, { expectedVersion: 1 })
    expect(edited.body.title).toBeNull()
    expect(edited.version).toBe(2)
    expect((await openall.listVersions({ slug })).versions.map(({ versionNumber }) => versionNumber)).toEqual([2, 1])
    expect((await openall.restoreVersion({ slug, versionNumber: 1 })).title).toBe('One')

    expect((await openall.listBundles()).bundles.map((bundle) => bundle.slug)).toContain(slug)
    expect((await openall.deleteBundle({ slug })).slug).toBe(slug)
    expect(await errorOf(openall.getBundle({ slug }))).toMatchObject({ code: 'NOT_FOUND', status: 404 })
    expect((await openall.restoreBundle({ slug })).slug).toBe(slug)
  })

  test('without a key a bundle is anonymous, and its token claims it once', async () => {
    const { slug, claimToken = '' } = await createClient({ server: `${at().origin}/` }).createBundle({ urls: [URL_B] })
    expect((await openall.claimBundle({ token: claimToken })).owner).toEqual({ type: 'user', userId: person.userId })
    expect((await openall.getBundle({ slug })).urls).toEqual([URL_B])
    expect((await errorOf(openall.claimBundle({ token: claimToken }))).code).toBe('NOT_FOUND')
  })

  test('a list is read page by page, each bundle once, and each page is one call', async () => {
    const somebody = await newPerson(at())
    const key = await mintKey(somebody)
    const theirs = createClient({ server: at().origin, key })
    const slugs: string[] = []
    for (let index = 0; index < 7; index += 1) slugs.unshift((await theirs.createBundle({ urls: [URL_A] })).slug)
    const left = async () => /r=(\d+)/.exec((await theirs.whoAmI.answer()).headers.get('ratelimit') ?? '')?.[1]
    const before = Number(await left())
    const seen: string[] = []
    for await (const { slug } of theirs.listBundles.each({ limit: 3 })) seen.push(slug)
    expect(seen).toEqual(slugs)
    expect(before - Number(await left())).toBe(3 + 1)
    const rest: string[] = []
    for await (const { slug } of theirs.listBundles.each({ offset: 5 })) rest.push(slug)
    expect(rest).toEqual(slugs.slice(5))
  })

  test('the same idempotency key makes one bundle, and calls without one make one each', async () => {
    const [one, again] = [
      await openall.createBundle({ urls: [URL_A] }, { idempotencyKey: 'the same' }),
      await openall.createBundle.answer({ urls: [URL_A] }, { idempotencyKey: 'the same' }),
    ]
    expect(again.body).toEqual(one)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await openall.createBundle({ urls: [URL_A] })).slug).not.toBe(
      (await openall.createBundle({ urls: [URL_A] })).slug,
    )
  })

  test('a dry run returns what would be saved, and saves nothing', async () => {
    const { slug } = await openall.createBundle({ title: 'Kept', urls: [URL_A] })
    const edit = await openall.updateBundle.dryRun({ slug, title: 'Tried' }, { expectedVersion: 1 })
    expect(edit).toMatchObject({ dryRun: true, bundle: { slug, title: 'Tried' }, warnings: [] })
    expect((await openall.getBundle.answer({ slug })).version).toBe(1)
    const made = await openall.createBundle.dryRun({ urls: [URL_A], slug: 'tried-and-not-made' })
    expect(made.bundle).toMatchObject({ slug: 'tried-and-not-made', source: 'sdk' })
    expect((await errorOf(openall.getBundle({ slug: 'tried-and-not-made' }))).code).toBe('NOT_FOUND')
    expect((await errorOf(openall.createBundle.dryRun({ urls: [] }))).code).toBe('INVALID_URLS')
  })

  test('a bundle is copied, as a dry run or for real', async () => {
    const { slug } = await openall.createBundle({ title: 'Kept', urls: [URL_A] })
    const tried = await openall.duplicateBundle.dryRun({ slug, urls: [URL_B] })
    expect(tried.bundle).toMatchObject({ slug: null, title: 'Kept', urls: [URL_B], source: 'sdk' })
    const copy = await openall.duplicateBundle({ slug, title: null }, { idempotencyKey: 'a copy' })
    expect(await openall.duplicateBundle({ slug, title: null }, { idempotencyKey: 'a copy' })).toEqual(copy)
    expect(await openall.getBundle({ slug: copy.slug })).toMatchObject({ title: null, urls: [URL_A], source: 'sdk' })
  })

  test('rules are previewed, insights are read as numbers and as a table, events are counted without an answer', async () => {
    const { slug } = await openall.createBundle({
      urls: [URL_A],
      resolutionPolicy: {
        version: 1,
        rules: [{ name: 'phones', when: { op: 'equals', field: 'device', value: 'mobile' }, tabs: [{ url: URL_B }] }],
      },
    })
    const preview = await openall.previewPolicy({ slug, viewer: { device: 'mobile' } })
    expect(preview.matchedRuleName).toBe('phones')
    expect(preview.trace[0]?.condition).toMatchObject({ op: 'equals', matched: true })
    expect(await openall.recordEvent({ slug, kind: 'open_all' })).toBeUndefined()
    const { series, previous, breakdowns } = await openall.getInsights({ slug, range: '7d' })
    expect(series).toHaveLength(7)
    expect(previous.views).toBe(0)
    expect(breakdowns.referrers.values).toEqual([])
    const csv = await openall.getInsights.csv({ slug, range: '7d' })
    expect(csv).toStartWith('day,views,openAllClicks,dailyVisitors\r\n')
    expect(csv.trim().split('\r\n')).toHaveLength(8)
    expect(await openall.getInsights.csv({ slug, breakdown: 'languages' })).toBe('value,views\r\n')
  })

  test('keys are minted, listed and revoked, and a revoked one is refused', async () => {
    const { rawKey, apiKey } = await openall.createKey({ name: 'short-lived', scopes: ['links:read'] })
    const theirs = createClient({ server: at().origin, key: rawKey })
    expect((await theirs.whoAmI()).scopes).toEqual(['links:read'])
    expect(await errorOf(theirs.createBundle({ urls: [URL_A] }))).toMatchObject({
      code: 'FORBIDDEN',
      status: 403,
      message: 'needs scope links:write',
    })
    expect((await openall.listKeys()).apiKeys.map(({ id }) => id)).toContain(apiKey.id)
    expect((await openall.revokeKey({ id: apiKey.id })).apiKey.revokedAt).not.toBeNull()
    expect(await errorOf(theirs.whoAmI())).toMatchObject({ code: 'UNAUTHORIZED', status: 401 })
  })

  test('all data can be exported', async () => {
    const { slug } = await openall.createBundle({ urls: [URL_A] })
    expect(JSON.stringify(await openall.exportData())).toContain(slug)
  })

  test('refusals of the service are passed on', async () => {
    const error = await errorOf(openall.createBundle({ urls: ['ftp://a.example/'] }))
    expect(error).toMatchObject({ code: 'INVALID_URLS', status: 400, retryAfterSeconds: undefined })
    expect(JSON.parse(JSON.stringify(error))).toEqual({ code: 'INVALID_URLS', error: error.message, ...told })
    expect(error.message).toContain('urls[0]')
  })

  test('a slug cannot lead to another path', async () => {
    for (const slug of ['', '.', '..']) {
      expect(await errorOf(openall.getBundle({ slug }))).toMatchObject({ code: 'BAD_REQUEST', status: 400 })
    }
    for (const slug of ['../me', '..%2Fme', 'a/../../me', '?limit=1', '#', 'a b', '%', '\u0000', '🙂']) {
      expect(await errorOf(openall.getBundle({ slug }))).toMatchObject({ code: 'NOT_FOUND', status: 404 })
    }
  })

  test('a key of one call counts once', async () => {
    const client = createClient({ server: at().origin, key: await mintKey(person, { rateLimitPerHour: 3 }) })
    for (let calls = 0; calls < 3; calls += 1) await client.whoAmI()
    const started = performance.now()
    const error = await errorOf(client.whoAmI())
    expect(error).toMatchObject({ code: 'RATE_LIMITED', status: 429 })
    expect(error.retryAfterSeconds).toBeGreaterThan(3000)
    // It is reported, and not waited for.
    expect(performance.now() - started).toBeLessThan(error.retryAfterSeconds! * 1000)
  })
})
