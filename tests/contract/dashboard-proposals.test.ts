import { beforeAll, describe, expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person, URL_A, URL_B, type Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

onEveryTarget({}, (server) => {
  let admin: Person
  let viewer: Person
  beforeAll(async () => {
    admin = await newPerson(server())
    viewer = await newPerson(server())
    const { id } = await newOrganization(admin, [[viewer, 'viewer']])
    await actFor(admin, id)
    await actFor(viewer, id)
  })

  const page = async (path: string, by: Visitor = admin) => {
    const answer = await by.fetch(path)
    return { status: answer.status, html: await answer.text() }
  }
  /** Posts a form like a browser without JavaScript; fields may repeat. */
  const post = async (path: string, fields: Record<string, string | string[]>, by: Visitor = admin) => {
    const body = new URLSearchParams()
    for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) body.append(name, value)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await by.fetch(path, { method: 'POST', body: body.toString(), headers })
    return { status: answer.status, to: answer.headers.get('location') ?? '', html: await answer.text() }
  }
  const propose = async (slug: string, fields: object, by: Visitor = viewer) => {
    const { status, body } = await by.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, fields)
    expect(status).toBe(201)
    return `/dashboard/links/${slug}/proposals/${body.id}`
  }
  const bundle = async (slug: string) =>
    (await admin.api<{ title: string; versionNumber: number; urls: string[] }>('GET', `/api/links/${slug}`)).body
  const edit = (slug: string, changes: object) => admin.api('PATCH', `/api/links/${slug}`, changes)
  const FORM = {
    title: 'Launch week',
    description: '',
    url: [URL_A, URL_B],
    note: ['', ''],
    section: ['', ''],
    tags: ['', ''],
  }

  describe('a viewer', () => {
    test('suggests an edit in the editor, sees it waiting, and withdraws it', async () => {
      const { slug } = await admin.makeBundle({ title: 'Launch day' })
      expect((await page(`/dashboard/links/${slug}`, viewer)).html).toContain(`/dashboard/links/${slug}/suggest`)
      const { html } = await page(`/dashboard/links/${slug}/suggest`, viewer)
      expect(html).toContain('value="Launch day"')
      expect(html).toContain('Send suggestion')
      const sent = await post(`/dashboard/links/${slug}/suggest`, { version: '1', ...FORM, reason: 'Longer.' }, viewer)
      expect([sent.status, sent.to]).toEqual([303, expect.stringMatching(/proposals\/p_\w{10}\?notice=proposed$/)])
      const shown = await page(sent.to, viewer)
      expect(shown.html).toContain('Longer.')
      expect(shown.html).toMatch(/<ins[^>]*>week/)
      expect(shown.html).not.toContain('/accept"')
      expect(await bundle(slug)).toMatchObject({ title: 'Launch day', versionNumber: 1 })
      const withdrawn = await post(`${sent.to.split('?')[0]}/withdraw`, {}, viewer)
      expect(withdrawn.to).toBe(`/dashboard/links/${slug}/proposals?notice=withdrawn`)
      expect((await page(withdrawn.to, viewer)).html).toContain('withdrawn')
    })

    test('sees the links of a bundle by section', async () => {
      const [section, urls] = ['Before & after', ['https://a.example/', 'https://b.example/', 'https://c.example/']]
      const { slug } = await admin.makeBundle({ urls, urlMetadata: [{ section }, { section }] })
      const { html } = await page(`/dashboard/links/${slug}`, viewer)
      expect(html.match(/<h2 [^>]*>Before &amp; after<\/h2>/g)).toHaveLength(1)
      expect(html.match(/<ol class="links reading"/g)).toHaveLength(2)
    })

    test('keeps what they typed if it cannot be sent', async () => {
      const { slug } = await admin.makeBundle({ title: 'Launch week' })
      const path = `/dashboard/links/${slug}/suggest`
      const nothing = await post(path, { version: '1', ...FORM }, viewer)
      expect([nothing.status, nothing.html]).toEqual([
        400,
        expect.stringContaining('You haven’t changed anything yet.'),
      ])
      // Without changes, the form does not say that some are unsaved.
      expect(nothing.html).not.toContain('data-touched')
      const wrong = { ...FORM, url: ['nonsense', URL_B], reason: 'x'.repeat(501) }
      const refused = await post(path, { version: '1', ...wrong }, viewer)
      expect(refused.status).toBe(400)
      expect(refused.html).toContain('value="nonsense"')
      const long = await post(path, { version: '1', ...FORM, title: 'New', reason: 'x'.repeat(501) }, viewer)
      expect([long.status, long.html]).toEqual([400, expect.stringContaining('id="reason-error"')])
      // The error beside the field is the only one.
      expect(long.html).not.toContain('id="alert"')
      const added = await post(path, { version: '1', ...FORM, do: 'add', reason: 'kept' }, viewer)
      expect(added.html).toContain('kept')
      expect(
        (await post(path, { version: '1', ...FORM, do: 'check', url: ['nonsense', URL_B] }, viewer)).html,
      ).toContain('web address')
    })

    test('may decide nothing', async () => {
      const { slug } = await admin.makeBundle({ title: 'Launch day' })
      const path = await propose(slug, { title: 'x' })
      for (const how of ['accept', 'reject', 'edit']) {
        expect((await post(`${path}/${how}`, { version: '1', ...FORM }, viewer)).status).toBe(403)
      }
      expect((await bundle(slug)).versionNumber).toBe(1)
    })
  })

  describe('an editor', () => {
    test('finds what waits in the inbox, which otherwise teaches', async () => {
      const loner = await newPerson(server())
      expect((await page('/dashboard/proposals', loner)).html).toContain('No suggestions to review')
      expect((await page('/dashboard/keys/new?scope=links:propose', loner)).html).toMatch(
        /value="links:propose"[^>]*checked/,
      )
      const { slug } = await admin.makeBundle({ title: 'A <b>bold</b> title' })
      const path = await propose(slug, { title: 'x', reason: '<i>why</i>' })
      const { html } = await page('/dashboard/proposals')
      expect(html).toContain(`href="${path}"`)
      // Bun escapes > too.
      expect(html).toMatch(/&lt;i(>|&gt;)why/)
      expect(html).not.toContain('<i>why')
      expect((await page('/dashboard')).html).toMatch(/\d+ suggestions? to review/)
    })

    test('sees on the row of the list and on the tab how many wait, until they are decided', async () => {
      const { slug } = await admin.makeBundle({ title: 'Launch day' })
      const marks = async (by: Person) => {
        const list = (await page('/dashboard?limit=100', by)).html
        const row =
          new RegExp(`href="/dashboard/links/${slug}/proposals"[^>]*>(.*?)</a>`, 's')
            .exec(list)?.[1]
            ?.replace(/<[^>]*>/g, '') ?? null
        const pages = ['', '/policy', '/versions', '/proposals', '/insights'].map(async (tab) => {
          const { html } = await page(`/dashboard/links/${slug}${tab}`, by)
          const shown = new RegExp(`<a href="/dashboard/links/${slug}/proposals"[^>]*>(.*?)</a>`, 's').exec(html)?.[1]
          return shown?.replace(/<[^>]*>/g, '')
        })
        return { row, tabs: new Set(await Promise.all(pages)) }
      }
      const none = { row: null, tabs: new Set(['Suggestions']) }
      expect(await marks(admin)).toEqual(none)
      const first = await propose(slug, { title: 'one' })
      const second = await propose(slug, { title: 'two' })
      for (const person of [admin, viewer]) {
        expect(await marks(person)).toEqual({ row: '2 suggestions', tabs: new Set(['Suggestions 2 open']) })
      }
      expect((await post(`${first}/accept`, { version: '1' })).status).toBe(303)
      expect(await marks(admin)).toEqual({ row: '1 suggestion', tabs: new Set(['Suggestions 1 open']) })
      expect((await post(`${second}/reject`, {})).status).toBe(303)
      expect(await marks(admin)).toEqual(none)
      await propose(slug, { title: 'three' })
      await admin.api('DELETE', `/api/links/${slug}`)
      expect((await page('/dashboard?state=deleted')).html).not.toContain(`links/${slug}/proposals`)
    })

    test('sees in the navigation of every page how many wait in all, and beside one which are next', async () => {
      const [someone, other] = [await newPerson(server()), await newPerson(server())]
      const { id } = await newOrganization(someone, [[other, 'viewer']])
      for (const person of [someone, other]) await actFor(person, id)
      const bundles = [await someone.makeBundle({ title: 'One' }), await someone.makeBundle({ title: 'Two' })]
      const inNavigation = async (path: string, by = someone) => {
        const { html } = await page(path, by)
        const nav = /<nav class="sections".*?<\/nav>/s.exec(html)?.[0] ?? ''
        return /<a[^>]*href="\/dashboard\/proposals"[^>]*>(.*?)<\/a>/s.exec(nav)?.[1]?.replace(/<[^>]*>/g, '')
      }
      expect(await inNavigation('/dashboard/settings')).toBeUndefined()
      const paths: string[] = []
      for (const { slug } of bundles) paths.push(await propose(slug, { title: `New ${slug}` }, other))
      for (const path of ['/dashboard', '/dashboard/settings', `/dashboard/links/${bundles[0]?.slug}`]) {
        expect([path, await inNavigation(path)]).toEqual([path, 'Suggestions 2 to review'])
      }
      expect(await inNavigation('/dashboard/settings', other)).toBe('Suggestions 2 to review')
      expect(await inNavigation('/dashboard/settings', await newPerson(server()))).toBeUndefined()
      const next = async (path = '') => {
        const [, after = ''] = (await page(path, someone)).html.split('Next to review')
        return paths.filter((one) => after.includes(`href="${one}"`))
      }
      expect(await next(paths[0])).toEqual([paths[1] ?? ''])
      expect(await next(paths[1])).toEqual([paths[0] ?? ''])
      await propose(bundles[1]?.slug ?? '', { title: 'Newer' }, other)
      await someone.api('DELETE', `/api/links/${bundles[1]?.slug}`)
      expect(await next(paths[0])).toEqual([])
      expect(await inNavigation('/dashboard/settings')).toBe('Suggestions 1 to review')
    })

    test('accepts what they have seen, and can undo it', async () => {
      const { slug } = await admin.makeBundle({ title: 'Launch day' })
      const path = await propose(slug, { title: 'Launch week' })
      await edit(slug, { description: 'meanwhile' })
      const stale = await post(`${path}/accept`, { version: '1' })
      expect([stale.status, stale.html]).toEqual([412, expect.stringContaining('edited meanwhile')])
      const { status, to } = await post(`${path}/accept`, { version: '2' })
      expect([status, to]).toEqual([303, `/dashboard/links/${slug}?notice=accepted&slug=${slug}&version=3`])
      expect((await page(to)).html).toContain(`/dashboard/links/${slug}/versions/2/restore`)
      expect(await bundle(slug)).toMatchObject({ title: 'Launch week', versionNumber: 3 })
      expect((await page(path)).html).toContain('version 3')
      const again = await post(`${path}/accept`, { version: '3' })
      expect([again.status, again.html]).toEqual([409, expect.stringContaining('already been accepted')])
    })

    test('sees in Versions who proposed and who accepted, as the proposer does', async () => {
      const [ada, grace] = [await newPerson(server()), await newPerson(server())]
      await ada.api('POST', '/api/auth/update-user', { name: 'Ada' })
      await grace.api('POST', '/api/auth/update-user', { name: 'Grace' })
      const { id } = await newOrganization(await newPerson(server()), [
        [ada, 'viewer'],
        [grace, 'editor'],
      ])
      for (const person of [ada, grace]) await actFor(person, id)
      const { slug } = await grace.makeBundle({ title: 'Launch day' })
      const credit = async (by: Person) =>
        [...(await page(`/dashboard/links/${slug}/versions`, by)).html.matchAll(/<span class="by hint">(.*?), <time/gs)]
          .map(([, said]) => said!.replace(/<[^>]*>/g, ''))
          .reverse()
      expect((await post(`${await propose(slug, { title: 'one' }, ada)}/accept`, { version: '1' }, grace)).status).toBe(
        303,
      )
      expect(
        (await post(`${await propose(slug, { title: 'two' }, grace)}/accept`, { version: '2' }, grace)).status,
      ).toBe(303)
      expect(await credit(grace)).toEqual(['You', 'Ada, accepted by you', 'You'])
      expect(await credit(ada)).toEqual(['Grace', 'You, accepted by Grace', 'Grace'])
      expect((await ada.api('POST', '/api/auth/delete-user', {})).status).toBe(200)
      expect(await credit(grace)).toEqual(['You', 'A deleted account, accepted by you', 'You'])
    })

    test('edits before accepting, in one version', async () => {
      const { slug } = await admin.makeBundle({ title: 'Launch day' })
      const path = await propose(slug, { title: 'Launch week', urls: [URL_A] })
      const { html } = await page(`${path}/edit`)
      expect(html).toContain('value="Launch week"')
      expect(html).toContain('Accept with changes')
      const { to } = await post(`${path}/edit`, { version: '1', ...FORM, title: 'Launch month' })
      expect(to).toContain('notice=accepted')
      expect(await bundle(slug)).toMatchObject({ title: 'Launch month', versionNumber: 2, urls: [URL_A, URL_B] })
      expect((await post(`${path}/edit`, { version: '2', ...FORM })).to).toBe(path)
    })

    test('sees what both changed side by side, and decides it', async () => {
      const rules = (name: string) => ({
        version: 1,
        rules: [{ name: 'one', when: { op: 'signedIn' }, tabs: [{ url: URL_A, note: name }] }],
      })
      const { slug } = await admin.makeBundle({ title: 'Launch day', resolutionPolicy: rules('before') })
      const path = await propose(slug, { title: 'Launch week', resolutionPolicy: rules('proposed') })
      await edit(slug, { title: 'Launch eve', resolutionPolicy: rules('now') })
      const shown = (await page(path)).html
      for (const text of ['Changed by a newer version too', 'eve', 'week', 'Decide and accept']) {
        expect(shown).toContain(text)
      }
      expect(shown).not.toContain(`${path}/accept"`)
      expect((await post(`${path}/accept`, { version: '2' })).status).toBe(409)
      const { html } = await page(`${path}/edit`)
      expect(html).toContain('value="Launch eve"')
      expect(html).toContain('name="rules"')
      // Too late as well: one notice says both.
      const late = (await post(`${path}/edit`, { version: '1', ...FORM, rules: 'proposed' })).html
      expect(late).toContain('Version 2 was saved while you were editing.')
      expect(late.match(/class="(?:alert|card caution conflict)"/g)).toEqual(['class="card caution conflict"'])
      const { to } = await post(`${path}/edit`, { version: '2', ...FORM, rules: 'proposed' })
      expect(to).toContain('notice=accepted')
      const { body } = await admin.api<{ title: string; resolutionPolicy: unknown }>('GET', `/api/links/${slug}`)
      expect(body.title).toBe('Launch week')
      expect(JSON.stringify(body.resolutionPolicy)).toContain('"proposed"')
    })

    test('rejects with a note that the proposer reads', async () => {
      const { slug } = await admin.makeBundle({ title: 'Launch day' })
      await viewer.api('POST', '/api/auth/update-user', { name: 'Vera & co' })
      const path = await propose(slug, { title: 'x' })
      expect((await page(path)).html).toMatch(/Message to Vera &(amp|#38);/)
      const long = await post(`${path}/reject`, { note: 'x'.repeat(501) })
      expect([long.status, long.html]).toEqual([400, expect.stringContaining('x'.repeat(501))])
      expect((await post(`${path}/reject`, { note: 'Not this week.' })).to).toContain('notice=rejected')
      expect((await page(path, viewer)).html).toContain('Not this week.')
    })

    test('sends the message with whatever the answer is: accepted as it is, or edited before', async () => {
      const { slug } = await admin.makeBundle({ title: 'Launch day' })
      const [one, two] = [await propose(slug, { title: 'Launch eve' }), await propose(slug, { description: 'Soon' })]
      const shown = (await page(one)).html
      const form = shown.slice(shown.indexOf('class="decide'))
      // One form has the message and every answer.
      expect(form.slice(0, form.indexOf('</form>'))).toMatch(/name="note".*Accept.*Edit and accept.*Reject/s)
      const long = await post(`${one}/accept`, { version: '1', note: 'x'.repeat(501) })
      expect([long.status, long.html]).toEqual([400, expect.stringContaining('x'.repeat(501))])
      expect((await post(`${one}/accept`, { version: '1', note: 'Thank you!' })).to).toContain('notice=accepted')
      expect((await page(one, viewer)).html).toContain('Thank you!')
      const begun = await post(`${two}/edit`, { begin: 'yes', version: '2', note: 'I made it shorter.' })
      expect([begun.status, (await bundle(slug)).versionNumber]).toEqual([200, 2])
      expect(begun.html).toMatch(/<textarea[^>]*name="message"[^>]*>\s*I made it shorter\.</)
      const edited = { version: '2', ...FORM, title: 'Launch eve', description: 'Now' }
      const refused = await post(`${two}/edit`, { ...edited, message: 'y'.repeat(501) })
      expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('y'.repeat(501))])
      expect((await post(`${two}/edit`, { ...edited, message: 'I made it shorter.' })).to).toContain('notice=accepted')
      expect((await page(two, viewer)).html).toContain('I made it shorter.')
      expect(await bundle(slug)).toMatchObject({ description: 'Now', versionNumber: 3 })
    })
  })

  test('outsiders see nothing of it', async () => {
    const stranger = await newPerson(server())
    const { slug } = await admin.makeBundle({ title: 'Launch day' })
    const path = await propose(slug, { title: 'secret plan' })
    for (const address of [
      path,
      `${path}/edit`,
      `/dashboard/links/${slug}/proposals`,
      `/dashboard/links/${slug}/suggest`,
    ]) {
      const { status, html } = await page(address, stranger)
      expect([address, status]).toEqual([address, 403])
      expect(html).not.toContain('secret plan')
    }
    const { slug: theirs } = await stranger.makeBundle()
    expect((await page(path.replace(slug, theirs), stranger)).status).toBe(404)
    expect((await page('/dashboard/proposals', stranger)).html).not.toContain('secret plan')
  })
})
