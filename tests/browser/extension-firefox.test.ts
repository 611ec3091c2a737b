import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { becomes, eventually } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { isLeftOut } from '../needs.ts'
import { newPerson, type Person } from '../people.ts'
import type { Server } from '../server.ts'
import { builtExtension } from './extension.ts'
import { startFirefox } from './firefox.ts'
import type { Viewer } from './viewer.ts'

describe.skipIf(isLeftOut('Firefox'))('the extension in Firefox', () => {
  let server: Server
  let firefox: Awaited<ReturnType<typeof startFirefox>>
  let person: Person
  let viewer: Viewer
  let pages: string
  beforeAll(async () => {
    server = await startInProcess()
    person = await newPerson(server)
    firefox = await startFirefox()
    pages = await firefox.install(join(await builtExtension(), 'firefox'))
    viewer = await firefox.open(server.origin, { popups: 'as-is' })
    for (const [name, value] of person.cookies)
      await viewer.read(`document.cookie = ${JSON.stringify(`${name}=${value}; path=/`)}`)
    await viewer.goTo(`${pages}options.html`)
  }, 180_000)
  afterAll(async () => {
    await firefox?.stop()
    await server?.stop()
  })

  const text = (selector: string) =>
    viewer.read<string>(`document.querySelector(${JSON.stringify(selector)}).innerText`)

  const addresses = async () => [
    await viewer.read('location.href'),
    ...((await viewer.readInOthers?.('location.href')) ?? []),
  ]

  test('somebody allows the address, signs in in the window of the browser, and finds a bundle from the address bar', async () => {
    await person.makeBundle({
      title: 'Launch & <b>day</b>',
      urls: [`${server.origin}/docs`, `${server.origin}/new`],
    })
    await viewer.fill('#address', server.origin)
    await viewer.click('button[value=account]')
    expect(await firefox.allow()).toContain('Access your data for sites in localhost')
    await eventually(async () => {
      // The window closes by itself, perhaps in the middle of this.
      await viewer.readInOthers?.("document.querySelector('button[value=connect]')?.click()").catch(() => {})
      return (await text('#said')).includes('Connected to')
    }, 'the extension is connected')
    expect(await text('.instance .state')).toBe('Signed in')
    const rows = await firefox.typeInBar('oa launch')
    await becomes(
      async () => (await rows()).some((row) => row.includes('Open all: Launch & <b>day</b> (2 links)')),
      true,
    )
    await firefox.enter()
    await becomes(async () => (await addresses()).includes(`${server.origin}/docs`), true)
  }, 180_000)
})
