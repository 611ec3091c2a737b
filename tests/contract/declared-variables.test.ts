import { expect, test } from 'bun:test'
import { newPerson } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// A name in braces in a link is a variable as soon as a bundle is made of it, through whichever door.

const LINK = 'https://grafana.example/d/{service}'

interface Made {
  slug: string
  variables?: { name: string }[]
  notes?: string[]
}

onEveryTarget({}, (server) => {
  const post = async (body: object, path = '/api/links') => {
    const answer = await fetch(`${server().origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Made }
  }
  const tabsOf = async (slug: string, value: string) => {
    const answer = await fetch(`${server().origin}/l/${slug}/${value}`, { headers: { accept: 'application/json' } })
    return { status: answer.status, text: await answer.text() }
  }

  test('a name in braces in path, query or fragment is a variable, and the answer says so', async () => {
    const { status, body } = await post({ urls: [LINK, 'https://b.example/?q={order_id}#{part}'] })
    expect([status, body.variables]).toEqual([201, [{ name: 'service' }, { name: 'order_id' }, { name: 'part' }]])
    expect(body.notes?.[0]).toBe('{service} is a variable: send variables: [] to keep it as text')
    const only = await post({ urls: [LINK] })
    const launched = await tabsOf(only.body.slug, 'checkout')
    expect([launched.status, launched.text]).toEqual([
      200,
      expect.stringContaining('https://grafana.example/d/checkout'),
    ])
  })

  test('an empty list keeps all as text, and so is what means something to others', async () => {
    const plain = await post({ urls: [LINK], variables: [] })
    expect([plain.status, plain.body.variables, plain.body.notes]).toEqual([201, undefined, undefined])
    expect((await tabsOf(plain.body.slug, 'checkout')).status).toBe(404)
    const others = [
      'https://a.example/{{x}}',
      'https://a.example/$' + '{y}',
      'https://{host}.example/',
      'https://a.example/{A}',
    ]
    expect((await post({ urls: others })).body.variables).toBeUndefined()
  })

  test('a sixth stays text, and is said', async () => {
    const { body } = await post({ urls: ['https://a.example/{a}/{b}/{c}', 'https://b.example/{d}/{e}/{f}'] })
    expect(body.variables?.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(body.notes?.at(-1)).toBe('{f} stays text: a bundle has at most 5 variables')
  })

  test('a bundle that is put declares them, and one that is edited does not', async () => {
    const owner = await newPerson(server())
    const put = () => owner.api<Made & { versionNumber: number }>('PUT', '/api/links/ext:incident', { urls: [LINK] })
    expect((await put()).body).toMatchObject({ variables: [{ name: 'service' }] })
    expect((await put()).body).toMatchObject({ versionNumber: 1 })
    const own = await owner.api<Made>('POST', '/api/links', { urls: ['https://a.example/'] })
    const edited = await owner.api<Made>('PATCH', `/api/links/${own.body.slug}`, { urls: [LINK] })
    expect([edited.status, edited.body.variables]).toEqual([200, []])
  })
})
