import { expect, test } from 'bun:test'
import { askPath, backTo, newApp, newProof, REDIRECT } from '../oauth.ts'
import { newPerson, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf } from './html.ts'

/** Where the links of a page lead. */
const linksIn = (html: string) =>
  elementsOf(html).flatMap(({ tag, attributes }) => (tag === 'a' ? [attributes.href ?? ''] : []))

const LOCAL = 'http://127.0.0.1:7777/callback'

// Apps of all tests share an address.
onEveryTarget({ SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000' }, (at) => {
  const { challenge } = newProof()
  const wrong: [Record<string, string | null>, string][] = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'everything' }, 'invalid_scope'],
    [{ resource: 'https://evil.example/api/mcp' }, 'invalid_target'],
    [{ code_challenge: null }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ request_uri: 'https://evil.example/' }, 'request_not_supported'],
  ]

  test('an app that is known and asks for what it cannot have is told why, once its user presses the way back', async () => {
    const person = await newPerson(at())
    const clientId = await newApp(at())
    for (const [more, error] of wrong) {
      const path = askPath(clientId, challenge, { ...more, state: 'a&b=c' })
      for (const answer of [await person.fetch(path), await person.form(path, { decision: 'connect', subject: '' })]) {
        expect([more, answer.status, backTo(answer), answer.headers.get('location')]).toEqual([more, 400, null, null])
        const html = await answer.text()
        const link = linksIn(html).find((href) => href.startsWith(REDIRECT)) ?? ''
        const said = Object.fromEntries(new URL(link).searchParams)
        expect([more, said]).toEqual([
          more,
          { error, error_description: expect.stringMatching(/\.$/), state: 'a&b=c', iss: at().origin },
        ])
      }
    }
  })

  test('a program on the user’s own computer is told at once', async () => {
    const person = await newPerson(at())
    const clientId = await newApp(at(), { redirect_uris: [LOCAL, 'com.example.app:/back'] })
    for (const [more, error] of wrong) {
      const answer = await person.fetch(askPath(clientId, challenge, { ...more, redirect_uri: LOCAL }))
      expect([more, answer.status, backTo(answer)?.searchParams.get('error')]).toEqual([more, 400, error])
    }
    // Another program may be what the system opens for a scheme.
    const scheme = await person.fetch(
      askPath(clientId, challenge, { scope: 'x', redirect_uri: 'com.example.app:/back' }),
    )
    expect([scheme.status, backTo(scheme)]).toEqual([400, null])
  })

  test('nobody is led anywhere who is signed out, nor for an app or an address that is not known', async () => {
    const clientId = await newApp(at(), { redirect_uris: [LOCAL] })
    const local = { redirect_uri: LOCAL, scope: 'x' }
    const person = await newPerson(at())
    for (const answer of [
      await new Visitor(at()).fetch(askPath(clientId, challenge, local)),
      await person.fetch(askPath('nobody', challenge, local)),
      await person.fetch(askPath(clientId, challenge, { ...local, redirect_uri: 'http://127.0.0.1:7777/other' })),
      await person.fetch(`${askPath(clientId, challenge, local)}&state=twice`),
    ]) {
      expect([answer.status, backTo(answer), answer.headers.get('location')]).toEqual([400, null, null])
      expect(linksIn(await answer.text()).filter((href) => href.includes('7777'))).toEqual([])
    }
  })
})
