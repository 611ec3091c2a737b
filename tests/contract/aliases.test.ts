import { describe, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { newPerson, type Person, URL_A, URL_B, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// Other slugs that lead to a bundle, among them those that it had.

interface Told {
  slug: string
  url: string
  aliases: string[]
  versionNumber: number
  title: string | null
  error: string
  code: string
  bundle: { aliases: string[] }
  tabs: { url: string }[]
  results: { status: number; bundle?: { slug: string } }[]
}

let made = 0
const fresh = (name = 'alias') => `${name}-${++made}-${crypto.randomUUID().slice(0, 6)}`

onEveryTarget({}, (at) => {
  const call = (by: Visitor, method: string, path: string, body?: unknown, headers = {}) =>
    by.api<Told>(method, `/api/links${path}`, body, headers)
  const refusal = ({ status, body }: { status: number; body: Told }) => [status, body.code]
  const own = async (fields: Record<string, unknown> = {}, by?: Person) => {
    const person = by ?? (await newPerson(at()))
    const slug = fresh('own')
    await person.makeBundle({ slug, title: 'Led to', ...fields })
    return { person, slug }
  }
  const led = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(at().origin + path, { redirect: 'manual', headers: { accept: 'text/html' }, ...init })
    return [answer.status, answer.headers.get('location')?.replace(at().origin, '') ?? null]
  }

  test('aliases are set by an edit, lead to the launcher in every form, and the API answers the bundle itself', async () => {
    const { person, slug } = await own({ urls: ['https://a.example/{id}'], variables: [{ name: 'id' }] })
    const [one, two] = [fresh('b'), fresh('a')]
    const edited = await call(person, 'PATCH', `/${slug}`, { aliases: [one, two, one] })
    expect([edited.status, edited.body.aliases, edited.body.versionNumber]).toEqual([200, [two, one].sort(), 2])
    for (const [path, to] of [
      [`/l/${one}`, `/l/${slug}`],
      [`/l/${one}?id=7`, `/l/${slug}?id=7`],
      [`/l/${two}.json`, `/l/${slug}.json`],
      [`/l/${two}.md`, `/l/${slug}.md`],
      [`/l/${two}/feed`, `/l/${slug}/feed`],
      [`/l/${two}/qr.svg`, `/l/${slug}/qr.svg`],
      [`/l/${two}/4711`, `/l/${slug}/4711`],
      [`/l/${one}/report`, `/l/${slug}/report`],
      [`/l/${one}/remind?id=7`, `/l/${slug}/remind?id=7`],
      [`/l/${one.toUpperCase()}.`, `/l/${slug}`],
    ] as const)
      expect([path, ...(await led(path))]).toEqual([path, 307, to])
    const through = await call(person, 'GET', `/${one}`)
    expect(through.body).toEqual((await call(person, 'GET', `/${slug}`)).body)
    expect((await call(person, 'PATCH', `/${two}`, { title: 'By alias' })).body).toMatchObject({
      slug,
      title: 'By alias',
    })
    expect((await call(person, 'GET', `/${one}/versions`)).status).toBe(200)
    expect((await call(person, 'GET', `/${one}/insights`)).status).toBe(200)
    expect((await call(person, 'PATCH', `/${one}`, { title: 'x', dryRun: true })).status).toBe(200)
    expect((await call(person, 'POST', `/${one}/pin`)).body).toMatchObject({ slug })
    expect((await call(person, 'POST', `/${one}/proposals`, { title: 'y' }, { 'idempotency-key': 'k' })).status).toBe(
      201,
    )
    expect((await call(person, 'POST', `/${one}/proposals`, { title: 'y' }, { 'idempotency-key': 'k' })).status).toBe(
      201,
    )
    expect((await call(new Visitor(at()), 'GET', `/${one}/tabs?id=5`)).body.tabs).toMatchObject([
      { url: 'https://a.example/5' },
    ])
    const bulk = await call(person, 'PATCH', '/bulk', { edits: [{ slug: one, title: 'Bulk' }] })
    expect(bulk.body.results).toMatchObject([{ status: 200, bundle: { slug } }])
    expect(
      (await person.api<{ events: unknown[] }>('GET', `/api/me/events?target=${one}`)).body.events.length,
    ).toBeGreaterThan(1)
    const found = await person.api<{ bundles: Told[] }>('GET', `/api/me/links?q=${one}`)
    expect(found.body.bundles).toMatchObject([{ slug, aliases: [two, one].sort() }])
    // Only those who may.
    expect(refusal(await call(await newPerson(at()), 'GET', `/${one}`))).toEqual([403, 'FORBIDDEN'])
    expect((await call(person, 'PATCH', `/${slug}`, { aliases: [] })).body.aliases).toEqual([])
    expect(await led(`/l/${one}`)).toEqual([404, null])
  })

  test('renaming makes the slug so far an alias, and back again', async () => {
    const { person, slug } = await own()
    const to = fresh('renamed')
    expect((await led(`/l/${slug}`))[0]).toBe(200)
    const renamed = await call(person, 'POST', `/${slug}/rename`, { slug: to }, { 'if-match': '"v1"' })
    expect([renamed.status, renamed.headers.get('etag')]).toEqual([200, '"v2"'])
    expect(renamed.body).toMatchObject({ slug: to, url: `${at().origin}/l/${to}`, aliases: [slug], versionNumber: 2 })
    expect(await led(`/l/${slug}?x=1`)).toEqual([307, `/l/${to}?x=1`])
    expect((await led(`/l/${to}`))[0]).toBe(200)
    expect((await call(person, 'POST', `/${slug}/rename`, { newSlug: to })).body).toMatchObject({
      slug: to,
      versionNumber: 2,
    })
    const back = await call(person, 'POST', `/${to}/rename`, { newSlug: slug })
    expect(back.body).toMatchObject({ slug, aliases: [to], versionNumber: 3 })
    expect(await led(`/l/${to}`)).toEqual([307, `/l/${slug}`])
    const { body } = await person.api<{ events: { changes?: unknown[] }[] }>('GET', `/api/me/events?target=${slug}`)
    expect(body.events[0]?.changes).toEqual([{ field: 'slug', from: to, to: slug }, { field: 'aliases' }])
    // What is no version stays when an old one is restored.
    const restored = await call(person, 'POST', `/${slug}/versions/1/restore`)
    expect(restored.body).toMatchObject({ slug, aliases: [to] })
  })

  test('renaming is refused with words: taken, reserved, stale, five aliases already, no admin', async () => {
    const { person, slug } = await own()
    const other = await own()
    for (const taken of [other.slug, 'docs', 'bulk'])
      expect(refusal(await call(person, 'POST', `/${slug}/rename`, { newSlug: taken }))).toEqual([409, 'SLUG_TAKEN'])
    for (const newSlug of ['No Slug', 'a', 7, undefined])
      expect(refusal(await call(person, 'POST', `/${slug}/rename`, { newSlug }))).toEqual([400, 'BAD_REQUEST'])
    expect(
      refusal(await call(person, 'POST', `/${slug}/rename`, { newSlug: fresh() }, { 'if-match': '"v9"' })),
    ).toEqual([412, 'VERSION_CONFLICT'])
    const five = Array.from({ length: 5 }, () => fresh('five'))
    expect((await call(person, 'PATCH', `/${slug}`, { aliases: five })).status).toBe(200)
    const full = await call(person, 'POST', `/${slug}/rename`, { newSlug: fresh() })
    expect([...refusal(full), full.body.error]).toEqual([
      400,
      'BAD_REQUEST',
      expect.stringContaining('remove one of aliases first'),
    ])
    // One of its own aliases makes the room for the slug so far.
    const swapped = await call(person, 'POST', `/${slug}/rename`, { newSlug: five[0] })
    expect(swapped.body).toMatchObject({ slug: five[0], aliases: [...five.slice(1), slug].sort() })
  })

  test('the editor says what is wrong with an alias beside its field, not beside a link', async () => {
    const { person, slug } = await own()
    const path = `/dashboard/links/${slug}`
    const refused = await person.form(path, { version: '1', url: URL_A, aliases: 'a b', do: 'save' })
    const html = await refused.text()
    expect(refused.status).toBe(400)
    expect(html).toMatch(/id="aliases-error"[^>]*>This must be 3 to 64 characters\./)
    expect(html).not.toContain('-url-error')
    // The answer to a pause in typing, which may come after that of Save, has it too.
    for (const [aliases, says] of [
      ['a b', 'This must be 3 to 64 characters.'],
      ['docs', 'docs is taken'],
    ] as const) {
      const checked = await person.form(path, { version: '1', url: URL_A, aliases, do: 'check' })
      expect([aliases, checked.status]).toEqual([aliases, 200])
      expect(/id="aliases-error"[^>]*>([^<]*)/.exec(await checked.text())?.[1]).toContain(says)
    }
  })

  test('slugs and aliases are one space, both ways, with what is retired', async () => {
    const { person, slug } = await own()
    const other = await own({}, person)
    const alias = fresh()
    expect((await call(person, 'PATCH', `/${slug}`, { aliases: [alias] })).status).toBe(200)
    const taken: (string | number)[] = [409, 'SLUG_TAKEN']
    expect(refusal(await call(person, 'POST', '', { urls: [URL_A], slug: alias }))).toEqual(taken)
    expect(refusal(await call(person, 'POST', '', { urls: [URL_A], slug: alias, dryRun: true }))).toEqual(taken)
    expect(refusal(await call(person, 'POST', '', { urls: [URL_A], aliases: [alias] }))).toEqual(taken)
    for (const dryRun of [{}, { dryRun: true }]) {
      for (const one of [alias, slug, other.slug, 'docs']) {
        const said = await call(person, 'PATCH', `/${other.slug}`, { aliases: [fresh(), one], ...dryRun })
        expect([one, ...refusal(said)]).toEqual([one, ...taken])
        expect(said.body.error).toContain(`aliases: ${one} is taken`)
      }
    }
    expect((await call(person, 'GET', `/${other.slug}`)).body).toMatchObject({ aliases: [], versionNumber: 1 })
    const six = Array.from({ length: 6 }, () => fresh())
    expect(refusal(await call(person, 'PATCH', `/${slug}`, { aliases: six }))).toEqual([400, 'BAD_REQUEST'])
    expect(refusal(await call(new Visitor(at()), 'POST', '', { urls: [URL_A], aliases: [fresh()] }))).toEqual([
      400,
      'BAD_REQUEST',
    ])
    // In the trash it keeps them; restored, it has them.
    expect((await call(person, 'DELETE', `/${alias}`)).status).toBe(200)
    expect(await led(`/l/${alias}`)).toEqual([404, null])
    expect(refusal(await call(person, 'POST', '', { urls: [URL_A], slug: alias }))).toEqual(taken)
    expect((await call(person, 'POST', `/${alias}/restore`)).body).toMatchObject({ slug, aliases: [alias] })
    expect(await led(`/l/${alias}`)).toEqual([307, `/l/${slug}`])
    // Gone for good, nobody gets them; given up, anybody does.
    const given = fresh()
    await call(person, 'PATCH', `/${slug}`, { aliases: [alias, given] })
    await call(person, 'PATCH', `/${slug}`, { aliases: [alias] })
    expect((await call(person, 'POST', '', { urls: [URL_A], slug: given })).status).toBe(201)
    await at().sql('DELETE FROM bundles WHERE slug = ?', [slug])
    expect(await at().sql('SELECT * FROM aliases WHERE slug = ?', [alias])).toEqual([])
    expect(refusal(await call(person, 'POST', '', { urls: [URL_A], slug: alias }))).toEqual(taken)
    expect(refusal(await call(person, 'PATCH', `/${other.slug}`, { aliases: [alias] }))).toEqual(taken)
  })

  test('of many at once that want a slug, as a slug or an alias, one gets it', async () => {
    const { person, slug } = await own()
    const others = await Promise.all(Array.from({ length: 3 }, () => own({}, person)))
    for (let round = 0; round < 3; round += 1) {
      const wanted = fresh('raced')
      const answers = await Promise.all([
        call(person, 'POST', '', { urls: [URL_A], slug: wanted }),
        call(person, 'PATCH', `/${slug}`, { aliases: [wanted] }),
        ...others.flatMap((other) => [
          call(person, 'PATCH', `/${other.slug}`, { aliases: [wanted] }),
          call(person, 'POST', `/${other.slug}/rename`, { newSlug: wanted }),
        ]),
        call(person, 'POST', '', { urls: [URL_B], slug: wanted }),
      ])
      const won = answers.filter(({ status }) => status < 300)
      const held = await at().sql(
        'SELECT slug FROM bundles WHERE slug = ? UNION ALL SELECT slug FROM aliases WHERE slug = ?',
        [wanted, wanted],
      )
      expect(held).toHaveLength(1)
      // Renaming an alias of its own into a slug is the one way to ask twice and succeed.
      expect([1, 2]).toContain(won.length)
      for (const answer of answers) if (answer.status >= 300) expect(refusal(answer)).toEqual([409, 'SLUG_TAKEN'])
    }
  })

  test('an export has them, and an import gives those that are free', async () => {
    const { person, slug } = await own()
    const alias = fresh()
    await call(person, 'PATCH', `/${slug}`, { aliases: [alias] })
    const exported = await person.api<{ bundles: Told[] }>('GET', '/api/me/export')
    expect(exported.body.bundles).toMatchObject([{ slug, aliases: [alias] }])
    const counted = await at().sql(
      'SELECT history_bytes AS bytes FROM owners JOIN bundles ON owner_id = owners.id WHERE slug = ?',
      [slug],
    )
    await call(person, 'PATCH', `/${slug}`, { aliases: [alias, fresh()] })
    const more = await at().sql(
      'SELECT history_bytes AS bytes FROM owners JOIN bundles ON owner_id = owners.id WHERE slug = ?',
      [slug],
    )
    expect(Number(more[0]?.bytes) - Number(counted[0]?.bytes)).toBeGreaterThan(100)
  })
})

describe('other processes', () => {
  test('a bundle that was renamed elsewhere is led to within a second', async () => {
    const writer = await startInProcess()
    const reader = await startInProcess({ DATABASE_URL: `file:${writer.database}` })
    try {
      const owner = await newPerson(writer)
      const { slug } = await owner.makeBundle({ slug: fresh() })
      const viewed = () => fetch(`${reader.origin}/l/${slug}`, { redirect: 'manual', headers: { accept: 'text/html' } })
      expect((await viewed()).status).toBe(200)
      const to = fresh()
      await owner.api('POST', `/api/links/${slug}/rename`, { slug: to })
      await becomes(async () => (await viewed()).status, 307)
    } finally {
      await reader.stop()
      await writer.stop()
    }
  })
})
