import { expect, test } from 'bun:test'
import { fieldsIn } from '../form.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf, unescaped } from './html.ts'
import { countBundles, storedBundle, submit } from './support.ts'

// What is pasted on the home page is listed before anything is published; here without a script.

const CHAT = `Hi all, reading for Monday:
[10:02] Dana Reyes: morning! agenda is here https://a.example/agenda, please read
[10:03] Sam: https://b.example/board?x=1&y=2
[10:05] Dana Reyes: design files: https://c.example/d
[10:06] Sam: https://a.example/agenda
see you`
const [A, B, C] = ['https://a.example/agenda', 'https://b.example/board?x=1&y=2', 'https://c.example/d']

/** The rows of a list: address, title, and whether it is left out. */
function rowsIn(html: string) {
  const fields = fieldsIn(html)
  const all = (name: string) => fields.flatMap(([field, value]) => (field === name ? [value] : []))
  const removed = all('removed')
  return all('url').map((url, at) => [url, all('note')[at], ...(removed.includes(url) ? ['removed'] : [])])
}

const textOf = (html: string, name: string) => fieldsIn(html).find(([field]) => field === name)?.[1]

onEveryTarget({}, (server) => {
  /** Presses a button of a page, after something was typed into its fields: texts by name, titles by address. */
  const press = (html: string, { button, titles = {}, ...texts }: Typed = {}) => {
    let url = ''
    const fields = fieldsIn(html).map(([name, value]): [string, string] => {
      if (name === 'url') url = value
      return [name, name === 'note' ? (titles[url] ?? value) : ((texts as Record<string, string>)[name] ?? value)]
    })
    return submit(server(), button === undefined ? fields : [...fields, ['do', button]])
  }
  interface Typed {
    button?: string
    titles?: Record<string, string>
    urls?: string
    title?: string
  }
  const home = async () => (await fetch(server().origin)).text()
  const paste = async (urls: string) => press(await home(), { urls })
  const stored = (html: string) => storedBundle(server(), /\/l\/([a-z0-9]{10})"/.exec(html)?.[1] ?? '')

  test('a first press shows what was found and stores nothing, a second publishes exactly that', async () => {
    const before = await countBundles(server())
    const list = await paste(CHAT)
    expect([list.status, await countBundles(server())]).toEqual([200, before])
    expect(rowsIn(list.html)).toEqual([
      [A, 'Agenda'],
      [B, ''],
      [C, 'Design files'],
    ])
    expect(textOf(list.html, 'title')).toBe('Reading for Monday')
    expect(textOf(list.html, 'urls')?.replaceAll('\r', '')).toBe(CHAT)
    expect(list.html).toContain('3 / 25')
    expect(unescaped(list.html)).toContain('3 links found, 1 line without a link, 1 duplicate left out')
    expect(unescaped(list.html)).toContain('Nothing is published yet')
    const { html } = await press(list.html, {
      titles: { [B]: 'The <board> & "more"', [A]: '' },
      title: 'Ours',
    })
    expect(await stored(html)).toMatchObject({
      title: 'Ours',
      urls: [A, B, C],
      urlMetadata: [{}, { note: 'The <board> & "more"' }, { note: expect.any(String) }],
    })
    expect(await countBundles(server())).toBe(before + 1)
  })

  test('a link is left out, and put back, with what was typed', async () => {
    const list = await paste(CHAT)
    const out = await press(list.html, { button: `remove-${B}`, titles: { [B]: 'Board', [C]: 'Files' } })
    expect(rowsIn(out.html)).toEqual([
      [A, 'Agenda'],
      [B, 'Board', 'removed'],
      [C, 'Files'],
    ])
    expect([out.status, out.html.includes('2 / 25')]).toEqual([200, true])
    expect(unescaped(out.html)).toContain('3 links found, 1 removed')
    const { html } = await press(out.html)
    expect(await stored(html)).toMatchObject({ urls: [A, C], urlMetadata: [{ note: 'Agenda' }, { note: 'Files' }] })
    const back = await press(out.html, { button: `back-${B}` })
    expect(rowsIn(back.html)[1]).toEqual([B, 'Board'])
    const focused = elementsOf(back.html).filter(({ attributes }) => 'autofocus' in attributes)
    expect(focused.map(({ attributes }) => [attributes.name, attributes.value])).toEqual([['note', 'Board']])
  })

  test('what is typed into the text later is listed too before it is published, and rows keep what was typed', async () => {
    const list = await paste(`Notes | https://n.example/\nhttps://o.example/`)
    const typed = {
      titles: { 'https://o.example/': 'Typed' },
      urls: 'Our notes | https://n.example/\no.example p.example',
    }
    const more = await press(list.html, typed)
    expect([more.status, rowsIn(more.html)]).toEqual([
      200,
      [
        // Its title has not been touched, so it follows the text; the other has another address now.
        ['https://n.example/', 'Our notes'],
        ['https://o.example', ''],
        ['https://p.example', ''],
      ],
    ])
    const same = await press(list.html, {
      ...typed,
      urls: 'Our notes | https://n.example/\nhttps://o.example/ p.example',
    })
    expect(rowsIn(same.html).slice(0, 2)).toEqual([
      ['https://n.example/', 'Our notes'],
      ['https://o.example/', 'Typed'],
    ])
    const { html } = await press(more.html)
    expect((await stored(html)).urls).toEqual(['https://n.example/', 'https://o.example', 'https://p.example'])
  })

  test('a title that was cleared stays empty, and one that was not typed follows the text', async () => {
    const list = await paste(CHAT)
    const cleared = await press(list.html, { title: '', button: `remove-${B}` })
    expect(textOf(cleared.html, 'title')).toBe('')
    expect((await stored((await press(cleared.html)).html)).title).toBeNull()
    const other = await press(list.html, { urls: CHAT.replace('Monday', 'Tuesday'), button: `remove-${B}` })
    expect(textOf(other.html, 'title')).toBe('Reading for Tuesday')
  })

  test('of 27 links two are removed, and the rest is published', async () => {
    const urls = Array.from({ length: 27 }, (_, n) => `https://a.example/${n}`)
    const list = await paste(urls.join('\n'))
    expect([list.status, list.html.includes('27 / 25'), rowsIn(list.html).length]).toEqual([400, true, 27])
    expect(unescaped(list.html)).toContain('That’s 27 links; the limit is 25. Remove 2.')
    const one = await press(list.html, { button: `remove-${urls[3]}` })
    expect([one.status, unescaped(one.html)]).toEqual([200, expect.stringContaining('That’s 26 links')])
    const two = await press(one.html, { button: `remove-${urls[9]}` })
    expect(unescaped(two.html)).not.toContain('the limit is 25')
    const { html } = await press(two.html)
    expect((await stored(html)).urls).toEqual(urls.filter((_, n) => n !== 3 && n !== 9))
  })

  test('of a very long list nothing is published that was not shown', async () => {
    const urls = Array.from({ length: 130 }, (_, n) => `https://a.example/${n}`)
    let page = await paste(urls.join('\n'))
    expect(rowsIn(page.html)).toHaveLength(100)
    expect(unescaped(page.html)).toContain('Listed here are the first 100.')
    const removed = urls.slice(0, 105).map((url): [string, string] => ['removed', url])
    page = await submit(server(), [...fieldsIn(page.html), ...removed])
    expect([page.status, rowsIn(page.html).length]).toEqual([200, 130])
    expect((await stored((await press(page.html)).html)).urls).toEqual(urls.slice(105))
  })

  test('of links that were left out, a form brings back a thousand', async () => {
    const urls = Array.from({ length: 2000 }, (_, n) => `https://a.example/${n}`)
    const removed = urls.slice(1).map((url): [string, string] => ['removed', url])
    const page = await submit(server(), [['urls', urls.join('\n')], ...removed])
    expect([page.status, rowsIn(page.html).length]).toEqual([200, 1000])
    expect(/[\d ]+links found, \d+ removed/.exec(page.html)?.[0]).toBe('2000 links found, 1999 removed')
  })

  test('a title that is too long is reported beside it, and nothing is lost', async () => {
    const list = await paste(CHAT)
    const { status, html } = await press(list.html, { titles: { [C]: 'x'.repeat(501), [A]: 'Kept' } })
    expect(status).toBe(400)
    const [wrong, ...others] = elementsOf(html).filter(({ attributes }) => attributes['aria-invalid'] === 'true')
    expect([wrong?.attributes.value, others]).toEqual(['x'.repeat(501), []])
    const id = wrong?.attributes['aria-describedby'] ?? 'none'
    expect(html).toContain(`id="${id}">This must be at most 500 characters.<`)
    expect(rowsIn(html)[0]).toEqual([A, 'Kept'])
    expect((await press(html, { titles: { [C]: 'Short' } })).html).toContain('/claim/')
  })

  test('what is listed while typing says nothing of a second step', async () => {
    const body = new URLSearchParams({ urls: CHAT, listed: 'yes', wanted: 'yes' })
    const html = await (await fetch(`${server().origin}/found`, { method: 'POST', body })).text()
    expect([rowsIn(html).length, html.includes('published'), html.includes('autofocus')]).toEqual([3, false, false])
  })

  test('Enter publishes: the first button of the form neither removes nor changes anything', async () => {
    const { html } = await paste(CHAT)
    const form = html.slice(html.indexOf('<form'))
    const [first] = elementsOf(form).filter(({ tag }) => tag === 'button')
    expect(first?.attributes).toEqual({ type: 'submit', hidden: '' })
  })

  test('sections and tags of what was pasted are published with titles that were typed', async () => {
    const list = await paste('# Week\n## One\n- [A](https://a.example/)\n## Two\n- https://b.example/')
    const { html } = await press(list.html, { titles: { 'https://b.example/': 'B' } })
    expect(await stored(html)).toMatchObject({
      title: 'Week',
      urlMetadata: [
        { note: 'A', section: 'One' },
        { note: 'B', section: 'Two' },
      ],
    })
  })

  test('plain headings between links are sections: shown above their rows, and published', async () => {
    const week = (number: number) => `Week ${number}\nhttps://a.example/${number}\nhttps://b.example/${number}`
    const list = await paste(`Coral reefs\n\n${week(1)}\n\n${week(2)}`)
    expect(textOf(list.html, 'title')).toBe('Coral reefs')
    expect([...list.html.matchAll(/<h3 dir="auto">([^<]*)</g)].map(([, name]) => name)).toEqual(['Week 1', 'Week 2'])
    expect(unescaped(list.html)).not.toContain('without a link')
    const [one, two] = [{ section: 'Week 1' }, { section: 'Week 2' }]
    expect(await stored((await press(list.html)).html)).toMatchObject({
      title: 'Coral reefs',
      urlMetadata: [one, one, two, two],
    })
  })

  test('a plain first line is the title, and what stands behind a link joins no title', async () => {
    const list = await paste(`On call\ngrafana ${A} (password in 1Password)\ngit clone ${C}`)
    expect(textOf(list.html, 'title')).toBe('On call')
    expect(rowsIn(list.html)).toEqual([
      [A, 'Grafana'],
      [C, ''],
    ])
    expect(await stored((await press(list.html)).html)).toMatchObject({
      title: 'On call',
      urls: [A, C],
      urlMetadata: [{ note: 'Grafana' }, {}],
    })
  })

  test('a text as long as a form takes is listed and published, whatever the list adds to it', async () => {
    const line = `${'y'.repeat(90)} https://a.example/?${'z'.repeat(60)}`
    const links = Array.from({ length: 25 }, (_, n) => `${line}${n}`).join('\n')
    const text = `${links}\n${'word '.repeat(1 + (255 * 1024 - links.length) / 5)}`
    const list = await paste(text)
    expect([list.status, rowsIn(list.html).length]).toEqual([200, 25])
    expect((await press(list.html)).html).toContain('/claim/')
    const longer = await paste(`${text}${'word '.repeat(1000)}`)
    expect(longer.status).toBe(413)
    const found = await fetch(`${server().origin}/found`, {
      method: 'POST',
      body: new URLSearchParams([...fieldsIn(list.html), ['listed', 'yes']]),
    })
    expect([found.status, rowsIn(await found.text()).length]).toEqual([200, 25])
  })
})
