import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Content } from '../../db/schema.ts'
import {
  CONTENT,
  GUARDED_NAMES,
  inWords,
  isScalar,
  LISTED_NAMES,
  NAMES,
  NOTHING,
  PROPOSABLE_NAMES,
  PUBLIC_NAMES,
  pick,
  SCALAR_NAMES,
  type ScalarName,
  TEXT_NAMES,
  textOf,
} from '../../src/bundles/content/content.ts'
import {
  LINK_NAMES,
  linkField,
  linkText,
  PUBLIC_LINK_NAMES,
  publicMarksOf,
} from '../../src/bundles/links/link-fields.ts'
import { wholeVariable } from '../../src/bundles/variables/variables.ts'
import { RUNTIMES, Shell } from '../cli/shell.ts'
import { contentOf, WHOLE } from '../every-field.ts'
import { confirmImport, fieldsOf, multipart } from '../form.ts'
import { actFor, newOrganization, newPerson, type Person, Visitor } from '../people.ts'
import { mintKey } from '../sdk/support.ts'
import { onEveryTarget } from '../targets.ts'

// No field of a bundle or of a link is lost on any of the ways that content takes. All of this is over the tables of fields.

type Fields = (readonly [string, string])[]

/** What viewers read of a field that is for them: a switch says so only if it is on. */
function readOf(name: ScalarName): string {
  const field = CONTENT[name]
  const value = WHOLE[name] as Content[ScalarName]
  return field.kind === 'switch' ? (value ? field.says : '') : inWords(name, textOf(value))
}

onEveryTarget({}, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const made = async (content: object = WHOLE) => (await owner.makeBundle({ ...content })).slug
  /** The fields of the editor's form on a page. */
  const formAt = async (path: string): Promise<Fields> => {
    const html = await (await owner.fetch(path)).text()
    return fieldsOf(html, 'editor')
  }
  const send = async (path: string, fields: Fields) => {
    const answer = await owner.fetch(path, { method: 'POST', ...multipart(fields) })
    if (answer.status !== 303) throw new Error(`${path} was refused: ${answer.status} ${await answer.text()}`)
    return answer.headers.get('location') ?? ''
  }
  const titled = (fields: Fields, title: string): Fields =>
    fields.map(([name, value]) => [name, name === 'title' ? title : value])

  test('the bundle of these tests has every field, and none has its default', () => {
    expect(Object.keys(WHOLE).sort()).toEqual([...NAMES].sort())
    for (const name of SCALAR_NAMES) expect([name, WHOLE[name]]).not.toEqual([name, NOTHING[name]])
    const [first = {}] = WHOLE.urlMetadata as Record<string, unknown>[]
    expect(Object.keys(first).sort()).toEqual([...LINK_NAMES].sort())
  })

  test('what was created is what is read, listed, searched and exported', async () => {
    const slug = await made()
    expect(await contentOf(owner, slug)).toEqual(WHOLE)
    const { body } = await owner.api<{ bundles: Record<string, unknown>[] }>('GET', '/api/me/links')
    expect(pick(LISTED_NAMES, body.bundles.find((bundle) => bundle.slug === slug) as typeof WHOLE)).toEqual(
      pick(LISTED_NAMES, WHOLE),
    )
    const [first = {}] = WHOLE.urlMetadata as Record<string, string>[]
    const texts = [
      ...TEXT_NAMES.map((name) => WHOLE[name] as string),
      ...LINK_NAMES.filter((name) => ['text', 'tags'].includes(linkField(name).kind)).map(
        (name) => [first[name]].flat()[0],
      ),
    ]
    for (const text of texts) {
      const [q = ''] = text?.split('\n') ?? []
      const found = await owner.api<{ bundles: { slug: string }[] }>('GET', `/api/me/links?q=${encodeURIComponent(q)}`)
      expect([q, found.body.bundles.map((bundle) => bundle.slug)]).toEqual([q, expect.arrayContaining([slug])])
    }
  })

  describe('the editor', () => {
    test('saves another title and nothing else', async () => {
      const slug = await made()
      const path = `/dashboard/links/${slug}`
      await send(path, titled(await formAt(path), 'Another'))
      expect(await contentOf(owner, slug)).toEqual({ ...WHOLE, title: 'Another' })
    })

    test('has a control for every field, and leaves one as it is that a form lacks', async () => {
      // Only a bundle of an organisation can be listed.
      await actFor(owner, (await newOrganization(owner)).id)
      const slug = await made()
      await actFor(owner, null)
      const path = `/dashboard/links/${slug}`
      const fields = await formAt(path)
      const ofVariables = Object.keys(wholeVariable({ name: '' })).map((name) => `variables.${name}`)
      const names: readonly string[] = [...SCALAR_NAMES, ...LINK_NAMES, ...ofVariables]
      expect(names.filter((name) => !fields.some(([own]) => own === name))).toEqual([])
      for (const name of names) {
        const changed = titled(await formAt(path), `Without ${name}`)
        await send(
          path,
          changed.filter(([own]) => own !== name),
        )
        const now = await contentOf(owner, slug)
        expect([name, { ...now, title: '' }]).toEqual([name, { ...WHOLE, title: '' }])
      }
    })

    test('copies them', async () => {
      const slug = await made()
      const copied = await send('/dashboard/links/new', await formAt(`/dashboard/links/new?from=${slug}`))
      const copy = /links\/(\w+)/.exec(copied)?.[1] ?? ''
      expect(await contentOf(owner, copy)).toEqual({ ...WHOLE, listed: false, title: `${WHOLE.title} (copy)` })
    })
  })

  describe('a proposal', () => {
    const proposable = pick(
      NAMES.filter((name) => !GUARDED_NAMES.some((guarded) => guarded === name)),
      WHOLE,
    )
    const propose = async (slug: string, changes: object) => {
      const { status, body } = await owner.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, changes)
      expect([status, body]).toEqual([201, expect.anything()])
      return `/links/${slug}/proposals/${body.id}`
    }
    const accept = async (path: string) => {
      const { status, body } = await owner.api('POST', `/api${path}/accept`, {})
      expect([status, body]).toEqual([200, expect.anything()])
    }

    test('of every field changes each, in its difference and when it is accepted', async () => {
      const slug = await made({ urls: WHOLE.urls })
      const path = await propose(slug, proposable)
      const { body } = await owner.api<{ difference: { fields: object; links: { changes: object }[] } }>(
        'GET',
        `/api${path}`,
      )
      expect(Object.keys(body.difference.fields).sort()).toEqual([...PROPOSABLE_NAMES].sort())
      expect(Object.keys(body.difference.links[0]?.changes ?? {}).sort()).toEqual([...LINK_NAMES].sort())
      await accept(path)
      expect(await contentOf(owner, slug)).toEqual({ ...WHOLE, ...pick(GUARDED_NAMES, NOTHING) })
    })

    test('of one field leaves the others, also onto a newer version', async () => {
      const slug = await made()
      const [first = {}, ...others] = WHOLE.urlMetadata as object[]
      const one = { title: 'Another', urlMetadata: [{ ...first, note: 'Another' }, ...others] }
      const path = await propose(slug, one)
      await owner.api('PATCH', `/api/links/${slug}`, { urls: [...(WHOLE.urls as string[]), 'https://four.example/'] })
      await accept(path)
      const now = await contentOf(owner, slug)
      expect(now).toEqual({ ...WHOLE, ...one, urls: now.urls, urlMetadata: [...one.urlMetadata, {}] })
    })

    test('suggested in the form, and edited before it is accepted, loses none', async () => {
      const slug = await made()
      const path = `/dashboard/links/${slug}/suggest`
      const proposal = (await send(path, titled(await formAt(path), 'Suggested'))).split('?')[0] ?? ''
      await send(`${proposal}/edit`, titled(await formAt(`${proposal}/edit`), 'Edited'))
      expect(await contentOf(owner, slug)).toEqual({ ...WHOLE, title: 'Edited' })
    })
  })

  describe('a file', () => {
    const imported = async (text: string) => {
      const first = await owner.form('/dashboard/links/import', { text })
      return confirmImport(owner, await first.text(), text)
    }
    const exported = async (slug: string, end: string) =>
      (await owner.fetch(`/dashboard/links/${slug}/export.${end}`)).text()

    test('exported and imported as JSON keeps every field', async () => {
      const slug = await made()
      expect(await contentOf(owner, await imported(await exported(slug, 'json')))).toEqual(WHOLE)
    })

    test('of all data keeps every field', async () => {
      const person = owner
      owner = await newPerson(at())
      const slug = await made()
      const all = await (await owner.fetch('/api/me/export')).text()
      const copy = await imported(all)
      expect(copy).not.toBe(slug)
      expect(await contentOf(owner, copy)).toEqual(WHOLE)
      owner = person
    })

    test('exported and imported as CSV keeps every field of a link', async () => {
      const slug = await imported(await exported(await made(), 'csv'))
      const { body } = await owner.api<typeof WHOLE>('GET', `/api/links/${slug}`)
      expect(pick(['urls', 'urlMetadata'], body)).toEqual(pick(['urls', 'urlMetadata'], WHOLE))
    })
  })

  test('a copy of one’s own has every field but its place on a start page, and a viewer’s has what viewers see', async () => {
    const slug = await made()
    const own = await owner.api<{ slug: string }>('POST', `/api/links/${slug}/duplicate`, {})
    expect(await contentOf(owner, own.body.slug)).toEqual({ ...WHOLE, listed: false })
    const open = await made({ ...WHOLE, access: 'link', copyable: true })
    const viewer = await newPerson(at())
    const theirs = await viewer.api<{ slug: string }>('POST', `/api/links/${open}/duplicate`, {})
    const { body } = await viewer.api<typeof WHOLE>('GET', `/api/links/${theirs.body.slug}`)
    expect(pick(PUBLIC_NAMES, body)).toEqual(pick(PUBLIC_NAMES, WHOLE))
  })

  test('a restored version has every field', async () => {
    const slug = await made()
    const { urls: _, ...cleared } = NOTHING
    await owner.api('PATCH', `/api/links/${slug}`, { ...cleared, urls: ['https://other.example/'] })
    const { status } = await owner.api('POST', `/api/links/${slug}/versions/1/restore`)
    expect([status, await contentOf(owner, slug)]).toEqual([200, WHOLE])
  })

  test('viewers see every field that is for them, on the page, as JSON and as Markdown', async () => {
    const slug = await made({ ...WHOLE, access: 'link' })
    const read = async (path: string) => (await new Visitor(at()).fetch(path)).text()
    const { tabs, ...json } = JSON.parse(await read(`/l/${slug}.json`)) as Record<string, unknown>
    const [first] = tabs as object[]
    const [metadata = {}] = WHOLE.urlMetadata as Record<string, string>[]
    expect(first).toEqual({ url: (WHOLE.urls as string[])[0], ...pick(PUBLIC_LINK_NAMES, metadata) })
    expect(json).toMatchObject(pick(PUBLIC_NAMES.filter(isScalar), WHOLE))
    const shown = [
      ...SCALAR_NAMES.filter((name) => CONTENT[name].isPublic).map(readOf),
      ...publicMarksOf(metadata),
      ...['text', 'tags']
        .flatMap((kind) => LINK_NAMES.filter((name) => linkField(name).kind === kind))
        .map((name) => linkText(metadata[name] ?? '')),
    ].flatMap((text) => text.split('\n')[0]?.split(',')[0] ?? [])
    const [page, markdown] = [await read(`/l/${slug}`), (await read(`/l/${slug}.md`)).replaceAll('\\', '')]
    for (const text of shown) {
      expect(page.toLowerCase()).toContain(text.toLowerCase())
      expect(markdown.toLowerCase()).toContain(text.toLowerCase())
    }
  })

  describe('the command', () => {
    let shell: Shell
    beforeAll(async () => {
      const [[, start] = ['', () => []]] = RUNTIMES
      shell = new Shell(start(), { OPENALL_URL: at().origin, OPENALL_KEY: await mintKey(owner) })
    })
    afterAll(() => shell.remove())

    test('edits another title, and nothing else, in an editor and with a flag', async () => {
      const slug = await made()
      const editor = shell.write('editor.sh', `#!/bin/sh\nsed -i 's/"title": ".*"/"title": "Another"/' "$1"\n`)
      expect(await shell.openall(['edit', slug], { env: { EDITOR: editor } })).toMatchObject({ code: 0 })
      expect(await contentOf(owner, slug)).toEqual({ ...WHOLE, title: 'Another' })
      expect(await shell.openall(['edit', slug, '--title', 'A third'])).toMatchObject({ code: 0 })
      expect(await contentOf(owner, slug)).toEqual({ ...WHOLE, title: 'A third' })
    })

    test('sends a whole document to another bundle, and creates and imports from an export', async () => {
      const slug = await made()
      const copier = shell.write('copier.sh', '#!/bin/sh\ncp "$1" document.json\n')
      await shell.openall(['edit', slug], { env: { EDITOR: copier } })
      // A rule's id belongs to its bundle.
      const document = (await Bun.file(`${shell.home}/document.json`).text()).replace(/"id": "r_\w+",/, '')
      const other = await made({ urls: ['https://other.example/'] })
      const sent = await shell.openall(['edit', other, '--document', shell.write('sent.json', document)])
      expect(sent).toMatchObject({ code: 0, stderr: '' })
      expect(await contentOf(owner, other)).toEqual(WHOLE)
      const file = shell.write('export.json', await (await owner.fetch(`/dashboard/links/${slug}/export.json`)).text())
      const plan = await shell.json<{ bundles: { slug: string }[] }>(['import', file])
      expect(await contentOf(owner, plan.bundles[0]?.slug ?? '')).toEqual(WHOLE)
    })
  })
})
