import { expect, test } from 'bun:test'
import { newPerson } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const PRELOADED =
  /<link rel="preload" href="(\/static\/display\.[0-9a-f]{8}\.woff2)" as="font" type="font\/woff2" crossorigin/

onEveryTarget({}, (server) => {
  test('the face of headings is the service’s own, cached for good, and fetched early where it is used', async () => {
    const person = await newPerson(server())
    const { url } = await person.makeBundle()
    const home = await (await fetch(server().origin)).text()
    const [, address = ''] = PRELOADED.exec(home) ?? []
    expect(PRELOADED.exec(await (await person.fetch('/dashboard')).text())?.[1]).toBe(address)
    const answer = await fetch(server().origin + address)
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'font/woff2',
      'public, max-age=31536000, immutable',
    ])
    expect(new TextDecoder().decode((await answer.bytes()).slice(0, 4))).toBe('wOF2')
    expect(answer.headers.get('content-encoding')).toBeNull()

    const [, styles = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(home) ?? []
    expect(await (await fetch(server().origin + styles)).text()).toContain(`url("${address}")`)
    const launcher = await (await fetch(url)).text()
    expect(launcher).not.toContain('woff2')
    const [, own = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(launcher) ?? []
    expect(await (await fetch(server().origin + own)).text()).not.toContain('@font-face')
  })
})
