import { expect, test } from 'bun:test'
import { fieldsIn } from '../form.ts'
import { onEveryTarget } from '../targets.ts'
import { storedBundle } from './support.ts'

// Variables of a bundle that is made without an account, without a script.

const TEXT = 'CRM | https://crm.example/{customer}\nhttps://logs.example/?c={customer}#{{x}}'

onEveryTarget({}, (server) => {
  const post = async (path: string, fields: [string, string][]) => {
    const answer = await fetch(`${server().origin}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    return { status: answer.status, url: answer.url, html: await answer.text() }
  }
  /** Sends the home page’s form as a browser would, with another text or by another button. */
  const send = async (page: string, typed: Record<string, string>, button?: string) => {
    const fields = fieldsIn(page).map(([name, value]): [string, string] => [name, typed[name] ?? value])
    return post('/', button === undefined ? fields : [...fields, ['do', button]])
  }
  const home = async () => (await fetch(server().origin)).text()
  const offersIn = (html: string) =>
    [...html.matchAll(/value="declare-([^"]*)"[^>]*>([^<]*)</g)].map(([, written, says]) => [written, says])
  const made = (html: string) => storedBundle(server(), /\/l\/([a-z0-9]{10})"/.exec(html)?.[1] ?? '')

  const saysIn = (html: string) =>
    [...html.matchAll(/<p class="hint said"><span><code>([^<]*)<\/code>([^<]*)/g)].map(
      ([, name, says]) => `${name}${says}`,
    )

  test('a name in braces is a variable: the list says so, and the next press makes it', async () => {
    const listed = await send(await home(), { urls: TEXT, title: 'Customer {customer}' })
    expect([listed.status, offersIn(listed.html), saysIn(listed.html)]).toEqual([
      200,
      [],
      ['{customer} is filled in by whoever opens it.'],
    ])
    const { html } = await send(listed.html, {})
    const { urls, title, ...stored } = await made(html)
    expect([urls, title]).toEqual([
      ['https://crm.example/{customer}', 'https://logs.example/?c={customer}#{{x}}'],
      'Customer {customer}',
    ])
    expect(stored).toMatchObject({ variables: [{ name: 'customer' }] })
    expect(html).toContain('<form class="fill" method="get"')
  })

  test('it can be kept as text, and made a variable after all', async () => {
    const listed = await send(await home(), { urls: TEXT })
    const kept = await send(listed.html, {}, 'plain-customer')
    expect(saysIn(kept.html)).toEqual(['{customer} stays text.'])
    expect(fieldsIn(kept.html)).toContainEqual(['plain', 'customer'])
    expect(await made((await send(kept.html, {})).html)).toMatchObject({ variables: [] })
    const again = await send(kept.html, {}, 'declare-{customer}')
    expect(saysIn(again.html)).toEqual(['{customer} is filled in by whoever opens it.'])
  })

  test('what is found while typing says the same', async () => {
    const found = await post('/found', [
      ['urls', TEXT],
      ['listed', 'yes'],
    ])
    expect(saysIn(found.html)).toEqual(['{customer} is filled in by whoever opens it.'])
    const plain = await post('/found', [
      ['urls', TEXT],
      ['listed', 'yes'],
      ['do', 'plain-customer'],
    ])
    expect(saysIn(plain.html)).toEqual(['{customer} stays text.'])
    expect(plain.html).toContain('<input type="hidden" name="plain" value="customer"')
    // As the script puts it into the page.
    const page = (await home()).replace(/<div id="found">/, found.html)
    const { html } = await send(page, { urls: TEXT })
    expect(await made(html)).toMatchObject({ variables: [{ name: 'customer' }] })
  })

  test('what is written otherwise than a variable is offered, and what is gone is not made', async () => {
    const asked = await send(await home(), { urls: `${TEXT}\nhttps://b.example/{ID}` })
    expect(offersIn(asked.html)).toEqual([['{ID}', 'Make it {id}']])
    const [, button] = /class="primary">([^<]*)</.exec(asked.html) ?? []
    expect(button).toBe('Get the link as it is')
    const { html } = await send(asked.html, {}, 'declare-{ID}')
    const [crm, logs] = ['https://crm.example/{customer}', 'https://logs.example/?c={customer}#{{x}}']
    expect(await made(html)).toMatchObject({
      variables: [{ name: 'customer' }, { name: 'id' }],
      urls: [crm, logs, 'https://b.example/{id}'],
    })
    const listed = await send(asked.html, { urls: 'https://c.example/', idempotencyKey: 'another' })
    expect(await made((await send(listed.html, {})).html)).toMatchObject({
      variables: [],
      urls: ['https://c.example/'],
    })
    const asIs = await send(await home(), { urls: `${TEXT}\nhttps://b.example/{ID}` })
    expect(await made((await send(asIs.html, {})).html)).toMatchObject({ variables: [{ name: 'customer' }] })
  })

  test('the %s of a bookmark with a keyword is offered in its row, and one press makes it a variable', async () => {
    const search = 'Search %s, 50%sure | https://www.google.example/search?q=%s&x=%20s'
    const listed = await send(await home(), { urls: `Wiki | https://a.example/\n${search}` })
    expect([saysIn(listed.html), offersIn(listed.html)]).toEqual([
      ['%s can be filled in by whoever opens it.'],
      [['%s', 'Make it {query}']],
    ])
    expect(listed.html.split('<li class="found-row').findIndex((row) => row.includes('declare-%s'))).toBe(2)
    const { html } = await send(listed.html, {}, 'declare-%s')
    expect(await made(html)).toMatchObject({
      urls: ['https://a.example/', 'https://www.google.example/search?q={query}&x=%20s'],
      urlMetadata: [{ note: 'Wiki' }, { note: 'Search {query}, 50%sure' }],
      variables: [{ name: 'query' }],
    })
    const again = await send(await home(), { urls: search, idempotencyKey: 'as it is' })
    expect(await made((await send(again.html, {})).html)).toMatchObject({ variables: [] })
  })

  test('neither a host nor braces that mean something to others are offered', async () => {
    const text = [
      'https://{region}.example/',
      'https://a.example/{{x}}',
      'https://a.example/$' + '{y}',
      'https://a.example/{lang}',
      'https://a.example/{1}',
    ]
    const listed = await send(await home(), { urls: text.join('\n') })
    expect(offersIn(listed.html)).toEqual([])
    const { html } = await send(listed.html, {})
    expect(await made(html)).toMatchObject({ variables: [], urls: text })
  })

  test('links full of names and thousands of names kept as text are read at once', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `{v${at}}`).join('')
    // A link may have ten placeholders, and a bundle five variables.
    const few = `https://few.example/${names(10)}`
    const many = Array.from({ length: 24 }, (_, at) => `https://many-${at}.example/${'{a}'.repeat(640)}`)
    const typed: [string, string][] = [['urls', [few, ...many].join('\n')]]
    const found = await post('/found', [...typed, ['listed', 'yes']])
    expect(saysIn(found.html)).toEqual([
      ...[0, 1, 2, 3, 4].map((at) => `{v${at}} is filled in by whoever opens it.`),
      ...[5, 6, 7, 8, 9].map((at) => `{v${at}} stays text: a link has at most 5 variables.`),
    ])
    const plain = Array.from({ length: 9000 }, (_, at): [string, string] => ['plain', `w${at}`])
    const asked = await post('/', [...typed, ...plain])
    expect(fieldsIn(asked.html).filter(([name]) => name === 'plain')).toEqual([])
    const { html } = await post('/', [...fieldsIn(asked.html), ...plain])
    expect(await made(html)).toMatchObject({
      variables: [0, 1, 2, 3, 4].map((at) => ({ name: `v${at}` })),
      urls: [few, ...many],
    })
  })
})
