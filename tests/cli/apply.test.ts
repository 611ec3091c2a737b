import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type BundleBody, newPerson, type Person, URL_A, URL_B } from '../people.ts'
import type { Server } from '../server.ts'
import { RUNTIMES, Shell, serveCommand } from './shell.ts'

// Starts many processes, on a machine that may be busy.
setDefaultTimeout(180_000)

let server: Server
let person: Person
let key: string
beforeAll(async () => {
  ;({ server, person, key } = await serveCommand())
})
afterAll(() => server.stop())

describe.each(RUNTIMES)('apply, on %s', (_, start) => {
  let mine: Shell
  beforeAll(() => {
    mine = new Shell(start(), { OPENALL_URL: server.origin, OPENALL_KEY: key })
  })
  afterAll(() => mine.remove())

  const read = async (slug: string) =>
    (await person.api<BundleBody & { resolutionPolicy: object }>('GET', `/api/links/${slug}`)).body
  const statusOf = async (slug: string) => (await person.api('GET', `/api/links/${slug}`)).status
  const named = (word: string) => `${word}-${Math.random().toString(36).slice(2, 10)}`
  const apply = (yaml: string, ...flags: string[]) => mine.openall(['apply', '-', ...flags], { stdin: yaml })

  test('makes the bundles that are missing, edits those that differ, and then has nothing to change', async () => {
    const [first, second] = [named('first'), named('second')]
    const yaml = (title: string) => `
# Documents and lists may be mixed.
slug: ${first}
title: ${title}
opensAt: 2020-01-02T09:00:00Z
tabs:
  - url: ${URL_A}
    note: The plan
    tags: [live]
  - url: ${URL_B}
resolutionPolicy:
  version: 1
  rules:
    - name: phones
      when: { op: equals, field: device, value: mobile }
      tabs: [{ url: "${URL_B}" }]
---
- slug: ${second}
  tabs: [{ url: "${URL_B}" }]
`
    const file = mine.write('bundles.yaml', yaml('One'))
    const tried = await mine.openall(['apply', file, '--dry-run'])
    expect([tried.code, tried.stderr]).toEqual([0, expect.stringContaining('Nothing was saved.')])
    expect(tried.stdout).toContain(`${first} would be created`)
    expect(tried.stdout).toContain('2 would be created, 0 would be changed, 0 are as they should be.')
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 404])

    const created = await mine.openall(['apply', file])
    expect([created.code, created.stderr]).toEqual([0, ''])
    expect(created.stdout).toContain(`${first} was created: ${server.origin}/l/${first}\n`)
    expect(created.stdout).toContain(`+ ${URL_A} "The plan" #live\n`)
    expect(created.stdout).toEndWith('2 were created, 0 were changed, 0 are as they should be.\n')
    expect(await read(first)).toMatchObject({
      title: 'One',
      urls: [URL_A, URL_B],
      urlMetadata: [{ note: 'The plan', tags: ['live'] }, {}],
      resolutionPolicy: { rules: [{ name: 'phones' }] },
      source: 'cli',
    })

    const again = await mine.openall(['apply', file])
    expect(again).toEqual({ code: 0, stdout: 'Nothing to change.\n', stderr: '' })
    const dryAgain = await mine.openall(['apply', file, '--dry-run'])
    expect(dryAgain).toEqual({ code: 0, stdout: 'Nothing to change.\n', stderr: '' })
    expect([(await read(first)).versionNumber, (await read(second)).versionNumber]).toEqual([1, 1])

    const { resolutionPolicy: rules } = await read(first)
    const wouldChange = await apply(yaml('Two'), '--dry-run')
    expect(wouldChange.stdout).toContain(`${first} would be changed\n- title: One\n+ title: Two\n`)
    expect(await read(first)).toMatchObject({ title: 'One', versionNumber: 1 })
    const changed = await mine.json(['apply', '-'], { stdin: yaml('Two') })
    expect(changed).toMatchObject({
      dryRun: false,
      results: [
        { slug: first, status: 'changed', versionNumber: 2, diff: { fields: { title: { from: 'One', to: 'Two' } } } },
        { slug: second, status: 'unchanged', versionNumber: 1 },
      ],
    })
    // A rule without an id is the one with its name.
    expect(await read(first)).toMatchObject({ title: 'Two', resolutionPolicy: rules })
  })

  test('what show --yaml prints is applied to another service as to this one, and fields that are left out stay', async () => {
    const slug = named('shown')
    const policy = {
      version: 1,
      rules: [{ name: 'phones', when: { op: 'equals', field: 'device', value: 'mobile' }, tabs: [{ url: URL_B }] }],
    }
    const fields = { slug, title: 'yes', description: 'Two\nlines: "quoted"', urls: [URL_A], resolutionPolicy: policy }
    await person.makeBundle(fields)
    const shown = await mine.openall(['show', slug, '--yaml'])
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(`slug: ${slug}\n`)])
    expect(shown.stdout).not.toMatch(/\br_\w/)
    expect(await apply(shown.stdout)).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' })

    const copy = named('copied')
    const two = `${shown.stdout}${shown.stdout.replaceAll(slug, copy)}`
    expect(await apply(two)).toMatchObject({ code: 0 })
    const { urls, title, description } = await read(copy)
    expect({ urls, title, description }).toEqual({ urls: [URL_A], title: 'yes', description: fields.description })

    expect(await apply(`{ "slug": "${copy}", "title": "JSON is YAML" }`)).toMatchObject({ code: 0 })
    expect(await read(copy)).toMatchObject({ title: 'JSON is YAML', description: fields.description, urls: [URL_A] })
    expect(await apply(`slug: ${copy}\ndescription: null`)).toMatchObject({ code: 0 })
    expect(await read(copy)).toMatchObject({ title: 'JSON is YAML', description: null })
  })

  test('a file may have the ID and the metadata of a bundle, as show --yaml prints them', async () => {
    const [slug, id] = [named('own'), named('id')]
    const yaml = (team: string) =>
      `slug: ${slug}\ntabs: [{ url: "${URL_A}" }]\nexternalId: ${id}\nmetadata: { team: ${team} }`
    expect(await apply(yaml('sales'))).toMatchObject({ code: 0, stderr: '' })
    expect(await read(slug)).toMatchObject({ externalId: id, metadata: { team: 'sales' } })
    expect(await apply((await mine.openall(['show', slug, '--yaml'])).stdout)).toMatchObject({
      code: 0,
      stdout: 'Nothing to change.\n',
    })
    const changed = await apply(yaml('support'))
    expect(changed.stdout).toContain('- metadata.team: sales\n+ metadata.team: support\n')
    expect(await read(slug)).toMatchObject({ externalId: id, metadata: { team: 'support' } })
  })

  test('a file that is wrong anywhere changes nothing, and says where', async () => {
    const slug = named('never')
    const good = `slug: ${slug}\ntabs: [{ url: "${URL_A}" }]\n`
    const bombs = Array.from({ length: 30 }, (_, at) => `a${at}: &a${at} [${`*a${at - 1},`.repeat(at && 9)}x]`)
    const wrong: [string, RegExp][] = [
      ['', /no bundle/],
      ['- []', /bundle 1 .*must be an object/],
      [`${good}---\ntabs: []`, /bundle 2 .*slug/],
      [`${good}---\nslug: 4711`, /bundle 2 .*slug.*quotes/],
      [`${good}---\n${good}`, new RegExp(`${slug} is in the file twice`)],
      [`${good}titel: x`, /titel is not a field/],
      [`${good}title: [`, /is not YAML.*line/s],
      [`${good}tabs: []`, /is not YAML.*unique/s],
      [`${good}title: !secret x`, /is not YAML.*tag/s],
      [bombs.join('\n'), /is not YAML/],
      [`${'['.repeat(100_000)}`, /is not YAML/],
      [`${good}---\nslug: ${slug}x\ntabs: [{ url: "javascript:1" }]`, /urls/],
      [`${good}---\nslug: Wrong_\ntabs: [{ url: "${URL_A}" }]`, /slug/],
    ]
    for (const [yaml, message] of wrong) {
      const { code, stdout, stderr } = await apply(yaml)
      expect([yaml.slice(0, 300), code, stdout, stderr]).toEqual([
        yaml.slice(0, 300),
        2,
        '',
        expect.stringMatching(message),
      ])
    }
    expect(await statusOf(slug)).toBe(404)
    const other = await newPerson(server)
    const theirs = await other.makeBundle({ slug: named('theirs') })
    const taken = await apply(`${good}---\nslug: ${theirs.slug}\ntabs: [{ url: "${URL_B}" }]`)
    expect([taken.code, taken.stdout]).toEqual([3, ''])
    expect(taken.stderr).toContain(`Stopped at ${theirs.slug}: nothing was changed`)
    const deleted = await person.makeBundle({ slug: named('deleted') })
    await person.api('DELETE', `/api/links/${deleted.slug}`)
    const gone = await apply(`${good}---\nslug: ${deleted.slug}\ntabs: [{ url: "${URL_B}" }]`)
    expect([gone.code, gone.stdout]).toEqual([5, ''])
    expect(gone.stderr).toContain(`openall restore ${deleted.slug}`)
    expect(await statusOf(slug)).toBe(404)
  })

  test('an edit that somebody makes meanwhile is not overwritten, and the command says what it has done', async () => {
    const slugs = [named('one'), named('two'), named('three')] as const
    for (const slug of slugs) await person.makeBundle({ slug, title: 'Before', urls: [URL_A] })
    // Somebody edits the second bundle once the command has read all of them.
    let hasEdited = false
    const between = Bun.serve({
      port: 0,
      async fetch(request) {
        const { pathname, search } = new URL(request.url)
        const isWrite = request.method === 'PATCH' && !`${search} ${await request.clone().text()}`.includes('dryRun')
        if (isWrite && !hasEdited) {
          hasEdited = true
          await person.api('PATCH', `/api/links/${slugs[1]}`, { description: 'Meanwhile' })
        }
        const headers = new Headers(request.headers)
        headers.delete('host')
        const body = request.body === null ? null : await request.text()
        return fetch(`${server.origin}${pathname}${search}`, { method: request.method, headers, body })
      },
    })
    try {
      const yaml = slugs.map((slug) => `slug: ${slug}\ntitle: After\n`).join('---\n')
      const env = { OPENALL_URL: between.url.origin }
      const { code, stderr } = await mine.openall(['apply', '-'], { stdin: yaml, env })
      expect([code, stderr]).toEqual([5, expect.stringContaining(`Stopped at ${slugs[1]}: 1 of 3 applied`)])
      expect(await read(slugs[0])).toMatchObject({ title: 'After' })
      expect(await read(slugs[1])).toMatchObject({ title: 'Before', description: 'Meanwhile' })
      expect(await read(slugs[2])).toMatchObject({ title: 'Before' })
      expect(await mine.openall(['apply', '-'], { stdin: yaml })).toMatchObject({ code: 0, stderr: '' })
      for (const slug of slugs) expect(await read(slug)).toMatchObject({ title: 'After' })
      expect(await read(slugs[1])).toMatchObject({ description: 'Meanwhile' })
    } finally {
      await between.stop(true)
    }
  })
})
