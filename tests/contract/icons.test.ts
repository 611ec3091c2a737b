import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { becomes, eventually } from '../eventually.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { PICTURES, REFUSED } from './icon-files.ts'
import { type Found, iconsThrough, startIconSites } from './icon-sites.ts'

// Icons of sites, with real servers on this machine.

const sites = startIconSites()
afterAll(() => sites.stop())

const ON = { SERVICE_ICONS: 'on', SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }

describe('icons', () => {
  onEveryTarget(ON, (server) => {
    let person: Person
    beforeAll(async () => {
      person = await newPerson(server())
    })
    const { inspect, iconOf } = iconsThrough(server, sites)
    /** How a launcher shows its tabs: the classes and the path of an icon, or a letter. */
    const tilesOf = async (slug: string) => {
      const html = await (await new Visitor(server()).fetch(`/l/${slug}`)).text()
      const tiles = html.matchAll(
        /<img class="(tile favicon[^"]*)" src="([^"]*)"|<span class="tile[^"]*"[^>]*>(.)<\/span>/g,
      )
      return Array.from(tiles, ([, classes, path, letter]) => letter ?? [classes, path])
    }
    const pathOf = (icon: string) => icon.slice(server().origin.length)

    test('an icon of any format becomes a PNG on the service, under an address that never changes', async () => {
      for (const format of Object.keys(PICTURES)) {
        const icon = await iconOf(format)
        expect(icon).toMatch(new RegExp(`^${server().origin}/icons/[\\w-]{22}\\.png$`))
        const answer = await fetch(icon)
        const bytes = Buffer.from(await answer.arrayBuffer())
        const size = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
        expect([format, answer.status, bytes.toString('latin1', 1, 4), size]).toEqual([
          format,
          200,
          'PNG',
          format === 'svg' ? [64, 32] : [64, 64],
        ])
        expect(bytes.length).toBeLessThanOrEqual(16 * 1024)
        const names = ['content-type', 'cache-control', 'x-content-type-options', 'content-security-policy']
        expect(names.map((name) => answer.headers.get(name))).toEqual([
          'image/png',
          'public, max-age=31536000, immutable',
          'nosniff',
          "default-src 'none'; frame-ancestors 'none'; sandbox",
        ])
      }
    })

    test('a page’s own icon is preferred, of those the one of a fitting size, and what cannot be got is passed over', async () => {
      await iconOf('named')
      expect(sites.askedOf('named')).toEqual(['/', '/right.png'])
      await iconOf('based')
      expect(sites.askedOf('based')).toContain('/deep/x.png?a=1&b=2')
      expect(await iconOf('first-broken')).toBe(await iconOf('gif'))
      // Two of a page are tried.
      expect(await iconOf('third-good')).toBe(await iconOf('gif'))
      expect(sites.askedOf('third-good')).toEqual(['/', '/1.png', '/2.png', '/favicon.ico'])
    })

    test('an answer of 256 KiB at most may be an icon, and a larger one may not', async () => {
      expect(await iconOf('not-too-large')).toBe(await iconOf('png'))
      expect(await inspect(sites.at('too-large'))).toBeNull()
      expect(sites.askedOf('too-large')).toEqual(['/', '/favicon.ico'])
    })

    test('nothing of a file is left but its picture', async () => {
      for (const site of ['scripted', 'polyglot', 'text-bomb']) {
        const bytes = Buffer.from(await (await fetch(await iconOf(site))).arrayBuffer())
        expect([site, bytes.includes('script'), bytes.subarray(-8, -4).toString()]).toEqual([site, false, 'IEND'])
        expect(bytes.length).toBeLessThan(2_000)
      }
    })

    test('files that are made to do harm, and what is no picture, are no icon', async () => {
      const harmful = ['page-for-icon', 'to-private', 'to-file', 'endless', 'silent']
      const names = [...Object.keys(REFUSED), ...harmful]
      const { slug } = await person.makeBundle({ urls: names.slice(0, 25).map((name) => sites.at(name)) })
      await eventually(() => names.every((name) => sites.askedOf(name).includes('/favicon.ico')), 'each was asked for')
      await becomes(
        async () =>
          (
            await server().sql('SELECT count(*) AS n FROM sites WHERE icon_id IS NULL AND due_at > ?', [
              Date.now() + 86_400_000,
            ])
          )[0]?.n,
        names.length,
      )
      expect((await tilesOf(slug)).filter((tile) => typeof tile !== 'string')).toEqual([])
      // It goes on: what was refused has broken nothing.
      expect(await iconOf('png.9')).toBe(await iconOf('png'))
    })

    test('a launcher shows the icons of its sites once they are found, and letters for the others', async () => {
      const urls = [sites.at('png.1', '/a'), sites.at('none.1'), sites.at('light.1'), sites.at('dark.1')]
      const { slug } = await person.makeBundle({ urls })
      expect(await tilesOf(slug)).toHaveLength(4)
      await becomes(async () => (await tilesOf(slug)).filter((tile) => typeof tile !== 'string').length, 3)
      const [png, light, dark] = [await iconOf('png'), await iconOf('light'), await iconOf('dark')].map(pathOf)
      expect(await tilesOf(slug)).toEqual([
        ['tile favicon', png],
        'N',
        ['tile favicon light', light],
        ['tile favicon dark', dark],
      ])
    })

    test('the icon of another site, to which a link leads, is not taken for its own', async () => {
      const { slug } = await person.makeBundle({
        urls: [sites.at('gif.2'), sites.at('gif.3', '/x?secret=1'), sites.at('moved')],
      })
      await becomes(async () => (await tilesOf(slug)).filter((tile) => typeof tile !== 'string').length, 2)
      await eventually(() => sites.askedOf('moved').includes('/favicon.ico'), 'its own icon was asked for')
      expect((await tilesOf(slug)).at(-1)).toBe('M')
      // In the background a site is asked for its first page, not for the link, which may be good for one visit.
      expect(sites.askedOf('gif.3')).toEqual(['/', '/favicon.ico'])
      const agents = sites.received.filter(({ site }) => site === 'gif.3').map(({ headers }) => headers['user-agent'])
      expect(new Set(agents)).toEqual(new Set([expect.stringContaining('/docs/checks')]))
    })

    test('nothing is asked for because somebody views a launcher, nor for a bundle without an owner', async () => {
      const { body } = await new Visitor(server()).api<{ slug: string }>('POST', '/api/links', {
        urls: [sites.at('png.4'), sites.at('png')],
      })
      const png = pathOf(await iconOf('png'))
      const before = sites.received.length
      expect(await tilesOf(body.slug)).toEqual(['P', ['tile favicon', png]])
      const { slug } = await person.makeBundle({ urls: [sites.at('png.5')] })
      await becomes(async () => (await tilesOf(slug)).filter((tile) => typeof tile !== 'string').length, 1)
      const asked = new Set(sites.received.slice(before).map(({ site }) => site))
      expect([...asked]).toEqual(['png.5'])
    })

    test('of a bundle whose owner has switched icons off, letters are shown, and no site is asked for one', async () => {
      const urls = [sites.at('png.10'), sites.at('gif')]
      const { slug } = await person.makeBundle({ urls, icons: false })
      await iconOf('gif')
      await becomes(async () => (await server().sql('SELECT 1 FROM bundle_changes WHERE for_sites = 1')).length, 0)
      expect([await tilesOf(slug), sites.askedOf('png.10')]).toEqual([['P', 'G'], []])
      await person.api('PATCH', `/api/links/${slug}`, { icons: true })
      await becomes(async () => (await tilesOf(slug)).filter((tile) => typeof tile !== 'string').length, 2)
    })

    test('a site is asked in the background in turn with all that is asked of it, or else later', async () => {
      const url = sites.at('png.11')
      const { hostname: host, origin } = new URL(url)
      const hostIs = (nextAt: number) =>
        server().sql(
          'INSERT INTO outgoing_turns (place, next_at) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET next_at = ?2 RETURNING 1',
          [host, nextAt],
        )
      await hostIs(Date.now() + 3_600_000)
      const { slug } = await person.makeBundle({ urls: [url] })
      const isPutOff = 'SELECT origin FROM sites WHERE origin = ? AND due_at > ?'
      await becomes(() => server().sql(isPutOff, [origin, Date.now() + 60_000]), [{ origin }])
      const png = ['tile favicon', pathOf(await iconOf('png'))]
      const hasIcon = async (other: string) => {
        const { slug } = await person.makeBundle({ urls: [other] })
        await becomes(() => tilesOf(slug), [png])
      }
      // Others are asked meanwhile; by then it has been tried.
      await hasIcon(sites.at('png.12'))
      const begin = Date.now()
      await hostIs(0)
      await server().sql('UPDATE sites SET due_at = 0 WHERE origin = ? RETURNING 1', [origin])
      await hasIcon(sites.at('png.13'))
      await becomes(() => tilesOf(slug), [png])
      // Nothing was asked for before there was a turn, and each request took one.
      const asked = sites.received.filter(({ site }) => site === 'png.11').map(({ path }) => path)
      expect(asked).toEqual(['/', '/favicon.ico'])
      const [turns] = await server().sql('SELECT next_at FROM outgoing_turns WHERE place = ?', [host])
      expect(Number(turns?.next_at)).toBeGreaterThanOrEqual(begin + 2_000)
    })

    test('addresses of icons that are not there, or are no such name, are not found', async () => {
      for (const name of [
        `${'a'.repeat(22)}.png`,
        'x.png',
        `${'a'.repeat(22)}.svg`,
        '%ff',
        `..%2f${'a'.repeat(22)}.png`,
      ]) {
        expect([name, (await fetch(`${server().origin}/icons/${name}`)).status]).toEqual([name, 404])
      }
    })

    test('sites that nothing links to any longer are noted, and those that something does are not', async () => {
      const [kept, left] = [sites.at('png.6'), sites.at('png.7')].map((url) => new URL(url).origin)
      const { slug } = await person.makeBundle({ urls: [kept, left] as string[] })
      const unused = async () =>
        (
          await server().sql('SELECT origin FROM sites WHERE origin IN (?, ?) AND unused_since IS NOT NULL', [
            kept!,
            left!,
          ])
        ).map(({ origin }) => origin)
      await becomes(async () => (await server().sql('SELECT 1 FROM sites WHERE origin = ?', [left!])).length, 1)
      await person.api('PATCH', `/api/links/${slug}`, { urls: [kept] })
      await becomes(unused, [left])
      await person.api('DELETE', `/api/links/${slug}`)
      await becomes(async () => (await unused()).length, 2)
      await person.api('POST', `/api/links/${slug}/restore`)
      await becomes(unused, [left])
    })
  })
})

describe('switched off', () => {
  onEveryTarget({ SERVICE_ICONS: 'off', SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (server) => {
    test('by the operator, nobody is asked for an icon', async () => {
      const person = await newPerson(server())
      const { slug } = await person.makeBundle({ urls: [sites.at('png.8')] })
      const { body } = await person.api<Found>('POST', '/api/links/inspect', { urls: [sites.at('png.8')] })
      expect(body.links.map(({ icon }) => icon)).toEqual([null])
      expect(await (await new Visitor(server()).fetch(`/l/${slug}`)).text()).not.toContain('favicon')
      expect(sites.askedOf('png.8')).not.toContain('/favicon.ico')
    })
  })
})
