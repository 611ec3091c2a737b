import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { RUNTIMES, Shell, serveCommand } from '../cli/shell.ts'
import type { Person } from '../people.ts'
import type { Server } from '../server.ts'
import { blocksOf, pageOf } from './run.ts'

// Starts processes, on a machine that may be busy.
setDefaultTimeout(180_000)

const PAGE = pageOf('sharing.md')

let server: Server
let person: Person
let key: string
beforeAll(async () => {
  ;({ server, person, key } = await serveCommand())
})
afterAll(() => server.stop())

test('the addresses of the page fill in the home page', async () => {
  const [text = ''] = blocksOf(PAGE, 'text')
  const [, other = ''] = /`(\/\?title=[^`]+)`/.exec(PAGE) ?? []
  const filled = async (path: string) => {
    const html = await (await fetch(server.origin + path)).text()
    return /<textarea\s+id="urls"[^>]*>\s*([^<]*)</.exec(html)?.[1]
  }
  expect(await filled(text.trim().replace('https://go.example.com', ''))).toBe(
    'Agenda https://example.com/agenda\nhttps://example.com/board',
  )
  expect(await filled(other)).toBe('Agenda https://example.com/agenda')
})

test.each(RUNTIMES)('its file is applied as it says, on %s', async (_, start) => {
  const shell = new Shell(start(), { OPENALL_URL: server.origin, OPENALL_KEY: key })
  shell.write('bundles.yaml', blocksOf(PAGE, 'yaml')[0] ?? '')
  const lines = (blocksOf(PAGE, 'sh')[0] ?? '').trim().split('\n')
  expect(lines).toHaveLength(2)
  const run = async (line = '') => {
    const { code, stdout, stderr } = await shell.openall(line.split(' ').slice(1))
    expect([line, code, code === 0 ? '' : stderr]).toEqual([line, 0, ''])
    return stdout
  }
  const exists = async () => (await person.api('GET', '/api/links/on-call')).status === 200
  await run(lines[0])
  expect(await exists()).toBe(false)
  await run(lines[1])
  expect(await exists()).toBe(true)
  expect(await run(lines[1])).toContain('Nothing to change.')
  await person.api('DELETE', '/api/links/on-call')
  shell.remove()
})
