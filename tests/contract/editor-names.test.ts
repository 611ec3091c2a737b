import { beforeAll, expect, test } from 'bun:test'
import { fieldsOf, multipart } from '../form.ts'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { unescaped } from './html.ts'

// Names in braces in the links of the editor, without a script.

type Fields = [string, string][]

const LINK = 'https://grafana.example/d/{service}'

onEveryTarget({}, (at) => {
  let owner: Person
  /** The editor of a copy. */
  let anew: string
  beforeAll(async () => {
    owner = await newPerson(at())
    anew = `/dashboard/links/new?from=${(await owner.makeBundle({ urls: ['https://a.example/'] })).slug}`
  })
  const formIn = (html: string): Fields => fieldsOf(html, 'editor')
  const formAt = async (path: string) => formIn(await (await owner.fetch(path)).text())
  const post = async (path: string, fields: Fields, button = 'save') => {
    const answer = await owner.fetch(path, { method: 'POST', ...multipart([...fields, ['do', button]]) })
    const html = await answer.text()
    return { status: answer.status, html, fields: formIn(html), location: answer.headers.get('location') ?? '' }
  }
  const typed = (fields: Fields, name: string, value: string, row = 0): Fields => {
    let seen = -1
    return fields.map(([own, was]) => [own, own === name && ++seen === row ? value : was])
  }
  const withLink = async (path: string, url: string) => typed(await formAt(path), 'url', url)
  const saysIn = (html: string) =>
    [...html.split('<template')[0]!.matchAll(/<code>([^<]*)<\/code>([^<]*)[\s\S]*?<\/p>/g)].map(
      ([whole, name, says]) => `${name}${says}${/<span>([^<]*)<\/span><\/button>/.exec(whole)?.[1] ?? ''}`,
    )
  const names = (fields: Fields) => fields.filter(([name]) => name === 'variables.name').map(([, value]) => value)
  const contentOf = async (slug: string) =>
    (await owner.api<{ urls: string[]; variables: { name: string; label?: string }[] }>('GET', `/api/links/${slug}`))
      .body
  const slugIn = (location: string) => /links\/([\w-]+)/.exec(location)?.[1] ?? ''
  const FILLED = '{service} is filled in by whoever opens it.Keep as text'
  const PLAIN = '{service} stays text.Make it a variable'

  test('a name typed into a copy is a variable at once, with its label as a word, and is saved as one', async () => {
    const shown = await post(anew, await withLink(anew, LINK), 'refresh')
    expect([saysIn(shown.html), names(shown.fields)]).toEqual([[FILLED], ['service']])
    expect(shown.html).toContain('name="variables.label" value="" autocomplete="off" placeholder="Service"')
    const made = await post(anew, shown.fields)
    expect(await contentOf(slugIn(made.location))).toMatchObject({ urls: [LINK], variables: [{ name: 'service' }] })
    // Also without a look at it before.
    const other = await post(anew, await withLink(anew, 'grafana.example/{order_id}'))
    expect(await contentOf(slugIn(other.location))).toMatchObject({
      urls: ['https://grafana.example/{order_id}'],
      variables: [{ name: 'order_id' }],
    })
  })

  test('a pasted one is, too', async () => {
    const paste = typed(await formAt(anew), 'more', `Dashboard ${LINK}\nRunbook https://b.example/{part}`)
    const { html, fields } = await post(anew, paste, 'paste')
    expect([saysIn(html), names(fields)]).toEqual([
      [FILLED, '{part} is filled in by whoever opens it.Keep as text'],
      ['service', 'part'],
    ])
  })

  test('kept as text, it stays text until it is made a variable after all', async () => {
    const shown = await post(anew, await withLink(anew, LINK), 'refresh')
    const kept = await post(anew, shown.fields, 'plain-service')
    expect([saysIn(kept.html), names(kept.fields)]).toEqual([[PLAIN], []])
    const still = await post(anew, typed(kept.fields, 'title', 'Grafana'), 'add')
    expect([saysIn(still.html), names(still.fields)]).toEqual([[PLAIN], []])
    const again = await post(anew, still.fields, 'declare-{service}')
    expect([saysIn(again.html), names(again.fields)]).toEqual([[FILLED], ['service']])
    const made = await post(anew, still.fields)
    expect(await contentOf(slugIn(made.location))).toMatchObject({ urls: [LINK], variables: [] })
  })

  test('what was typed into its row comes back, and a removed row stays removed', async () => {
    const shown = await post(anew, await withLink(anew, LINK), 'refresh')
    const labelled = typed(shown.fields, 'variables.label', 'System')
    const kept = await post(anew, labelled, 'plain-service')
    const again = await post(anew, kept.fields, 'declare-{service}')
    expect(again.fields).toContainEqual(['variables.label', 'System'])
    expect(names(again.fields)).toEqual(['service'])
    const gone = await post(anew, shown.fields, 'forget-1')
    expect([saysIn(gone.html), names(gone.fields)]).toEqual([[PLAIN], []])
    expect(names((await post(anew, gone.fields, 'refresh')).fields)).toEqual([])
  })

  test('it goes with its link, unless somebody has typed more about it', async () => {
    const shown = await post(anew, await withLink(anew, LINK), 'refresh')
    const other = typed(shown.fields, 'url', 'https://grafana.example/{services}')
    expect(names((await post(anew, other, 'refresh')).fields)).toEqual(['services'])
    const labelled = typed(other, 'variables.label', 'System')
    expect(names((await post(anew, labelled, 'refresh')).fields)).toEqual(['service', 'services'])
    const removed = await post(anew, shown.fields, 'remove-1')
    expect(names(removed.fields)).toEqual([])
    expect(names((await post(anew, removed.fields, 'back-1')).fields)).toEqual(['service'])
  })

  test('a bundle that has it as text is not changed, but offers it', async () => {
    const { slug } = await owner.makeBundle({ urls: [LINK], variables: [] })
    const path = `/dashboard/links/${slug}`
    const html = await (await owner.fetch(path)).text()
    expect([saysIn(html), names(formIn(html))]).toEqual([[PLAIN], []])
    const titled = typed(formIn(html), 'title', 'Grafana')
    expect((await post(path, titled)).status).toBe(303)
    expect(await contentOf(slug)).toMatchObject({ urls: [LINK], variables: [] })
    // What is typed now is a variable, and the text beside it stays.
    const both = await post(path, typed(await formAt(path), 'url', `${LINK}?of={part}`), 'refresh')
    expect([saysIn(both.html), names(both.fields)]).toEqual([
      [PLAIN, '{part} is filled in by whoever opens it.Keep as text'],
      ['part'],
    ])
    const made = await post(path, both.fields, 'declare-{service}')
    expect((await post(path, made.fields)).status).toBe(303)
    expect(await contentOf(slug)).toMatchObject({ variables: [{ name: 'part' }, { name: 'service' }] })
    // A saved variable needs no explanation, and a copy keeps text as text.
    expect(saysIn(await (await owner.fetch(path)).text())).toEqual([])
    const plain = await owner.makeBundle({ urls: [LINK], variables: [] })
    const copy = await post(anew, await formAt(`/dashboard/links/new?from=${plain.slug}`))
    expect(await contentOf(slugIn(copy.location))).toMatchObject({ urls: [LINK], variables: [] })
  })

  test('a sixth stays text, and is said', async () => {
    const shown = await post(anew, await withLink(anew, 'https://a.example/{a}/{b}/{c}/{d}/{e}/{f}'), 'refresh')
    expect([names(shown.fields), saysIn(shown.html).at(-1)]).toEqual([
      ['a', 'b', 'c', 'd', 'e'],
      '{f} stays text: a link has at most 5 variables.',
    ])
    const kept = await post(anew, shown.fields, 'plain-a')
    expect(names(kept.fields)).toEqual(['b', 'c', 'd', 'e', 'f'])
  })

  test('the %s of a bookmark is offered, and one press makes it a variable', async () => {
    const shown = await post(anew, await withLink(anew, 'https://www.google.example/search?q=%s'), 'refresh')
    expect([saysIn(shown.html), names(shown.fields)]).toEqual([['%s can be filled in by whoever opens it.'], []])
    const taken = await post(anew, shown.fields, 'declare-%s')
    expect(names(taken.fields)).toEqual(['query'])
    const made = await post(anew, taken.fields)
    expect(await contentOf(slugIn(made.location))).toMatchObject({
      urls: ['https://www.google.example/search?q={query}'],
      variables: [{ name: 'query' }],
    })
  })

  test('a check that finds one answers with the whole form, and any other with its parts', async () => {
    const check = async (fields: Fields) => {
      const { body, headers } = multipart([...fields, ['do', 'check']])
      const asked = { ...headers, 'hx-request': 'true', 'hx-request-type': 'partial', 'hx-target': 'div#check' }
      return (await owner.fetch(anew, { method: 'POST', body, headers: asked })).text()
    }
    const found = await check(await withLink(anew, LINK))
    expect([found.includes('id="editor"'), names(formIn(found))]).toEqual([true, ['service']])
    expect((await check(formIn(found))).includes('id="editor"')).toBe(false)
  })

  test('the form of a proposal and the preview treat it alike', async () => {
    const { slug } = await owner.makeBundle({ urls: ['https://a.example/'] })
    const path = `/dashboard/links/${slug}/suggest`
    const shown = await post(path, await withLink(path, LINK), 'refresh')
    expect([saysIn(shown.html), names(shown.fields)]).toEqual([[FILLED], ['service']])
    const preview = await owner.fetch('/dashboard/links/new/preview', {
      method: 'POST',
      ...multipart([...(await withLink(anew, LINK))]),
    })
    expect(unescaped(await preview.text())).toContain('Service')
  })
})
