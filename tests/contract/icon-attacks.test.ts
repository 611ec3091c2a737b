import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { becomes, eventually } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { HOSTILE_SVGS, USUAL_SVGS } from './hostile-svgs.ts'
import { type Found, iconsThrough, startIconSites } from './icon-sites.ts'

// Who would try what with icons, with real servers on this machine.

const sites = startIconSites()
afterAll(() => sites.stop())

describe('attacks on icons', () => {
  onEveryTarget({ SERVICE_ICONS: 'on', SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (server) => {
    let person: Person
    beforeAll(async () => {
      person = await newPerson(server())
    })
    const { inspect, iconOf } = iconsThrough(server, sites)

    test('an SVG that would take minutes or gigabytes to draw is no icon, however it is written; usual ones are', async () => {
      const hostile = Object.keys(HOSTILE_SVGS)
      await person.makeBundle({ urls: hostile.map((name) => sites.at(name)) })
      const refused = async () => {
        const later = Date.now() + 86_400_000
        const rows = await server().sql('SELECT origin FROM sites WHERE icon_id IS NULL AND due_at > ?', [later])
        const origins = new Set(rows.map(({ origin }) => String(origin)))
        return hostile.filter((name) => origins.has(new URL(sites.at(name)).origin))
      }
      await becomes(refused, hostile)
      for (const name of Object.keys(USUAL_SVGS)) await iconOf(name)
    })

    test('the page of one of many people on a site does not give all of it an icon', async () => {
      const inspected = async () =>
        (await person.api<Found>('POST', '/api/links/inspect', { urls: [sites.at('shared', '/~mallory/')] })).body
          .links[0]
      let found = await inspected()
      expect(found?.title).toBe('Mallory')
      await eventually(async () => ((found = await inspected())?.icon ?? null) !== null, 'the site has an icon')
      expect(found?.icon).toBe(await iconOf('shared'))
      expect(sites.askedOf('shared')).toEqual(['/', '/own.png', '/~mallory/'])
    })

    test('an icon that is not kept, because too many are, is not named either', async () => {
      await server().sql(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
          INSERT INTO icons (id, png) SELECT 'full-' || i, x'00' FROM n RETURNING 1`,
      )
      try {
        expect(await inspect(sites.at('tenant'))).toBeNull()
        expect(sites.askedOf('tenant')).toContain('/favicon.ico')
      } finally {
        await server().sql("DELETE FROM icons WHERE id LIKE 'full-%' RETURNING 1")
      }
    })
  })
})
