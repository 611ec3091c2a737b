import { beforeEach, describe, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { actFor, newOrganization, newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { HISTORY_BYTES } from './history-bytes.ts'
import { HOSTILE_SVGS } from './hostile-svgs.ts'
import { PICTURES, plainPng, REFUSED } from './icon-files.ts'

interface Told extends Record<string, unknown> {
  code: string
  error: string
  organization: { pictureUrl: string | null }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const svg = (inner: string) =>
  new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">${inner}</svg>`)
const SQUARE = '<rect width="8" height="8" fill="#07c"/>'
/** Width and height of a PNG. */
const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)]

onEveryTarget({ SERVICE_PLAN_FREE_MAX_HISTORY_MB: '1' }, (at) => {
  let admin: Person
  let id: string
  beforeEach(async () => {
    admin = await newPerson(at())
    ;({ id } = await newOrganization(admin))
    await actFor(admin, id)
  })
  const change = (picture: unknown, by: Visitor = admin, more: object = {}) =>
    by.api<Told>('PATCH', `/api/organizations/${id}`, { picture, ...more })
  const pictureUrl = async () =>
    (await admin.api<Told>('GET', `/api/organizations/${id}/members`)).body.organization.pictureUrl
  const set = async (bytes: Uint8Array = PICTURES.png): Promise<string> => {
    const { status, body } = await change(base64(bytes))
    expect([status, body.error]).toEqual([200, undefined as never])
    return body.organization.pictureUrl ?? ''
  }
  const read = async (url: string) => {
    const answer = await fetch(url)
    return { status: answer.status, headers: answer.headers, png: Buffer.from(await answer.arrayBuffer()) }
  }
  const rows = () => at().sql('SELECT id FROM organization_pictures WHERE organization_id = ?', [id])
  const field = (more: [string, string | Blob][]) => {
    const form = new FormData()
    for (const [name, value] of [
      ['change', 'look'],
      ['name', 'Acme'],
      ['handle', ''],
      ['color', ''],
      ...more,
    ] as const) {
      if (typeof value === 'string') form.append(name, value)
      else form.append(name, value, 'logo.png')
    }
    return form
  }
  const send = (more: [string, string | Blob][], by: Visitor = admin) =>
    by.fetch(`/dashboard/organizations/${id}`, { method: 'POST', body: field(more) })

  test('a picture is drawn anew, 128 pixels large, and served for good and as nothing but a picture', async () => {
    for (const [name, bytes] of Object.entries({ ...PICTURES, square: svg(SQUARE) })) {
      if (name === 'ico' || name === 'gif') continue
      const url = await set(bytes)
      const { status, headers, png } = await read(url)
      expect([name, status, Math.max(...sizeOf(png))]).toEqual([name, 200, 128])
      expect(png.equals(Buffer.from(bytes))).toBe(false)
      expect(
        Object.fromEntries(
          ['content-type', 'cache-control', 'x-content-type-options'].map((of) => [of, headers.get(of)]),
        ),
      ).toEqual({
        'content-type': 'image/png',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      })
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
      expect(await pictureUrl()).toBe(url)
    }
  })

  test('one that would be lost on a light or a dark page gets a ground of its own', async () => {
    const { png: dark } = await read(await set(svg('<circle cx="4" cy="4" r="3" fill="#000"/>')))
    const { png: colored } = await read(await set(svg('<circle cx="4" cy="4" r="3" fill="#07c"/>')))
    const isSeenThrough = async (png: Buffer) => {
      const { PhotonImage } = await import('@cf-wasm/photon')
      return (PhotonImage.new_from_byteslice(png).get_raw_pixels()[3] ?? 0) === 0
    }
    expect([await isSeenThrough(dark), await isSeenThrough(colored)]).toEqual([false, true])
  })

  test('another replaces it, null removes it, and deleting the organisation does too: none stays at its address', async () => {
    const first = await set()
    const second = await set(PICTURES.jpg)
    expect(second).not.toBe(first)
    expect([(await read(first)).status, (await read(second)).status, (await rows()).length]).toEqual([404, 200, 1])
    expect((await change(null)).body.organization.pictureUrl).toBe(null)
    expect([(await read(second)).status, (await rows()).length]).toEqual([404, 0])
    const last = await set()
    const name = 'Acme'
    await admin.api('PATCH', `/api/organizations/${id}`, { name })
    expect((await admin.form(`/dashboard/organizations/${id}/delete`, { name })).status).toBe(303)
    expect([(await read(last)).status, (await rows()).length]).toEqual([404, 0])
  })

  test('two organisations may have the same one, and each keeps it when the other gives it up', async () => {
    const url = await set()
    const other = await newPerson(at())
    const { id: theirs } = await newOrganization(other)
    const sent = await other.api<Told>('PATCH', `/api/organizations/${theirs}`, { picture: base64(PICTURES.png) })
    expect(sent.body.organization.pictureUrl).toBe(url)
    await change(null)
    expect((await read(url)).status).toBe(200)
  })

  test('the log names it, an export has it, and its bytes count against the plan', async () => {
    const url = await set()
    const { png } = await read(url)
    const { events } = (
      await admin.api<{ events: { type: string; changes: object[] }[] }>('GET', '/api/me/events?limit=1')
    ).body
    expect(events).toMatchObject([{ type: 'organization.updated', changes: [{ field: 'picture' }] }])
    const counted = async () =>
      (
        await at().sql(
          `SELECT history_bytes AS told, ${HISTORY_BYTES} AS stored FROM owners WHERE organization_id = ?`,
          [id],
        )
      )[0]
    expect(await counted()).toEqual({ told: png.length, stored: png.length })
    const file = await admin.fetch(`/api/me/export?organizationId=${id}`)
    expect(((await file.json()) as Told).organization).toMatchObject({ picture: base64(png) })
    await set(PICTURES.webp)
    const now = await counted()
    expect(now).toEqual({ told: now?.stored, stored: now?.stored } as never)
    await at().sql('UPDATE owners SET history_bytes = 2097152 WHERE organization_id = ? RETURNING 1', [id])
    expect((await change(base64(PICTURES.jpg))).body.code).toBe('PLAN_LIMIT')
    await at().sql('UPDATE owners SET history_bytes = ? WHERE organization_id = ? RETURNING 1', [Number(now?.told), id])
    await change(null)
    expect(await counted()).toEqual({ told: 0, stored: 0 })
  })

  describe('whoever is no admin of the organisation', () => {
    test('neither sets nor removes it, by the API or the page', async () => {
      const url = await set()
      const [editor, viewer, stranger, other] = await Promise.all([1, 2, 3, 4].map(() => newPerson(at())))
      const made = await newOrganization(admin, [
        [editor!, 'editor'],
        [viewer!, 'viewer'],
      ])
      await newOrganization(other!)
      await actFor(admin, made.id)
      id = made.id
      const own = await set(PICTURES.jpg)
      const key = await admin.program({ scopes: ['links:read', 'links:write'] })
      await actFor(admin, null)
      const personal = await admin.program({ scopes: ['keys:admin'] })
      for (const by of [editor!, viewer!, stranger!, other!, key, personal, new Visitor(at())]) {
        for (const picture of [base64(PICTURES.png), null])
          expect((await change(picture, by)).status).toBeGreaterThanOrEqual(401)
      }
      for (const by of [editor!, viewer!, stranger!, other!])
        expect((await send([['picture', new Blob([PICTURES.png])]], by)).status).toBeGreaterThanOrEqual(403)
      expect((await send([['noPicture', 'yes']], new Visitor(at()))).status).toBeGreaterThanOrEqual(400)
      expect([(await read(own)).status, (await read(url)).status]).toEqual([200, 200])
      expect(await rows()).toHaveLength(1)
    })

    test('and reading its page changes nothing', async () => {
      const url = await set()
      await admin.fetch(`/dashboard/organizations/${id}?change=look&noPicture=yes&picture=`)
      expect(await pictureUrl()).toBe(url)
    })
  })

  describe('what is no picture, or is made to do harm, is refused in a moment, and the picture stays', () => {
    const refused: [string, Uint8Array][] = [
      ...Object.entries(REFUSED),
      ...Object.entries(HOSTILE_SVGS),
      ['a GIF', PICTURES.gif],
      ['an ICO', PICTURES.ico],
      ['a PNG of 1025 pixels', plainPng(1025, 4, [0, 0, 0, 255])],
      ['a picture of another site', svg(`${SQUARE}<image href="https://evil.example/p.png" width="8" height="8"/>`)],
      ['a file of this machine', svg(`${SQUARE}<image href="file:///etc/passwd" width="8" height="8"/>`)],
      ['nothing to see', svg('<text>Acme</text>')],
    ]
    test('by the API', async () => {
      const url = await set()
      for (const [name, bytes] of refused) {
        const { status, body } = await change(base64(bytes))
        expect([name, status, body.code]).toEqual([name, 400, 'BAD_REQUEST'])
      }
      for (const wrong of ['', 'no base64!', 'data:image/png;base64,AAAA', 7, {}, ['AAAA'], 'A'.repeat(360_000)])
        expect([String(wrong).slice(0, 9), (await change(wrong)).status]).toEqual([String(wrong).slice(0, 9), 400])
      expect((await change('A'.repeat(500_000))).status).toBe(413)
      // Other bodies are no larger than before.
      expect((await admin.api('POST', '/api/links', { urls: ['http://a.b'], title: 'A'.repeat(300_000) })).status).toBe(
        413,
      )
      expect(await pictureUrl()).toBe(url)
    })

    test('and of an SVG with a script only the shapes are drawn', async () => {
      const clean = await set(svg(SQUARE))
      const scripted = `<script>alert(1)</script><a href="javascript:alert(1)">${SQUARE}</a><foreignObject><p>x</p></foreignObject>`
      expect(await set(svg(scripted))).toBe(clean)
      expect(
        await set(
          new TextEncoder().encode(new TextDecoder().decode(svg(SQUARE)).replace('<svg ', '<svg onload="alert(1)" ')),
        ),
      ).toBe(clean)
    })

    test('by the page, where the error stands beside the field, whatever type the browser names', async () => {
      const url = await set()
      const html = new Blob(['<script>alert(1)</script>'], { type: 'image/png' })
      const large = new Blob([Buffer.concat([PICTURES.png, Buffer.alloc(300_000)])], { type: 'image/png' })
      for (const [file, words] of [
        [html, 'Choose a PNG, JPEG or WebP'],
        [large, 'larger than 256 KiB'],
        [new Blob([]), 'Choose a PNG, JPEG or WebP'],
      ] as const) {
        const answer = await send([
          ['picture', file],
          ['color', 'teal'],
        ])
        const text = await answer.text()
        expect([answer.status, text.includes(words)]).toEqual([400, true])
        expect(text).toMatch(/id="picture"[^>]*aria-invalid="true"/)
      }
      expect(await pictureUrl()).toBe(url)
      const good = await send([['picture', new Blob([PICTURES.jpg], { type: 'text/html' })]])
      expect(good.status).toBe(303)
      expect(await pictureUrl()).not.toBe(url)
      // Saving the other fields keeps it; the box removes it.
      expect((await send([])).status).toBe(303)
      expect(await pictureUrl()).not.toBe(null)
      expect((await send([['noPicture', 'yes']])).status).toBe(303)
      expect(await pictureUrl()).toBe(null)
    })
  })

  test('the workspace menu and the list of organisations show it', async () => {
    const { pathname } = new URL(await set())
    const page = await (await admin.fetch('/dashboard/organizations')).text()
    expect(page.split(`<img class="monogram" src="${pathname}"`).length - 1).toBeGreaterThanOrEqual(3)
  })

  describe('what viewers see', () => {
    const page = async (path: string) => (await new Visitor(at()).fetch(path)).text()
    const signIn = (html: string) => /<img class="tile[^"]*" src="([^"]+)"/.exec(html)?.[1] ?? null
    const colorIn = (html: string) => /class="tile (plain|hue-\d)" aria-hidden="true">O</.exec(html)?.[1] ?? null
    const cardOf = (html: string) => /picture\.png\?v=([\w-]+)/.exec(html)?.[1]

    test('a launcher and a start page show another name, colour and picture within a second', async () => {
      const { slug } = await admin.makeBundle({ listed: true })
      const handle = `pictured-${process.pid}-${id.toLowerCase().replace(/[^a-z0-9]/g, '')}`.slice(0, 36)
      await change(null, admin, { handle, name: 'Orchard' })
      const [launcher, start] = [`/l/${slug}`, `/o/${handle}`]
      await becomes(async () => [colorIn(await page(launcher)), signIn(await page(start))], ['plain', null])
      const before = cardOf(await page(launcher))
      await change(null, admin, { color: 'teal' })
      await becomes(async () => colorIn(await page(launcher)), 'hue-4')
      for (const bytes of [PICTURES.png, PICTURES.jpg]) {
        const { pathname } = new URL(await set(bytes))
        for (const path of [launcher, start]) await becomes(async () => signIn(await page(path)), pathname)
      }
      expect(await page(launcher)).toMatch(/<b dir="auto">Orchard<\/b>/)
      expect(cardOf(await page(launcher))).not.toBe(before)
      await change(null, admin, { name: 'Oak' })
      for (const path of [launcher, start]) {
        await becomes(async () => signIn(await page(path)), null)
        await becomes(async () => (await page(path)).includes('Orchard'), false)
      }
      await change(null, admin, { handle: `${handle}-new` })
      await becomes(async () => (await new Visitor(at()).fetch(start)).status, 307)
    })

    test('a bundle of nobody’s organisation shows none, and no door tells whose it is', async () => {
      const { pathname } = new URL(await set())
      await change(base64(PICTURES.png), admin, { name: 'Orchard', color: 'pink' })
      const hour = (by: number) => new Date(Date.now() + by * 3_600_000).toISOString()
      for (const gate of [
        { access: 'members' },
        { access: 'password', password: 'a good passphrase' },
        { opensAt: hour(1) },
        { closesAt: hour(-1) },
      ]) {
        const { slug } = await admin.makeBundle(gate)
        const html = await page(`/l/${slug}`)
        expect([gate, html.includes('Orchard'), html.includes(pathname), html.includes('hue-7')]).toEqual([
          gate,
          false,
          false,
          false,
        ])
      }
      await actFor(admin, null)
      const { slug } = await admin.makeBundle()
      expect(await page(`/l/${slug}`)).not.toMatch(/Orchard|<img class="tile|class="tile plain"/)
    })
  })
})
