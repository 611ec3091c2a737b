import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import type { Person } from '../people.ts'
import type { Server } from '../server.ts'
import { kindsOfWay } from './engines.ts'
import { type At, button, signedIn } from './journey.ts'

// Somebody who leaves the editor before saving: on a reload browsers fill in fields themselves, each its own way.

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(300_000)

let server: Server
beforeAll(async () => {
  server = await startInProcess()
})
afterAll(() => server.stop())

describe.each(kindsOfWay('WebKit'))('$name', (kind) => {
  let at: At
  let owner: Person
  let leave: () => Promise<void>
  beforeAll(async () => {
    ;({ at, owner, leave } = await signedIn(kind, server, 'kept'))
  })
  afterAll(() => leave?.())

  const isKept = (text: string) =>
    at.viewer.read<boolean>(`JSON.stringify(Object.entries(localStorage)).includes(${JSON.stringify(text)})`)
  const titleNow = async () => (await at.values('#title'))[0]
  const type = async (title: string) => {
    await at.fill('#title', title)
    await becomes(() => isKept(title), true)
  }
  const open = async (title: string) => {
    const { slug } = await owner.makeBundle({ title })
    await at.open(`/dashboard/links/${slug}`)
  }

  test('a reload while something is unsaved shows what is saved, and offers the rest', async () => {
    await open('Before the reload')
    await type('Typed and reloaded')
    await at.viewer.reload()
    await at.has('#kept')
    expect(await titleNow()).toBe('Before the reload')
    await at.click(button('Restore'))
    await becomes(titleNow, 'Typed and reloaded')
    await at.click(button('Save'))
    await at.sees('Saved · View version 2')
    expect(await isKept('Typed and reloaded')).toBe(false)
  })
})
