import { beforeAll, expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person, URL_B } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { unescaped } from './html.ts'

// The pages that show the log of what happened: in Settings one's own, below an organisation that of its admins.

onEveryTarget({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (server) => {
  let [admin, editor] = [] as unknown as [Person, Person]
  let id: string
  let slug: string
  beforeAll(async () => {
    ;[admin, editor] = [await newPerson(server()), await newPerson(server())]
    await admin.api('POST', '/api/auth/update-user', { name: 'Ada' })
    await editor.api('POST', '/api/auth/update-user', { name: 'Eve <b>' })
    ;({ id } = await newOrganization(admin, [[editor, 'editor']]))
    await actFor(admin, id)
    await actFor(editor, id)
    ;({ slug } = await admin.makeBundle({ title: 'Launch <i>' }))
    await editor.api('PATCH', `/api/links/${slug}`, { title: 'Launch day', urls: [URL_B] })
    const program = await admin.program({ name: 'CI', scopes: ['links:write'] })
    await program.api('DELETE', `/api/links/${(await program.makeBundle()).slug}`)
  })

  const page = async (by: Person, path: string) => {
    const answer = await by.fetch(path)
    const html = await answer.text()
    const rows = html.split(/<li class="row[^"]*">/).slice(1)
    const text = (part: string) => unescaped(part.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')).trim()
    return { status: answer.status, html, rows: rows.map((row) => text(row.split('</p>')[0] ?? '')), text: text(html) }
  }

  test('an organisation’s says in plain words who did what, to its admins alone', async () => {
    const { rows, text, html } = await page(admin, `/dashboard/organizations/${id}/activity`)
    const own = rows.filter((row) => row.includes('Launch day') || row.includes('API key') || row.includes(slug))
    expect(own).toEqual([
      'You created the API key CI',
      'Eve <b> changed the links and the title of Launch day',
      'You created Launch day',
    ])
    expect(rows.at(-1)).toBe('You created the organisation')
    expect(rows).toContain('Eve <b> joined as an editor')
    expect(rows).toContain(`You invited ${editor.email} as an editor`)
    expect(text).toContain('The title: “Launch <i>” → “Launch day”')
    expect(text).toContain('with the API key CI')
    expect(html).toContain(`href="/dashboard/links/${slug}"`)
    const refused = await page(editor, `/dashboard/organizations/${id}/activity`)
    expect([refused.status, refused.rows]).toEqual([403, []])
    expect((await page(editor, `/dashboard/organizations/${id}/activity.csv`)).status).toBe(403)
    const stranger = await newPerson(server())
    expect((await page(stranger, `/dashboard/organizations/${id}/activity`)).status).toBe(404)
    expect((await page(stranger, `/dashboard/organizations/${id}/activity.csv`)).status).toBe(404)
  })

  test('an ID, metadata and the switch of a webhook are said in words, too', async () => {
    const person = await newPerson(server())
    const bundle = await person.makeBundle({ title: 'Named' })
    await person.api('PATCH', `/api/links/${bundle.slug}`, { externalId: 'crm 1', metadata: { team: 'a' } })
    await person.api('PATCH', `/api/links/${bundle.slug}`, { externalId: 'crm 2' })
    const { body } = await person.api<{ webhook: { id: string } }>('POST', '/api/me/webhooks', {
      url: 'http://127.0.0.1:65500/',
      events: ['bundle.claimed'],
    })
    const change = (fields: object) => person.api('PATCH', `/api/me/webhooks/${body.webhook.id}`, fields)
    await change({ enabled: false })
    await change({ enabled: true })
    await change({ enabled: false, url: 'http://127.0.0.1:65501/' })
    const { rows, text } = await page(person, '/dashboard/settings/activity')
    expect(rows.slice(0, 7)).toEqual([
      'You changed the URL and whether it is enabled of the webhook to 127.0.0.1:65501',
      'You enabled the webhook to 127.0.0.1:65501',
      'You disabled the webhook to 127.0.0.1:65501',
      'You created the webhook to 127.0.0.1:65501',
      'You changed the ID of Named',
      'You changed the ID and the metadata of Named',
      'You created Named',
    ])
    expect(text).toContain('The ID: “crm 1” → “crm 2”')
  })

  test('it is filtered by what, who, when and about what, without a script, and its CSV likewise', async () => {
    const path = `/dashboard/organizations/${id}/activity`
    expect((await page(admin, `${path}?type=key`)).rows).toEqual(['You created the API key CI'])
    expect((await page(admin, `${path}?type=bundle&actor=${editor.userId}&days=1`)).rows).toEqual([
      'Eve <b> changed the links and the title of Launch day',
    ])
    expect((await page(admin, `${path}?target=${slug}`)).rows).toHaveLength(2)
    const none = await page(admin, `${path}?type=webhook`)
    expect([none.rows, none.text.includes('No such activity')]).toEqual([[], true])
    expect((await page(admin, `${path}?type=nothing`)).status).toBe(400)
    const csv = await admin.fetch(`${path}.csv?type=key`)
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="activity.csv"')
    expect((await csv.text()).trimEnd().split('\r\n')).toHaveLength(2)
    for (const address of [path, '/dashboard/settings']) {
      const link = address === path ? `/dashboard/organizations/${id}` : address
      expect((await page(admin, link)).html).toContain(`/activity"`)
    }
    expect((await page(editor, `/dashboard/organizations/${id}`)).html).not.toContain(`/activity"`)
  })

  test('Settings has one’s own, in whatever workspace, and long lists have pages', async () => {
    const { rows, text } = await page(editor, '/dashboard/settings/activity')
    expect(rows.every((row) => row === 'You signed in')).toBe(true)
    expect(text).not.toContain('Launch')
    const person = await newPerson(server())
    for (let n = 1; n <= 51; n += 1) await person.makeBundle({ title: `Number ${n}` })
    const first = await page(person, '/dashboard/settings/activity?type=bundle')
    const older = unescaped(/href="([^"]*)"[^>]*>Older/.exec(first.html)?.[1] ?? '')
    const second = await page(person, older)
    expect([first.rows.length, second.rows]).toEqual([50, ['You created Number 1']])
    expect(second.html).toContain('href="/dashboard/settings/activity?type=bundle"')
  })
})
