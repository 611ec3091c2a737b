import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { URL_A, Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { packCommand, RUNTIMES, Shell } from './shell.ts'

setDefaultTimeout(180_000)

let server: Server
beforeAll(async () => {
  await packCommand()
  server = await startInProcess()
})
afterAll(() => server.stop())

describe.each(RUNTIMES)('openall admin on %s', (name, start) => {
  test(name.startsWith('Node') ? 'says where it works' : 'takes a bundle down and puts it up again', async () => {
    const shell = new Shell(start(), { DATABASE_URL: `file:${server.database}` })
    const { slug } = await new Visitor(server).makeBundle({ urls: [URL_A] })
    const blocked = await shell.openall(['admin', 'block', slug, 'phishing', '--json'])
    if (name.startsWith('Node')) {
      expect([blocked.code, blocked.stderr]).toEqual([1, expect.stringContaining('where the service is installed')])
    } else {
      expect([blocked.code, JSON.parse(blocked.stdout)]).toEqual([0, { blocked: slug }])
      await becomes(async () => (await fetch(`${server.origin}/l/${slug}`)).status, 451)
      expect((await shell.openall(['admin', 'unblock', slug])).code).toBe(0)
      const nonsense = await shell.openall(['admin', 'nonsense'])
      expect([nonsense.code, nonsense.stderr]).toEqual([2, expect.stringContaining('there is no command nonsense')])
      expect((await shell.openall(['admin'])).stdout).toContain('backup')
    }
    shell.remove()
  })
})
