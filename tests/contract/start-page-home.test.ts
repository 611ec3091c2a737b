import { expect, test } from 'bun:test'
import { blocksOf, pageOf } from '../docs/run.ts'
import { actFor, newOrganization, newPerson, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

/** The settings of the recipe "A start page for your company". */
const RECIPE =
  blocksOf(pageOf('self-hosting.md'), 'sh').find((block) => block.includes('SERVICE_HOME_ORGANIZATION')) ?? ''
const [, HANDLE = ''] = /SERVICE_HOME_ORGANIZATION=(\S+)/.exec(RECIPE) ?? []

onEveryTarget({ SERVICE_HOME_ORGANIZATION: HANDLE }, (at) => {
  test('the recipe of self-hosting: the home page is the start page for whoever may open one of its bundles', async () => {
    const paste = 'data-list="/found"'
    const [admin, stranger] = [await newPerson(at()), new Visitor(at())]
    const read = async (path: string, by: Visitor = stranger) => (await by.fetch(path)).text()
    expect(await read('/')).toContain(paste)
    const { id } = await newOrganization(admin)
    await actFor(admin, id)
    expect(
      (await admin.form(`/dashboard/organizations/${id}`, { change: 'look', name: 'Acme', handle: HANDLE })).status,
    ).toBe(303)
    // Nothing is listed: everyone still gets the page for pasting.
    expect(await read('/', admin)).toContain(paste)
    const { slug } = await admin.makeBundle({ listed: true, access: 'members', title: 'Handbook' })
    expect(await read('/', admin)).toContain(`href="/l/${slug}"`)
    expect(await read('/')).toContain(paste)
    const { slug: open } = await admin.makeBundle({ listed: true, title: 'Lunch list' })
    expect(await read('/')).toContain(`href="/l/${open}"`)
    expect(await read('/')).not.toContain('Handbook')

    // The page for pasting stays at its own address, and what an app or a bookmark shares gets there.
    expect(await read('/new')).toContain('action="/new"')
    expect(await read('/?text=https://example.com/plan')).toContain(paste)
    const { share_target, start_url } = JSON.parse(await read('/site.webmanifest'))
    expect([share_target.action, start_url]).toEqual(['/new', '/'])
    const listed = await stranger.form('/new', { urls: 'https://example.com/a' })
    expect([listed.status, await listed.text()]).toEqual([200, expect.stringContaining('action="/new"')])

    // A new handle needs no new setting until the old one is free again.
    await admin.api('PATCH', `/api/organizations/${id}`, { handle: `${HANDLE}-next` })
    expect(await read('/')).toContain(`href="/l/${open}"`)
  })
})

onEveryTarget({}, (at) => {
  test('without the setting, /new is the page for pasting as well', async () => {
    const page = await (await new Visitor(at()).fetch('/new?text=https://example.com/plan')).text()
    expect(page).toContain('https://example.com/plan')
    expect(page).toContain('action="/"')
  })
})
