import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Shell as Command, RUNTIMES, serveCommand } from '../cli/shell.ts'
import { becomes } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { isLeftOut } from '../needs.ts'
import { freePort } from '../ports.ts'
import { blocksOf, pageOf, Shell } from './run.ts'

// Starts processes, on a machine that may be busy.
setDefaultTimeout(180_000)

const PAGE = pageOf('go-links.md')
const [golink = '', applied = '', trotto = ''] = blocksOf(PAGE, 'sh')

test.skipIf(isLeftOut('caddy'))('its proxy leads the short name to the real one, with its settings', async () => {
  const settings = Object.fromEntries(
    (blocksOf(PAGE, 'env')[0] ?? '')
      .trim()
      .split('\n')
      .map((line) => line.split('=')),
  )
  const server = await startInProcess(settings)
  const port = await freePort()
  const shell = new Shell()
  const block = (blocksOf(PAGE, 'caddy')[0] ?? '').replace('http://go, http://go.corp.example', `http://:${port}`)
  const file = join(shell.home, 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n}\n${block}`)
  const env = { PATH: process.env.PATH ?? '', HOME: shell.home, UPSTREAM: server.origin.replace(/^.*:/, '127.0.0.1:') }
  const listening = `localhost:${new URL(server.origin).port}`
  const caddy = Bun.spawn(['caddy', 'run', '--adapter', 'caddyfile', '--config', file], {
    env: { ...env, UPSTREAM: listening },
    stdout: 'ignore',
    stderr: 'ignore',
  })
  try {
    const ask = (path: string, method = 'GET') =>
      fetch(`http://localhost:${port}${path}`, { method, redirect: 'manual', headers: { host: 'go' } })
    await becomes(async () => (await ask('/launch').catch(() => null))?.status ?? 0, 308)
    const led = await ask('/launch?x=1')
    expect(led.headers.get('location')).toBe('https://go.corp.example/launch?x=1')
    expect((await ask('/launch', 'POST')).status).toBe(421)
  } finally {
    caddy.kill()
    await caddy.exited
    shell.remove()
    await server.stop()
  }
})

test.skipIf(isLeftOut('jq')).each(RUNTIMES.slice(0, 1))(
  'links of golink and Trotto become bundles as it says, on %s',
  async (_, start) => {
    const { server, person, key } = await serveCommand()
    const bash = new Shell()
    writeFileSync(
      join(bash.home, 'golink.jsonl'),
      `${[
        { Short: 'Wiki', Long: 'https://wiki.example/{{.Path}}', Owner: 'ada@acme.example' },
        { Short: 'board', Long: 'https://b.example/board' },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n')}\n`,
    )
    writeFileSync(
      join(bash.home, 'trotto.json'),
      JSON.stringify([{ shortpath: 'drive/%s', destination_url: 'https://drive.example/?q=%s' }]),
    )
    const command = new Command(start(), { OPENALL_URL: server.origin, OPENALL_KEY: key })
    for (const [script, name] of [
      [golink, 'golink.yaml'],
      [trotto, 'trotto.yaml'],
    ] as const) {
      const { code, errors } = await bash.run(`cd "$HOME"\n${script}`, {})
      expect([code, errors]).toEqual([0, ''])
      command.write(name, readFileSync(join(bash.home, name), 'utf8'))
    }
    const lines = [...applied.trim().split('\n'), 'openall apply trotto.yaml']
    for (const line of lines) {
      const { code, stderr } = await command.openall(line.split(' ').slice(1))
      expect([line, code, code === 0 ? '' : stderr]).toEqual([line, 0, ''])
    }
    const tabs = async (path: string) => {
      const answer = await person.fetch(`/l/${path}`, { headers: { accept: 'application/json' } })
      return ((await answer.json()) as { tabs: { url: string }[] }).tabs.map(({ url }) => url)
    }
    expect(await tabs('wiki/start')).toEqual(['https://wiki.example/start'])
    expect(await tabs('board')).toEqual(['https://b.example/board'])
    expect(await tabs('drive/plan')).toEqual(['https://drive.example/?q=plan'])
    command.remove()
    bash.remove()
    await server.stop()
  },
)
