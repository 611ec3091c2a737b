import { expect, test } from 'bun:test'
import { fieldsIn } from '../form.ts'
import { onEveryTarget } from '../targets.ts'
import { unescaped } from './html.ts'
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

  test('a link with a name in braces is asked about once: two presses make it a variable', async () => {
    const asked = await send(await home(), { urls: TEXT, title: 'Customer {customer}' })
    expect([asked.status, offersIn(asked.html)]).toEqual([200, [['{customer}', 'Make {customer} a variable?']]])
    const [, named] = /press “([^”]*)”/.exec(asked.html) ?? []
    const [, button] = /class="primary">([^<]*)</.exec(asked.html) ?? []
    expect([named, button]).toEqual(['Get the link as it is', 'Get the link as it is'])
    const { html } = await send(asked.html, {}, 'declare-{customer}')
    const { urls, title, ...stored } = await made(html)
    expect([urls, title]).toEqual([
      ['https://crm.example/{customer}', 'https://logs.example/?c={customer}#{{x}}'],
      'Customer {customer}',
    ])
    expect(stored).toMatchObject({ variables: [{ name: 'customer' }] })
  })

  test('pressed again, the link is made as it is', async () => {
    const asked = await send(await home(), { urls: TEXT })
    const { html } = await send(asked.html, {})
    expect(await made(html)).toMatchObject({
      variables: [],
      urls: [expect.stringContaining('{customer}'), expect.anything()],
    })
  })

  test('what is found while typing offers it, and then it is two presses as well', async () => {
    const found = await post('/found', [
      ['urls', TEXT],
      ['listed', 'yes'],
    ])
    expect(offersIn(found.html)).toEqual([['{customer}', 'Make {customer} a variable?']])
    // As the script puts it into the page.
    const page = (await home()).replace(/<div id="found">/, found.html)
    const declared = await send(page, { urls: TEXT }, 'declare-{customer}')
    expect([declared.status, offersIn(declared.html)]).toEqual([200, []])
    expect(fieldsIn(declared.html)).toContainEqual(['declared', 'customer'])
    const { html } = await send(declared.html, {})
    expect(await made(html)).toMatchObject({ variables: [{ name: 'customer' }] })
    expect(
      offersIn(
        (
          await post('/found', [
            ['urls', TEXT],
            ['listed', 'yes'],
            ['declared', 'customer'],
          ])
        ).html,
      ),
    ).toEqual([])
  })

  test('a variable can be left as text again, and one whose links are gone is not made', async () => {
    const asked = await send(await home(), { urls: `${TEXT}\nhttps://b.example/{ID}` })
    expect(offersIn(asked.html).map(([written]) => written)).toEqual(['{customer}', '{ID}'])
    const one = await send(asked.html, {}, 'declare-{ID}')
    expect(unescaped(fieldsIn(one.html).find(([name]) => name === 'urls')?.[1] ?? '')).toContain(
      'https://b.example/{id}',
    )
    const both = await send(one.html, {}, 'declare-{customer}')
    // Something was left to be asked when the first was taken, and nothing after the second.
    expect(await made(both.html)).toMatchObject({ variables: [{ name: 'id' }, { name: 'customer' }] })
    const left = await send(one.html, {}, 'leave-id')
    expect(fieldsIn(left.html).filter(([name]) => name === 'declared')).toEqual([])
    const listed = await send(one.html, { urls: 'https://c.example/', idempotencyKey: 'another' })
    const gone = await send(listed.html, {})
    expect(await made(gone.html)).toMatchObject({ variables: [], urls: ['https://c.example/'] })
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

  test('links full of names and thousands of declared variables are read at once', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `{v${at}}`).join('')
    // A link may have ten placeholders, and a bundle five variables.
    const few = `https://few.example/${names(10)}`
    const many = Array.from({ length: 24 }, (_, at) => `https://many-${at}.example/${'{a}'.repeat(640)}`)
    const typed: [string, string][] = [['urls', [few, ...many].join('\n')]]
    const found = await post('/found', [...typed, ['listed', 'yes']])
    expect(offersIn(found.html).map(([written]) => written)).toEqual(['{v0}', '{v1}', '{v2}', '{v3}', '{v4}'])
    const declared = Array.from({ length: 9000 }, (_, at): [string, string] => ['declared', `w${at}`])
    const asked = await post('/', [...typed, ...declared])
    expect(fieldsIn(asked.html).filter(([name]) => name === 'declared')).toEqual(declared.slice(0, 5))
    const { html } = await post('/', [...fieldsIn(asked.html), ...declared])
    expect(await made(html)).toMatchObject({ variables: [], urls: [few, ...many] })
  })
})
