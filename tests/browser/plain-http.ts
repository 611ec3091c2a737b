import { expect } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { freePort } from '../ports.ts'
import { startDestinations } from './destinations.ts'
import { PLAIN_HOST } from './firefox.ts'
import { becomes } from './launching.ts'
import { createBundle } from './service.ts'
import type { Engine, Viewer } from './viewer.ts'

interface Scene {
  viewer: Viewer
  destinations: ReturnType<typeof startDestinations>
  /** Of the launcher. */
  url: string
}

/** Opens a launcher of three links that comes over plain http, from a name that browsers give no rights to. */
export async function visitPlainly(
  engine: Engine,
  popups: 'as-is' | 'allowed',
  look: (scene: Scene) => Promise<void>,
): Promise<void> {
  const port = String(freePort())
  const authority = `${PLAIN_HOST}:${port}`
  const server = await startInProcess({ PORT: port, SERVICE_BASE_URL: `http://${authority}` })
  const destinations = startDestinations()
  const bundle = { urls: destinations.urls(3) }
  const { url } = await createBundle(server.origin, bundle, { host: authority })
  const viewer = await engine.open(url, { popups })
  try {
    expect(await viewer.read<boolean>('isSecureContext')).toBe(false)
    await look({ viewer, destinations, url })
  } finally {
    await viewer.close()
    destinations.stop()
    await server.stop()
  }
}

/** Firefox opens what it had blocked by itself once pop-ups are allowed. */
export async function leavesNoOpener({ viewer, destinations }: Scene): Promise<void> {
  await viewer.click('#open')
  await becomes(() => destinations.openers, ['null'])
  await viewer.allowInBar?.()
  await becomes(() => destinations.openers, Array(3).fill('null'))
  expect(destinations.visits.map(({ path }) => path).sort()).toEqual(['/1', '/2', '/3'])
  expect(destinations.visits.every(({ referrer }) => referrer === null)).toBe(true)
}

/** What an attacker may write after `/away#`, besides a link of the launcher. */
const ELSEWHERE = [
  '%E0%A4%A',
  '',
  encodeURIComponent('javascript:opener.document.title="hit"'),
  encodeURIComponent('//127.0.0.1/hit'),
]

/** `/away` leads only to links of the launcher that opened it. */
export async function leadsNowhereElse({ viewer, destinations, url }: Scene): Promise<void> {
  const [first = '', second = '', , other = '', foreign = ''] = destinations.urls(5)
  const away = (rest: string) => new URL(`/away#${rest}`, url).href
  const visited = () => destinations.visits.map(({ path }) => path)

  for (const address of [...ELSEWHERE, encodeURIComponent(other)].map(away)) {
    await viewer.read(`void (self.tab = open(${JSON.stringify(address)}))`)
    await becomes(
      () => viewer.read('[tab.location.href, tab.document.readyState, tab.opener]'),
      [address, 'complete', null],
    )
  }
  // A page of another site opens it, with a link that launchers do lead to.
  await viewer.goTo(foreign)
  const link = `<a href="${away(encodeURIComponent(first))}" target="_blank" rel="opener">-</a>`
  await viewer.read(`void (document.body.innerHTML = ${JSON.stringify(link)})`)
  await viewer.click('a')
  // The tab looks at its opener as it loads: it must have done so while that is still the foreign page.
  const isLoaded = `document.readyState === 'complete' && location.href === ${JSON.stringify(away(encodeURIComponent(first)))}`
  await becomes(async () => (await viewer.readInOthers?.(isLoaded))?.includes(true), true)
  await viewer.goTo(url)
  expect(await viewer.read<string>('document.title')).not.toContain('hit')
  await viewer.read(`void open(${JSON.stringify(away(encodeURIComponent(second)))})`)
  await becomes(visited, ['/5', '/2'])
}
