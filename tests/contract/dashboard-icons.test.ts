import { afterAll, beforeAll, expect, test } from 'bun:test'
import { becomes, eventually } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { startIconSites } from './icon-sites.ts'

// The dashboard shows the icons of sites too, wherever a launcher would.

const sites = startIconSites()
afterAll(() => sites.stop())

onEveryTarget({ SERVICE_ICONS: 'on', SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (server) => {
  let owner: Person
  let slug: string
  const urls = [sites.at('png', '/a'), sites.at('none'), sites.at('light'), sites.at('dark')]
  beforeAll(async () => {
    owner = await newPerson(server())
    ;({ slug } = await owner.makeBundle({ urls }))
    const launcher = async () => (await owner.fetch(`/l/${slug}`)).text()
    await eventually(async () => (await launcher()).match(/"tile favicon/g)?.length === 3, 'the launcher has its icons')
  })

  const post = (path: string, form: Record<string, string>) =>
    owner.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    })
  /** How a page shows sites: the classes of an icon, or a letter. */
  const tilesOn = async (path: string, form?: Record<string, string>): Promise<string[]> => {
    const html = await (form === undefined ? owner.fetch(path) : post(path, form)).then((answer) => answer.text())
    const tiles = html.matchAll(
      /<img class="(tile favicon[^"]*)" src="\/icons\/|<span class="tile hue[^"]*"[^>]*>(.)</g,
    )
    return Array.from(tiles, ([, classes, letter]) => letter ?? classes ?? '')
  }
  const ALL = ['tile favicon', 'N', 'tile favicon light', 'tile favicon dark']

  test('the list shows the icons of each bundle’s first links, and letters for one whose owner wants none', async () => {
    const { slug: plain } = await owner.makeBundle({ urls, icons: false })
    expect(await tilesOn('/dashboard')).toEqual(['P', 'N', 'L', ...ALL.slice(0, 3)])
    expect(await tilesOn(`/dashboard/links/${plain}`)).toEqual(['P', 'N', 'L', 'D'])
    await owner.api('DELETE', `/api/links/${plain}`)
    expect(await tilesOn('/dashboard')).toEqual(ALL.slice(0, 3))
  })

  test('the editor’s rows, those of what is pasted, and the versions show them', async () => {
    const page = `/dashboard/links/${slug}`
    for (const path of [page, `${page}/versions`, `/dashboard/links/new?from=${slug}`]) {
      expect([path, await tilesOn(path)]).toEqual([path, ALL])
    }
    const pasted = { from: slug, more: urls.join('\n'), do: 'paste' }
    expect(await tilesOn('/dashboard/links/new', pasted)).toEqual(ALL)
    expect(await tilesOn('/dashboard/links/new', { ...pasted, icons: 'no' })).toEqual(['P', 'N', 'L', 'D'])
    const rules = { version: 1, rules: [{ name: 'Members', when: { op: 'signedIn' }, tabs: [{ url: urls[0] }] }] }
    const made = await owner.makeBundle({ urls, resolutionPolicy: rules })
    expect(await tilesOn(`/dashboard/links/${made.slug}/policy`)).toEqual(ALL)
  })

  test('a suggestion shows them beside what it changes, and for the tabs that it leads to', async () => {
    const { body } = await owner.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, {
      baseVersion: 1,
      addUrls: [{ url: sites.at('png', '/b') }],
    })
    const path = `/dashboard/links/${slug}/proposals/${body.id}`
    expect(await tilesOn(path)).toEqual(['tile favicon', ...ALL, 'tile favicon'])
    expect(await tilesOn(`${path}/edit`)).toEqual([...ALL, 'tile favicon'])
  })

  test('what is found of a link says which icon its site has, and on which grounds it is seen', async () => {
    const found = async () => {
      const lines = await (await post('/found/titles', { url: sites.at('light', '/x') })).text()
      return lines === '' ? null : (JSON.parse(lines) as { icon: { path: string; tone: string } | null }).icon
    }
    await becomes(async () => (await found())?.tone, 'light')
    expect((await found())?.path).toMatch(/^\/icons\/[\w-]{22}\.png$/)
  })
})
