import { expect, setDefaultTimeout, test } from 'bun:test'
import { RUNTIMES, Shell, serveCommand } from '../cli/shell.ts'
import { startInProcess } from '../in-process.ts'
import { isLeftOut } from '../needs.ts'
import { Shell as Bash, blocksOf, pageOf } from './run.ts'

// Starts processes, on a machine that may be busy.
setDefaultTimeout(180_000)

const PAGE = pageOf('sharing.md')

test('the addresses of the page fill in the home page', async () => {
  const server = await startInProcess()
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
  await server.stop()
})

test.each(RUNTIMES)('its file is applied as it says, on %s', async (_, start) => {
  // A service for each: a slug that was deleted stays taken.
  const { server, person, key } = await serveCommand()
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
  shell.remove()
  await server.stop()
})

test.skipIf(isLeftOut('curl'))('the changes of a bundle without a feed come as it says', async () => {
  const { server, person, key } = await serveCommand()
  const { slug } = await person.makeBundle({ title: 'Before', access: 'members' })
  await person.api('PATCH', `/api/links/${slug}`, { title: 'After' })
  const bash = new Bash()
  const asked = await bash.run(blocksOf(PAGE, 'sh')[1] ?? '', { OPENALL: server.origin, SLUG: slug, KEY: key })
  expect([asked.code, asked.errors]).toEqual([0, ''])
  const { events } = JSON.parse(asked.output) as { events: { type: string; target: { slug: string } }[] }
  expect(events.map(({ type, target }) => [type, target.slug])).toEqual([['bundle.updated', slug]])
  bash.remove()
  await server.stop()
})

test.skipIf(isLeftOut('curl'))('a calendar comes again on the days that it says', async () => {
  const { server, person } = await serveCommand()
  const { slug } = await person.makeBundle({ title: 'Morning checks' })
  const bash = new Bash()
  const asked = await bash.run(blocksOf(PAGE, 'sh')[2] ?? '', { OPENALL: server.origin, SLUG: slug })
  const rules = ['RRULE:FREQ=WEEKLY;WKST=MO;BYDAY=MO,WE', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=-1']
  expect([asked.code, asked.errors, asked.output.trim().split(/\s+/)]).toEqual([0, '', rules])
  bash.remove()
  await server.stop()
})

test.skipIf(isLeftOut('curl', 'jq'))('another link and another slug are given as it says', async () => {
  const { server, person, key } = await serveCommand()
  await person.makeBundle({ slug: 'launch-day' })
  const bash = new Bash()
  const { code, errors, output } = await bash.run(blocksOf(PAGE, 'sh')[3] ?? '', { OPENALL: server.origin, KEY: key })
  expect([code, errors, output]).toEqual([0, '', `launch\nlaunch-2026\n${server.origin}/l/liftoff\n`])
  const { body } = await person.api<{ aliases: string[] }>('GET', '/api/links/launch-day')
  expect(body.aliases).toEqual(['launch', 'launch-2026', 'launch-day'])
  bash.remove()
  await server.stop()
})
