import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { becomes } from '../eventually.ts'
import { actFor, type BundleBody, newOrganization, newPerson, type Person, URL_A, URL_B } from '../people.ts'
import { freePort } from '../ports.ts'
import { mintKey } from '../sdk/support.ts'
import type { Server } from '../server.ts'
import { NO_BUNDLE, told } from '../told.ts'
import { RUNTIMES, Shell, serveCommand } from './shell.ts'

// Starts many processes, on a machine that may be busy.
setDefaultTimeout(180_000)

const POLICY = {
  version: 1,
  rules: [{ name: 'phones', when: { op: 'equals', field: 'device', value: 'mobile' }, tabs: [{ url: URL_B }] }],
}

let server: Server
let person: Person
let key: string
beforeAll(async () => {
  ;({ server, person, key } = await serveCommand())
})
afterAll(() => server.stop())

describe.each(RUNTIMES)('on %s', (runtime, start) => {
  let mine: Shell
  let nobody: Shell
  beforeAll(() => {
    mine = new Shell(start(), { OPENALL_URL: server.origin, OPENALL_KEY: key })
    nobody = new Shell(start(), { OPENALL_URL: server.origin })
  })
  afterAll(() => {
    mine.remove()
    nobody.remove()
  })

  const made = async (fields: Record<string, unknown> = {}) => (await person.makeBundle(fields)).slug
  const read = async (slug: string) => (await person.api<BundleBody>('GET', `/api/links/${slug}`)).body

  test('create prints the link and nothing else, from arguments, a file or standard input', async () => {
    const list = mine.write('list.txt', `The plan | ${URL_A}\n- ${URL_B}\n`)
    const ways: [string[], string | undefined, string[]][] = [
      [['create', URL_A, URL_B, '--title', 'One'], undefined, [URL_A, URL_B]],
      [['create', 'a.example', '-t', 'One'], undefined, ['https://a.example']],
      [['create', '--file', list, '--title=One'], undefined, [URL_A, URL_B]],
      [['create', '--title', 'One'], `${URL_A}\n`, [URL_A]],
      [['create', '-f', '-', '--title', 'One'], `${URL_B}\n`, [URL_B]],
    ]
    for (const [args, stdin = '', urls] of ways) {
      const { code, stdout, stderr } = await mine.openall(args, { stdin })
      expect([args, code, stderr]).toEqual([args, 0, ''])
      const [, slug = ''] = /^http:\/\/localhost:\d+\/l\/(\w+)\n$/.exec(stdout) ?? []
      expect(await read(slug)).toMatchObject({ title: 'One', urls, source: 'cli' })
      if (args.includes(list)) expect((await read(slug)).urlMetadata[0]).toEqual({ note: 'The plan' })
    }
  })

  test('create takes a slug, rules and an idempotency key', async () => {
    const rules = mine.write('rules.json', JSON.stringify(POLICY))
    const slug = `chosen-${Math.random().toString(36).slice(2, 10)}`
    const args = [
      'create',
      URL_A,
      '--slug',
      slug,
      '--policy',
      rules,
      '--description',
      'Two\nlines',
      '--idempotency-key',
      slug,
    ]
    const [first, again] = [await mine.json(args), await mine.json(args)]
    expect(again).toEqual(first)
    expect(first).toEqual({ slug, url: `${server.origin}/l/${slug}`, versionNumber: 1 })
    expect(await read(slug)).toMatchObject({
      description: 'Two\nlines',
      resolutionPolicy: { rules: [{ name: 'phones' }] },
    })
  })

  test('duplicate makes a copy, and its flags replace fields of the original', async () => {
    const slug = await made({ title: 'One', description: 'Two\nlines', resolutionPolicy: POLICY })
    const plain = await mine.openall(['duplicate', `${server.origin}/l/${slug}`])
    const [, copy = ''] = /^http:\/\/localhost:\d+\/l\/(\w+)\n$/.exec(plain.stdout) ?? []
    expect([plain.code, plain.stderr]).toEqual([0, ''])
    expect(await read(copy)).toMatchObject({
      title: 'One',
      description: 'Two\nlines',
      urls: [URL_A, URL_B],
      source: 'cli',
      resolutionPolicy: { rules: [{ name: 'phones' }] },
    })
    const newSlug = `copied-${Math.random().toString(36).slice(2, 10)}`
    const list = mine.write('others.txt', `The plan | ${URL_B}\n`)
    const flags = ['--title', 'Other', '--description', '', '--list', list, '--policy', 'none', '--new-slug', newSlug]
    const tried = await mine.json<{ bundle: object }>(['duplicate', slug, ...flags, '--dry-run'])
    expect(tried.bundle).toMatchObject({ slug: newSlug, title: 'Other', description: null, resolutionPolicy: null })
    const args = ['duplicate', slug, ...flags, '--idempotency-key', newSlug]
    const [first, again] = [await mine.json(args), await mine.json(args)]
    expect(first).toEqual({ slug: newSlug, url: `${server.origin}/l/${newSlug}`, versionNumber: 1 })
    expect(again).toEqual(first)
    const changed = { title: 'Other', description: null, urls: [URL_B], urlMetadata: [{ note: 'The plan' }] }
    expect(await read(newSlug)).toMatchObject({ ...changed, resolutionPolicy: null })
    const timed = await made({ opensAt: '2030-01-10T09:00:00Z' })
    const earlier = await mine.json<{ slug: string }>(['duplicate', timed, '--shift-days=-7'])
    expect(await read(earlier.slug)).toMatchObject({ opensAt: expect.stringMatching(/^2030-01-03T/) })
    expect((await mine.openall(['duplicate', timed, '--shift-days', 'soon'])).code).toBe(2)
    expect((await mine.openall(['duplicate', 'there-is-none'])).code).toBe(4)
  })

  test('a viewer’s copy of a bundle that can be copied is claimed like any other', async () => {
    const slug = await made({ title: 'Mine', resolutionPolicy: POLICY })
    expect((await nobody.openall(['duplicate', slug])).code).toBe(3)
    expect((await mine.openall(['edit', slug, '--copyable', 'yes'])).code).toBe(0)
    expect((await mine.openall(['show', slug])).stdout).toContain('viewers can copy it')
    const { code, stdout, stderr } = await nobody.openall(['duplicate', slug, '--title', 'Theirs'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^http:\/\/localhost:\d+\/l\/\w+\n$/)])
    expect(stderr).toMatch(/openall claim \S+/)
    expect((await mine.openall(['edit', slug, '--copyable', 'no'])).code).toBe(0)
    expect(await read(slug)).toMatchObject({ copyable: false })
    const wrong = await mine.openall(['edit', slug, '--copyable', 'maybe'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('copyable must be')])
  })

  test('an anonymous bundle is claimed with the token that create prints', async () => {
    const { code, stdout, stderr } = await nobody.openall(['create', URL_A])
    expect(code).toBe(0)
    const [, token = ''] = /openall claim (\S+)/.exec(stderr) ?? []
    const claimed = await mine.openall(['claim', token])
    expect(claimed).toEqual({ code: 0, stdout: `${stdout.trim()} is yours.\n`, stderr: '' })
    expect((await mine.openall(['claim', `${server.origin}/claim/${token}`])).code).toBe(4)
  })

  test('--json prints the API’s answer, for every command that reads', async () => {
    const slug = await made({ title: 'Read', resolutionPolicy: POLICY })
    const answers: [string[], string][] = [
      [['show', slug], `/api/links/${slug}`],
      [['show', `${server.origin}/l/${slug}`], `/api/links/${slug}`],
      // The short path of a service that has them.
      [['show', `${server.origin}/${slug}?id=7`], `/api/links/${slug}`],
      [['list'], '/api/me/links'],
      [['list', '--limit', '2', '--offset', '1'], '/api/me/links?limit=2&offset=1'],
      [['versions', slug], `/api/links/${slug}/versions`],
      [['keys', 'list'], '/api/me/keys'],
    ]
    for (const [args, path] of answers) {
      const { body } = await person.api('GET', path)
      const told = await mine.json(args)
      // The time of last use is written in the background.
      expect(JSON.parse(JSON.stringify(told).replace(/"lastUsedAt":[^,]*/g, '"lastUsedAt":null'))).toEqual(
        JSON.parse(JSON.stringify(body).replace(/"lastUsedAt":[^,]*/g, '"lastUsedAt":null')),
      )
    }
    expect(await mine.json<{ subject: unknown }>(['whoami'])).toMatchObject({ subject: { userId: person.userId } })
  })

  test('list --all goes through every page', async () => {
    const somebody = await newPerson(server)
    const slugs: string[] = []
    for (let index = 0; index < 5; index += 1) slugs.unshift((await somebody.makeBundle()).slug)
    const env = { OPENALL_KEY: await mintKey(somebody) }
    const { bundles } = await mine.json<{ bundles: { slug: string }[] }>(['list', '--all', '--limit', '2'], { env })
    expect(bundles.map(({ slug }) => slug)).toEqual(slugs)
    const { stdout } = await mine.openall(['list', '--limit', '1'], { env })
    expect(stdout).toMatch(
      /^SLUG +TABS +UPDATED \(UTC\) +TITLE\n\w+ +2 +\d{4}-\d\d-\d\d \d\d:\d\d +https:\/\/a\.example\/\n$/,
    )
  })

  test('a bookmarks file makes one bundle per folder, however often it is imported', async () => {
    const file = mine.write(
      'bookmarks.html',
      `<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>
        <DT><H3>Work ${runtime}</H3><DL><p>
          <DT><A HREF="${URL_A}" TAGS="x,y">The plan</A>
          <DT><A HREF="javascript:alert(1)">A script</A>
        </DL><p>
        <DT><H3>Home ${runtime}</H3><DL><p><DT><A HREF="${URL_B}">News</A></DL><p>
      </DL><p>`,
    )
    const several = await mine.openall(['create', '--file', file])
    expect([several.code, several.stderr]).toEqual([
      2,
      expect.stringContaining('use openall import with the file, or - for standard input, to create all 2 bundles'),
    ])
    const dry = await mine.openall(['import', file, '--dry-run'])
    expect(dry.stdout).toBe(`Work ${runtime}\n  ${URL_A}  The plan\nHome ${runtime}\n  ${URL_B}  News\n`)
    const { code, stdout, stderr } = await mine.openall(['import', file])
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^line 4 is a javascript: link: .*: javascript:alert\(1\)\n$/),
    ])
    const [, first = ''] = new RegExp(`/l/(\\w+)  Work ${runtime}\n`).exec(stdout) ?? []
    expect(await read(first)).toMatchObject({
      title: `Work ${runtime}`,
      urls: [URL_A],
      urlMetadata: [{ note: 'The plan', tags: ['x', 'y'] }],
      source: 'import',
    })
    expect((await mine.openall(['import', file])).stdout).toBe(stdout)
    const one = mine.write(
      'one.html',
      `<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><A HREF="${URL_A}">Only</A></DL><p>`,
    )
    const { slug } = await mine.json<{ slug: string }>(['create', '--file', one])
    expect(await read(slug)).toMatchObject({ urls: [URL_A], urlMetadata: [{ note: 'Only' }] })
    const page = mine.write(
      'page.html',
      `<!doctype html><title>x</title><link rel="stylesheet" href="https://css.example/a.css"><script src="https://js.example/a.js"></script>
      <h2>Launch</h2><p><a href="${URL_A}"><img src="https://img.example/a.png" alt="icon"></a> <a href="${URL_A}">The <b>plan</b></a></p>`,
    )
    expect((await mine.openall(['import', page, '--dry-run'])).stdout).toBe(`Launch\n  ${URL_A}  The plan\n`)
    const told = await mine.openall(['import', '-', '--dry-run'], { stdin: `Plan: ${URL_A}?sig=x` })
    expect(told.stderr).toMatch(/^line 1 holds a key that everyone gets: .*\?sig=x\n/)
  })

  test('the export of a tab manager makes its collections; one that is cut off makes nothing, and says so', async () => {
    const lists = ['Work', 'Home'].map((title) => ({ title, cards: [{ title: 'Plan', url: `${URL_A}${title}` }] }))
    const whole = JSON.stringify({ version: 3, lists }, null, 2)
    const { bundles } = await mine.json<{ bundles: { slug: string }[] }>(['import', mine.write('toby.json', whole)])
    const read = await Promise.all(bundles.map(({ slug }) => person.api<BundleBody>('GET', `/api/links/${slug}`)))
    expect(read.map(({ body }) => [body.title, body.urls])).toEqual([
      ['Work', [`${URL_A}Work`]],
      ['Home', [`${URL_A}Home`]],
    ])
    const cut = await mine.openall(['import', '-'], { stdin: whole.slice(0, -30) })
    expect([cut.code, cut.stdout, cut.stderr]).toEqual([2, '', expect.stringContaining('cut off or damaged')])
  })

  test('list searches, sorts and finds deleted bundles', async () => {
    const somebody = await newPerson(server)
    const env = { OPENALL_KEY: await mintKey(somebody) }
    const [one, two] = [
      await somebody.makeBundle({ title: 'B one' }),
      await somebody.makeBundle({ title: 'A two', urlMetadata: [{ tags: ['of two'] }] }),
    ]
    const slugs = async (...args: string[]) =>
      (await mine.json<{ bundles: { slug: string }[] }>(['list', ...args], { env })).bundles.map(({ slug }) => slug)
    expect(await slugs('--search', 'two')).toEqual([two.slug])
    expect(await slugs('--sort', 'title', '--all')).toEqual([two.slug, one.slug])
    await mine.openall(['delete', one.slug], { env })
    expect(await slugs('--tag', 'of two')).toEqual([two.slug])
    expect(await slugs('--deleted')).toEqual([one.slug])
    expect(await slugs()).toEqual([two.slug])
    expect((await mine.openall(['list', '--sort', 'size'], { env })).code).toBe(2)
  })

  test('--dry-run shows what would be saved, and saves nothing', async () => {
    const slug = await made({ title: 'Kept' })
    const late = {
      ...POLICY,
      rules: [{ ...POLICY.rules[0], when: { op: 'before', field: 'now', value: '2020-01-01T00:00:00Z' } }],
    }
    const rules = mine.write('late.json', JSON.stringify(late))
    const edit = await mine.openall(['edit', slug, '--title', 'Tried', '--policy', rules, '--dry-run'])
    expect(edit).toMatchObject({ code: 0, stdout: `Tried\n\n 1. ${URL_A}\n 2. ${URL_B}\n\n1 rule: phones\n` })
    expect(edit.stderr).toMatch(/^warning: resolutionPolicy\.rules\[0\].*\nNothing was saved/)
    expect((await read(slug)).title).toBe('Kept')
    const before = (await person.api<{ bundles: unknown[] }>('GET', '/api/me/links?limit=100')).body.bundles.length
    const { bundle } = await mine.json<{ bundle: unknown }>(['create', URL_A, '--dry-run'])
    expect(bundle).toMatchObject({ slug: null, urls: [URL_A], source: 'cli' })
    expect((await person.api<{ bundles: unknown[] }>('GET', '/api/me/links?limit=100')).body.bundles.length).toBe(
      before,
    )
  })

  test('show prints every field', async () => {
    const tabs = { urls: [URL_A, URL_B], urlMetadata: [{ note: 'First', tags: ['x', 'y'] }, { openPolicy: 'manual' }] }
    const slug = await made({ title: 'Shown', description: 'What it is', resolutionPolicy: POLICY, ...tabs })
    const { stdout } = await mine.openall(['show', slug])
    expect(stdout.replace(/created .*/, '…')).toBe(
      [
        'Shown',
        `${server.origin}/l/${slug}`,
        '',
        'What it is',
        '',
        ` 1. ${URL_A}`,
        '    First #x #y',
        ` 2. ${URL_B}`,
        '    (manual)',
        '',
        '1 rule: phones',
        '',
        'version 1, …',
        '',
      ].join('\n'),
    )
  })

  test('an ID in one’s own system and metadata are given, shown, changed and removed', async () => {
    const id = `crm ${Math.random()}`
    const given = ['--external-id', id, '--metadata', 'team=sales', '--metadata', 'note=a=b']
    const { slug } = await mine.json<{ slug: string }>(['create', URL_A, ...given])
    expect((await mine.openall(['show', slug])).stdout).toContain(`\nID: ${id}\nteam: sales\nnote: a=b\n`)
    const edited = await mine.json(['edit', slug, '--metadata', 'team=', '--metadata', 'region=eu', '--title', 'T'])
    expect(edited).toMatchObject({ externalId: id, metadata: { note: 'a=b', region: 'eu' }, title: 'T' })
    const { stderr } = await mine.openall(['edit', slug, '--metadata', 'team'])
    expect(stderr).toContain('--metadata must be a key, = and a text')
    const bare = await mine.json(['edit', slug, '--external-id', '', '--metadata', 'note=', '--metadata', 'region='])
    expect(bare).toMatchObject({ externalId: null, title: 'T' })
    expect((await mine.openall(['show', slug])).stdout).not.toContain('region')
  })

  test('a title cannot move the reader’s cursor', async () => {
    const slug = await made()
    // Such texts may have been stored before they were refused.
    const texts = ['a\u009b31mb\u202ec\u007f', 'x\u0085y', slug]
    await server.sql('UPDATE bundles SET title = ?, description = ? WHERE slug = ?', texts)
    const { stdout } = await mine.openall(['show', slug])
    expect(stdout).toStartWith('a\ufffd31mb\ufffdc\ufffd\n')
    expect(stdout).toContain('x\ufffdy')
    expect((await mine.json<BundleBody>(['show', slug])).title).toBe('a\u009b31mb\u202ec\u007f')
    const { stdout: json } = await mine.openall(['show', slug, '--json'])
    expect(json).toContain('"a\\u009b31mb\\u202ec\\u007f"')
  })

  test('edit changes only what its flags name', async () => {
    const slug = await made({ urls: [URL_A, URL_B], urlMetadata: [{}, { note: 'kept' }], title: 'Before' })
    const rules = mine.write('rules.json', JSON.stringify(POLICY))
    const edit = [
      'edit',
      slug,
      '--title',
      'After',
      '--add',
      'https://c.example/',
      '--add',
      'd.example',
      '--remove',
      '1',
    ]
    expect(await mine.openall([...edit, '--policy', rules])).toEqual({
      code: 0,
      stdout: `${server.origin}/l/${slug} is at version 2.\n`,
      stderr: '',
    })
    expect(await read(slug)).toMatchObject({
      title: 'After',
      urls: [URL_B, 'https://c.example/', 'https://d.example'],
      urlMetadata: [{ note: 'kept' }, {}, {}],
      resolutionPolicy: { rules: [{ name: 'phones' }] },
    })
    const { title, resolutionPolicy } = await mine.json(['edit', slug, '--title', '', '--policy', 'none'])
    expect([title, resolutionPolicy]).toEqual([null, null])
    expect((await mine.openall(['edit', slug, '--remove', URL_B, '--title', ''])).code).toBe(0)
    expect((await read(slug)).urls).toEqual(['https://c.example/', 'https://d.example'])
    expect((await mine.openall(['edit', slug, '--title', ''])).stdout).toBe('Nothing has changed.\n')
    expect((await mine.openall(['edit', slug, '--remove', 'https://nobody.example/'])).code).toBe(2)
    // Links by URL are added to whatever version there is, so both take effect.
    const added = ['https://e.example/', 'https://f.example/']
    const edits = await Promise.all(added.map((url) => mine.openall(['edit', slug, '--add', url])))
    expect(edits.map(({ code }) => code)).toEqual([0, 0])
    expect((await mine.openall(['edit', slug, '--remove', added[0]!, '--dry-run'])).code).toBe(0)
    expect((await mine.openall(['edit', slug, '--remove', 'https://c.example/', '--add', URL_A])).code).toBe(0)
    expect((await read(slug)).urls.toSorted()).toEqual([URL_A, 'https://d.example', ...added])
    const list = mine.write('list.txt', `x | ${URL_A}`)
    expect(await mine.json(['edit', slug, '--list', list])).toMatchObject({
      urls: [URL_A],
      urlMetadata: [{ note: 'X' }],
    })
  })

  test('edit opens the editor named by EDITOR, and sends what changed', async () => {
    const slug = await made({ title: 'Before', urlMetadata: [{ note: 'one' }] })
    const editor = mine.write('editor.sh', `#!/bin/sh\nsed -i -e 's/Before/After/' -e 's/"one"/"two"/' "$2"\n`)
    const { code, stdout } = await mine.openall(['edit', slug], { env: { EDITOR: `${editor} --wait` } })
    expect([code, stdout]).toEqual([0, `${server.origin}/l/${slug} is at version 2.\n`])
    expect(await read(slug)).toMatchObject({ title: 'After', urls: [URL_A, URL_B], urlMetadata: [{ note: 'two' }, {}] })
    const idle = await mine.openall(['edit', slug], { env: { EDITOR: 'true' } })
    expect(idle).toMatchObject({ code: 0, stdout: 'Nothing has changed.\n' })
    const failing = await mine.openall(['edit', slug], { env: { EDITOR: 'false' } })
    expect([failing.code, failing.stderr]).toEqual([2, expect.stringContaining('exited with 1: nothing was sent')])
  })

  test('text written in an editor is kept if it cannot be sent, and no other edit is lost', async () => {
    const slug = await made({ title: 'Before' })
    const faster = `fetch('${server.origin}/api/links/${slug}', { method: 'PATCH', headers: { 'content-type': 'application/json', authorization: 'Bearer ${key}' }, body: '{"title":"Faster"}' })`
    const script = mine.write('faster.mjs', `await ${faster}`)
    const editor = mine.write('editor.sh', `#!/bin/sh\n${process.execPath} ${script}\nsed -i 's/Before/Mine/' "$1"\n`)
    const late = await mine.openall(['edit', slug], { env: { EDITOR: editor } })
    expect(late.code).toBe(5)
    expect((await read(slug)).title).toBe('Faster')
    const [, file = '', version] = /openall edit \w+ --document (\S+) --if-version (\d+)/.exec(late.stderr) ?? []
    expect(version).toBe('1')
    expect(readFileSync(file, 'utf8')).toContain('"Mine"')
    expect(statSync(file).mode & 0o077).toBe(0)
    expect((await mine.openall(['edit', slug, '--document', file, '--if-version', '1'])).code).toBe(5)
    expect((await mine.openall(['edit', slug, '--document', file])).code).toBe(0)
    expect((await read(slug)).title).toBe('Mine')

    const breaking = mine.write('breaking.sh', `#!/bin/sh\necho '{"title": ' > "$1"\n`)
    const broken = await mine.openall(['edit', slug], { env: { EDITOR: breaking } })
    expect(broken.code).toBe(2)
    expect(broken.stderr).toContain('is not JSON')
    expect(existsSync(/--document (\S+)/.exec(broken.stderr)?.[1] ?? '')).toBe(true)
  })

  test('versions are listed, compared and restored', async () => {
    const slug = await made({ title: 'One', urls: [URL_A, URL_B] })
    await mine.json(['edit', slug, '--title', 'Two', '--remove', '2', '--add', 'https://c.example/'])
    const { stdout } = await mine.openall(['versions', slug])
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toMatchObject([
      ['VERSION', 'EDITED (UTC)', 'BY', 'TABS', 'TITLE'],
      ['2', expect.any(String), person.userId, '2', 'Two'],
      ['1', expect.any(String), person.userId, '2', 'One'],
      [''],
    ])
    const { stdout: changes } = await mine.openall(['diff', slug])
    expect(changes.split('\n').slice(2)).toEqual([
      '- title: One',
      '+ title: Two',
      `- ${URL_B}`,
      '+ https://c.example/',
      '',
    ])
    expect((await mine.openall(['diff', slug, '2', '1'])).stdout).toContain('+ title: One')
    expect((await mine.openall(['diff', slug, '7'])).code).toBe(2)
    expect(await mine.json(['diff', slug, '1', '2'])).toMatchObject({
      from: 1,
      to: 2,
      fields: { title: { from: 'One', to: 'Two' } },
      links: [{ kind: 'removed' }, { kind: 'added' }],
      rules: [],
    })
    expect((await mine.openall(['diff', slug, '1', '1'])).stdout).toEndWith('No differences.\n')
    expect((await mine.openall(['restore', slug, '--version', '1'])).stdout).toContain('as version 3')
    expect((await read(slug)).title).toBe('One')
    expect((await mine.openall(['restore', slug, '--version', '1', '--if-version', '1'])).code).toBe(5)
  })

  test('a bundle is deleted and restored', async () => {
    const slug = await made()
    expect((await mine.openall(['delete', slug, '--if-version', '9'])).code).toBe(5)
    const { stdout } = await mine.openall(['delete', slug])
    expect(stdout).toBe(`Deleted ${slug}. To undo: openall restore ${slug}\n`)
    expect((await mine.openall(['show', slug])).code).toBe(4)
    expect((await mine.json(['restore', slug])).slug).toBe(slug)
  })

  test('a link is replaced in all bundles, and before that it is said where', async () => {
    const [from, to] = ['https://replaced.example/', 'https://replacing.example/']
    const { slug } = await person.makeBundle({ urls: [from, `${from}x`] })
    const dry = await mine.openall(['replace', from, to, '--dry-run'])
    expect([dry.code, dry.stdout, dry.stderr]).toEqual([0, `${slug}: 2 places\n`, 'It would change 1 bundle.\n'])
    expect((await read(slug)).urls).toEqual([from, `${from}x`])
    expect(await mine.json(['replace', from, to])).toEqual({
      replaced: [{ slug, versionNumber: 2, places: 2 }],
      skipped: [],
    })
    expect((await read(slug)).urls).toEqual([to, `${to}x`])
    expect((await mine.openall(['replace', from, to])).stderr).toBe('Changed 0 bundles.\n')
    expect((await mine.openall(['replace', from])).code).toBe(2)
  })

  test('a bundle is moved into an organisation, whose members then have it', async () => {
    const { id } = await newOrganization(person)
    await actFor(person, null)
    const [slug, other] = [await made(), await made()]
    const { stdout } = await mine.openall(['transfer', slug, '--to', id])
    expect(stdout).toBe(`${slug} belongs to the organisation now. Its link stays ${server.origin}/l/${slug}\n`)
    const owner = { type: 'organization', organizationId: id }
    expect((await read(slug)).owner).toEqual(owner)
    // The key acts for the person.
    expect((await mine.openall(['show', slug])).code).toBe(3)
    const link = `${server.origin}/l/${other}`
    expect((await mine.json(['transfer', link, '--to', id])).owner).toEqual(owner)
    const third = await made()
    const { code, stderr } = await mine.openall(['transfer', third, '--to', 'o_none'])
    expect([code, stderr]).toEqual([3, expect.stringContaining('not a member of the receiving organisation')])
    const missing = await mine.openall(['transfer', third])
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('--to is missing')])
    expect((await read(third)).owner.type).toBe('user')
  })

  test('a pinned bundle is the first of the list, until it is unpinned', async () => {
    const [slug, later] = [await made(), await made()]
    const first = async () => ((await mine.json(['list', '--limit', '1'])).bundles as { slug: string }[])[0]?.slug
    expect(await first()).toBe(later)
    const { stdout } = await mine.openall(['pin', `${server.origin}/l/${slug}`])
    expect([stdout, await first()]).toEqual([`Pinned ${slug}. To undo: openall unpin ${slug}\n`, slug])
    expect(await mine.json(['pin', slug])).toEqual({ slug, isPinned: true })
    expect((await mine.openall(['unpin', slug])).stdout).toBe(`Unpinned ${slug}.\n`)
    expect([await mine.json(['unpin', slug]), await first()]).toEqual([{ slug, isPinned: false }, later])
    expect((await mine.openall(['pin', 'there-is-none'])).code).toBe(4)
  })

  test('insights are a table with a line of bars, JSON or comma-separated values', async () => {
    const slug = await made({ resolutionPolicy: POLICY })
    const agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile Safari/604.1'
    for (let views = 0; views < 4; views += 1)
      await fetch(`${server.origin}/l/${slug}`, { headers: { 'user-agent': agent } })
    await person.api('POST', `/api/links/${slug}/events`, { kind: 'open_all' }, { 'user-agent': agent })
    const path = `/api/links/${slug}/insights?range=7d`
    const told = async () => (await person.api('GET', path)).body
    await becomes(
      told,
      expect.objectContaining({
        totals: expect.objectContaining({ views: 4, openAllClicks: 1 }),
        breakdowns: expect.objectContaining({ devices: { values: [{ value: 'mobile', views: 4 }], other: 0 } }),
      }),
    )

    const today = new Date().toISOString().slice(0, 10)
    const ofToday = await mine.openall(['insights', slug, '--from', today, '--to', today])
    expect(ofToday.stdout).toContain(`${slug}, ${today} to ${today} (UTC days)`)
    const both = await mine.openall(['insights', slug, '--from', today, '--range', '7d'])
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('not both')])
    const { stdout } = await mine.openall(['insights', slug, '--range', '7d'])
    expect(stdout.replace(/^.*\n/, '')).toBe(
      [
        'views                4  ▁▁▁▁▁▁█',
        'open-all clicks      1  ▁▁▁▁▁▁█',
        'viewers, day by day  1',
        'open rate            25.0 %',
        '7 days before        views: 0, clicks: 0, viewers: 0',
        '',
        'VIEWS  CLICKS  RATE   RULE',
        '4      0       0.0 %  phones',
        '0      1       0.0 %  Fallthrough',
        '',
        'VIEWS  REFERRER',
        '4      (none)',
        '',
        'VIEWS  DEVICE',
        '4      mobile',
        '',
        'VIEWS  LANGUAGE',
        '4      (unknown)',
        '',
      ].join('\n'),
    )
    const answer = await mine.json<{ range: { to: string } }>(['insights', slug, '--range', '7d'])
    const { body } = await person.api<{ range: { to: string } }>('GET', path)
    expect({ ...answer, range: { ...answer.range, to: '' } }).toEqual({ ...body, range: { ...body.range, to: '' } })
    const csv = await person.fetch(`${path}&format=csv`)
    expect((await mine.openall(['insights', slug, '--range', '7d', '--csv'])).stdout).toBe(await csv.text())
    const devices = await mine.openall(['insights', slug, '--csv', '--breakdown', 'devices'])
    expect(devices.stdout).toBe('value,views\r\nmobile,4\r\n')
    expect((await mine.openall(['insights', slug, '--range', '1y'])).code).toBe(2)
    const all = await mine.openall(['insights', '--range', '7d'])
    expect(all.stdout).toContain('All bundles, ')
    expect(all.stdout).toMatch(new RegExp(`\nVIEWS +CLICKS +RATE +SLUG[^]*\n4 +1 +25\\.0 % +${slug}`))
    expect(await mine.json(['insights', '--range', '7d'])).toMatchObject({ totals: { views: expect.any(Number) } })
    expect((await mine.openall(['insights', '--csv'])).code).toBe(2)
    expect((await mine.openall(['insights', slug, '--breakdown', 'devices'])).code).toBe(2)
  })

  test('rules are tested with facts as flags, saved or from a file', async () => {
    const slug = await made({ resolutionPolicy: POLICY })
    const { stdout } = await mine.openall(['policy', 'test', slug, '--device', 'mobile'])
    expect(stdout).toBe(`Matches: phones\n  ${URL_B}\n\n✓ phones\n  ✓ device equals mobile\n`)
    const draft = {
      version: 1,
      rules: [
        {
          name: 'staff',
          when: {
            op: 'and',
            of: [
              { op: 'signedIn' },
              { op: 'in', field: 'query.ref', values: ['x', 'y'] },
              { op: 'exists', field: 'os' },
            ],
          },
          tabs: [{ url: URL_B }],
        },
      ],
    }
    const args = [
      'policy',
      'test',
      slug,
      '--file',
      '-',
      '--email-domain',
      'acme.com',
      '--query',
      'ref=y',
      '--query',
      'a=b=c',
    ]
    const tried = await mine.openall(args, { stdin: JSON.stringify(draft) })
    expect(tried.stdout).toBe(
      `No rule matches. They see the default tabs.\n  ${URL_A}\n  ${URL_B}\n\n✗ staff\n  ✗ and\n    ✓ signedIn\n    ✓ query.ref in x, y\n    ✗ os exists\n`,
    )
    const input = { viewer: { emailDomain: 'acme.com', query: { ref: 'y', a: 'b=c' } }, resolutionPolicy: draft }
    const { body } = await person.api('POST', `/api/links/${slug}/policy/preview`, input)
    const dropIds = (value: unknown) => JSON.parse(JSON.stringify(value).replace(/r_\w{10}/g, 'r_'))
    expect(dropIds(await mine.json(args, { stdin: JSON.stringify(draft) }))).toEqual(dropIds(body))
    expect((await mine.openall(['policy', 'test', slug, '--device', 'watch'])).code).toBe(2)
    expect((await mine.openall(['policy', 'test', slug, '--query', 'x'])).code).toBe(2)
  })

  test('an edit is proposed, listed, shown with its conflicts, accepted with another value, rejected and withdrawn', async () => {
    const { slug } = await person.makeBundle({ title: 'Launch day' })
    const propose = async (...flags: string[]) =>
      (await mine.json<{ id: string; baseVersion: number }>(['propose', slug, ...flags])).id
    const id = await propose('--title', 'Launch week', '--add', 'https://c.example/', '--reason', 'It takes longer.')
    expect((await mine.openall(['proposals', 'list'])).stdout).toMatch(
      new RegExp(`^${id} +${slug} .* open +It takes longer\\.$`, 'm'),
    )
    await person.api('PATCH', `/api/links/${slug}`, { title: 'Launch eve' })
    const shown = (await mine.openall(['proposals', 'show', slug, id])).stdout
    expect(shown).toContain('- title: Launch day\n+ title: Launch week\n+ https://c.example/\n')
    expect(shown).toContain('! Title: now Launch eve, suggested Launch week\n')
    const refused = await mine.openall(['proposals', 'accept', slug, id])
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('both changed Title')])
    const accept = ['proposals', 'accept', slug, id, '--title', 'Launch month', '--note', 'A month it is']
    expect((await mine.openall(accept)).stdout).toContain(`/l/${slug} is at version 3.`)
    expect(await mine.json<object>(['proposals', 'show', slug, id])).toMatchObject({ note: 'A month it is' })
    const [no, mineToo] = [await propose('--title', 'x'), await propose('--remove', '1')]
    expect((await mine.openall(['proposals', 'reject', slug, no, '--note', 'Not yet'])).stdout).toBe(
      `Suggestion ${no} is rejected.\n`,
    )
    expect((await mine.openall(['proposals', 'withdraw', slug, mineToo])).stdout).toBe(
      `Suggestion ${mineToo} is withdrawn.\n`,
    )
    expect((await mine.openall(['propose', slug])).code).toBe(2)
  })

  test('keys are minted, listed and revoked', async () => {
    const args = ['keys', 'create', 'of a test', '--scope', 'links:read', '--scope', 'links:write', '--per-hour', '7']
    const { code, stdout, stderr } = await mine.openall(args)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^oa_\w{12}\.\w{38}\n$/)])
    const [, id = ''] = /openall keys revoke (\d+)/.exec(stderr) ?? []
    const env = { OPENALL_KEY: stdout.trim() }
    expect(await mine.json<{ scopes: string[] }>(['whoami'], { env })).toMatchObject({
      scopes: ['links:read', 'links:write'],
    })
    expect((await mine.openall(['keys', 'list'])).stdout).toMatch(
      new RegExp(`^${id} +oa_\\w{12} +links:read,links:write +7/h .* active +of a test$`, 'm'),
    )
    expect((await mine.openall(['keys', 'revoke', id])).stdout).toBe(`Key ${id} (of a test) is revoked.\n`)
    expect((await mine.openall(['whoami'], { env })).code).toBe(3)
    expect((await mine.openall(['keys', 'create', 'x', '--scope', 'everything'])).code).toBe(2)
  })

  test('login stores a valid key that only its owner can read, for its own server alone', async () => {
    const shell = new Shell(start(), {})
    const file = join(shell.home, '.config/openall/config.json')
    const login = ['login', '--server', `${server.origin}/`]
    expect((await shell.openall(login, { stdin: 'oa_wrong.key' })).code).toBe(3)
    expect(existsSync(file)).toBe(false)
    mkdirSync(join(shell.home, '.config/openall'), { recursive: true })
    writeFileSync(file, '{"keys":{"http://old.example":"oa_old.key"}}')
    chmodSync(file, 0o644)
    const { code, stdout, stderr } = await shell.openall(login, { stdin: `${key}\n` })
    expect([code, stdout]).toEqual([0, `Logged in to ${server.origin} as user ${person.userId}.\n`])
    expect(stdout + stderr).not.toContain(key)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8')).keys['http://old.example']).toBe('oa_old.key')
    expect((await shell.openall(['whoami'])).stdout).toContain(person.userId)

    const asked: (string | null)[] = []
    const other = Bun.serve({
      port: 0,
      fetch(request) {
        asked.push(request.headers.get('authorization'))
        return Response.json({ error: 'Sign in', code: 'UNAUTHORIZED' }, { status: 401 })
      },
    })
    expect((await shell.openall(['whoami', '--server', `http://localhost:${other.port}`])).code).toBe(3)
    other.stop(true)
    expect(asked).toEqual([null])

    const elsewhere = { XDG_CONFIG_HOME: join(shell.home, 'elsewhere') }
    expect((await shell.openall(login, { stdin: key, env: elsewhere })).code).toBe(0)
    expect(statSync(join(shell.home, 'elsewhere/openall/config.json')).mode & 0o777).toBe(0o600)
    expect((await shell.openall(['logout'])).stdout).toBe(`Deleted the key for ${server.origin}.\n`)
    expect((await shell.openall(['whoami'])).code).toBe(3)
    shell.remove()
  })

  test('open passes the tabs to the browser, those marked manual only with --all', async () => {
    const tricky = 'https://a.example/?x=1&y=$(touch%20x);`id`'
    const slug = await made({ urls: [tricky, URL_B], urlMetadata: [{}, { openPolicy: 'manual' }] })
    const log = join(mine.home, 'opened')
    const browser = mine.write('browser.sh', `#!/bin/sh\nprintf '%s\\n' "$1" >> ${log}\n`)
    const opened = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').sort() : [])
    expect(await mine.openall(['open', slug, '--print'])).toEqual({ code: 0, stdout: `${tricky}\n`, stderr: '' })
    expect(existsSync(log)).toBe(false)
    expect((await mine.openall(['open', slug, '--all'], { env: { BROWSER: browser } })).code).toBe(0)
    await becomes(opened, [tricky, URL_B].sort())
    const missing = await mine.openall(['open', slug], { env: { BROWSER: 'no-such-browser' } })
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('set BROWSER')])
    const headless = await mine.openall(['open', slug], { env: { BROWSER: '', DISPLAY: '', WAYLAND_DISPLAY: '' } })
    expect(headless).toEqual({ code: 6, stdout: `${tricky}\n`, stderr: expect.stringContaining('no browser') })
    const theirs = await nobody.openall(['open', slug, '--print'])
    expect(theirs).toEqual({ code: 0, stdout: `${tricky}\n`, stderr: '' })
  })

  test('open fills in what follows the bundle, or its link, and opens nothing until it is right', async () => {
    const urls = ['https://crm.example/{id}', 'https://logs.example/?q={id}&since={range}']
    const id = { name: 'id', label: 'Customer', example: '4711' }
    const slug = await made({ urls, variables: [id, { name: 'range', default: '7d', options: ['7d', '30d'] }] })
    const link = `${server.origin}/l/${slug}`
    const printed = async (...words: string[]) => {
      const { code, stdout, stderr } = await nobody.openall(['open', ...words, '--print'])
      return code === 0 ? stdout.split('\n').slice(0, -1) : [code, stdout, stderr.split('\n')[0]]
    }
    const filled = (id: string, range = '7d') => [
      `https://crm.example/${id}`,
      `https://logs.example/?q=${id}&since=${range}`,
    ]
    expect(await printed(slug, 'a b')).toEqual(filled('a%20b'))
    expect(await printed(slug, 'id=x=y', 'range=30d')).toEqual(filled('x%3Dy', '30d'))
    expect(await printed(slug, 'range=30d', '4711')).toEqual(filled('4711', '30d'))
    expect(await printed(`${link}/4711?range=30d`)).toEqual(filled('4711', '30d'))
    expect(await printed(`${link}?id=1&id=2#x`)).toEqual(filled('1'))
    expect(await printed(`${link}/1?range=30d`, '2', 'range=7d')).toEqual(filled('2'))
    expect(await mine.json(['open', slug, '5', '-p'])).toEqual({ urls: filled('5') })
    const refused: [string[], string][] = [
      [[slug], `${slug} needs id: Customer (such as 4711). To give it: openall open ${slug} id=…`],
      [[slug, '1', 'range=9d'], 'range: Choose one of: 7d, 30d.'],
      [[slug, '..'], 'id: Use another value: with this one, a link would lead elsewhere.'],
      [[slug, '1', 'rang=7d'], `${slug} has no variable rang: it has id, range`],
      [[slug, '1', 'id=2'], 'id is given twice: give it once'],
      [[slug, 'id=1', 'id=2'], 'id is given twice: give it once'],
      [[slug, '1', '2'], 'unexpected argument "2": write it as name=value'],
      [['https://other.example/l/x/1'], `this link leads to https://other.example, not to ${server.origin}`],
    ]
    for (const [words, said] of refused)
      expect([words, await printed(...words)]).toEqual([words, [2, '', expect.stringContaining(`openall: ${said}`)]])
    const plain = await made({ urls: [URL_A] })
    expect(await printed(plain, '4711')).toEqual([2, '', `openall: ${plain} has no variables: leave out "4711"`])
    expect(await printed(plain, 'a=1')).toEqual([2, '', `openall: ${plain} has no variable a, nor any other`])
    expect(await printed('there-is-none', '1')).toEqual([4, '', expect.any(String)])
    const log = join(mine.home, 'not-opened')
    const browser = mine.write('not-opened.sh', `#!/bin/sh\nprintf '%s\\n' "$1" >> ${log}\n`)
    expect((await mine.openall(['open', slug, '..'], { env: { BROWSER: browser } })).code).toBe(2)
    expect(existsSync(log)).toBe(false)
  })

  test('open opens the page where only a browser gets further, with the values', async () => {
    const fields = { urls: ['https://a.example/{id}'], variables: [{ name: 'id' }, { name: 'team', default: 'a' }] }
    const gates = [
      { access: 'members' },
      { access: 'password', password: 'four stairs down' },
      { opensAt: '2099-01-01T00:00:00Z' },
      { closesAt: '2020-01-01T00:00:00Z' },
    ]
    for (const gate of gates) {
      const slug = await made({ ...fields, ...gate })
      const { code, stdout, stderr } = await mine.openall(['open', slug, '47 11', 'team=b', '--print'])
      expect([gate, code, stdout]).toEqual([gate, 0, `${server.origin}/l/${slug}/47%2011?team=b\n`])
      expect(stderr).toContain('This opens its page.')
    }
  })

  test('call reaches every operation by its name', async () => {
    const slug = await made()
    const { body } = await person.api('GET', `/api/links/${slug}`)
    expect(await mine.json(['call', 'get_bundle', JSON.stringify({ slug })])).toEqual(body)
    const input = JSON.stringify({ slug, title: 'Called' })
    expect((await mine.openall(['call', 'update_bundle', '--if-version', '4', '-f', '-'], { stdin: input })).code).toBe(
      5,
    )
    expect(await mine.json(['call', 'update_bundle', '--if-version', '1', '-f', '-'], { stdin: input })).toMatchObject({
      title: 'Called',
    })
    const event = JSON.stringify({ slug, kind: 'open_all' })
    expect(await mine.openall(['call', 'record_event', event])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect((await mine.openall(['call', 'drop_tables'])).code).toBe(2)
  })

  test('each kind of failure has its exit code, says what to do, and prints nothing to standard output', async () => {
    const limited = await mintKey(person, { rateLimitPerHour: 1, scopes: ['links:read'] })
    await new Shell(start(), { OPENALL_URL: server.origin, OPENALL_KEY: limited }).openall(['whoami'])
    const reader = await mintKey(person, { scopes: ['links:read'] })
    const slug = await made()
    const cases: [string[], number, string, Record<string, string>?][] = [
      [['list', '--server', `http://localhost:${freePort()}`], 1, 'cannot be reached'],
      [['lst'], 2, 'there is no command lst: did you mean list?'],
      [['creat'], 2, 'there is no command creat: did you mean create?'],
      [['keys', 'revoce'], 2, 'there is no command keys revoce: did you mean keys revoke?'],
      [['nonsense'], 2, 'there is no command nonsense: it must be one of '],
      [['list', '--lmit', '3'], 2, '--lmit'],
      [['list', '--limit', 'three'], 2, '--limit must be a whole number'],
      [['list', '--limit', '3', '--limit', '4'], 2, '--limit is given 2 times'],
      [['show'], 2, 'SLUG'],
      [['show', slug, slug], 2, 'unexpected argument'],
      [['show', `https://elsewhere.example/l/${slug}`], 2, '--server https://elsewhere.example'],
      [['create', 'ftp://a.example/'], 2, 'urls[0] must be'],
      [['create', 'ftp://a.example/', 'ftp://b.example/'], 2, '\n  urls[1] must be'],
      [['create'], 2, 'no URL was found'],
      [['create', '--file', 'no-such-file'], 2, 'no-such-file cannot be read'],
      [['list', '--server', 'openall.example'], 2, 'must be an http: or https: address'],
      [['whoami'], 3, 'openall login', { OPENALL_KEY: '' }],
      [['delete', slug], 3, 'needs scope links:write', { OPENALL_KEY: reader }],
      [['show', 'no-such-bundle'], 4, 'no bundle with this slug'],
      [['create', URL_A, '--slug', slug], 5, 'slug is taken'],
      [['whoami'], 6, 'Too many requests', { OPENALL_KEY: limited }],
    ]
    for (const [args, code, says, env = {}] of cases) {
      const done = await mine.openall(args, { env })
      expect([args, done.code, done.stdout]).toEqual([args, code, ''])
      expect(done.stderr).toContain(says)
      expect(done.stderr).not.toMatch(/\u001b|^ +at /m)
    }
    const { stderr } = await mine.openall(['show', 'no-such-bundle', '--json'])
    expect(JSON.parse(stderr)).toEqual({ error: NO_BUNDLE, code: 'NOT_FOUND', ...told })
  })
})
