import { expect, test } from 'bun:test'
import { actFor, addMember, newOrganization, newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf, unescaped } from './html.ts'

const CAP = 3

onEveryTarget({ SERVICE_PLAN_FREE_MAX_BUNDLES: `${CAP}` }, (at) => {
  const page = async (by: Person, path: string) => {
    const answer = await by.fetch(path)
    return { status: answer.status, html: await answer.text() }
  }
  /** Sends a form like a browser without JavaScript. */
  const send = async (by: Person, path: string, fields: [string, string][]) => {
    const answer = await by.fetch(path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    return { status: answer.status, to: answer.headers.get('location'), html: await answer.text() }
  }
  /** The values of the inputs with a name, in order. */
  const offered = (html: string, name: string, type?: string) =>
    elementsOf(html)
      .filter(({ attributes }) => attributes.name === name && (type === undefined || attributes.type === type))
      .map(({ attributes }) => attributes.value)
  /** The error below a field, if that refers to it. */
  const errorOf = (html: string, field: string) => {
    const isTold = elementsOf(html).some(
      ({ tag, attributes }) => tag === 'fieldset' && attributes['aria-describedby'] === `${field}-error`,
    )
    return isTold ? unescaped(new RegExp(`id="${field}-error">([^<]*)<`).exec(html)?.[1] ?? '') : undefined
  }
  const ownerOf = async (by: Person, slug: string) => {
    const { body } = await by.api<{ owner?: { organizationId?: string } }>('GET', `/api/links/${slug}`)
    return body.owner === undefined ? 'out of reach' : (body.owner.organizationId ?? 'personal')
  }
  const menuLeadsTo = async (by: Person, slug: string) =>
    elementsOf((await page(by, `/dashboard/links/${slug}`)).html).some(
      ({ attributes }) => attributes.href === `/dashboard/links/${slug}/move`,
    )

  test('from its menu a bundle moves into an organisation and back, and says beside the choice what is wrong', async () => {
    const ann = await newPerson(at())
    const { slug } = await ann.makeBundle({ title: 'Plan' })
    expect(await menuLeadsTo(ann, slug)).toBe(false)
    expect((await page(ann, `/dashboard/links/${slug}/move`)).html).toContain('Create an organisation first')
    const { id } = await newOrganization(ann)
    await actFor(ann, null)
    expect(await menuLeadsTo(ann, slug)).toBe(true)
    const path = `/dashboard/links/${slug}/move`
    const { status, html } = await page(ann, path)
    expect([status, offered(html, 'to')]).toEqual([200, [id]])
    expect(html).toMatch(/Everyone in Organisation \d+ can see it; editors can edit it\./)
    for (const fields of [[], [['to', 'me']], [['to', 'o_none']]] as [string, string][][]) {
      const refused = await send(ann, path, fields)
      expect([refused.status, errorOf(refused.html, 'to')]).toEqual([400, 'Choose where to move it.'])
    }
    expect(await ownerOf(ann, slug)).toBe('personal')
    const moved = await send(ann, path, [['to', id]])
    expect([moved.status, moved.to]).toEqual([303, `/dashboard/links/${slug}?notice=moved`])
    expect(await ownerOf(ann, slug)).toBe(id)
    const after = (await page(ann, moved.to ?? '')).html
    expect(after).toContain('Bundle moved. Its link stays the same.')
    expect(after).toMatch(/Belongs to Organisation \d+/)

    expect(offered((await page(ann, path)).html, 'to')).toEqual(['me'])
    expect((await send(ann, path, [['to', 'me']])).status).toBe(303)
    expect(await ownerOf(ann, slug)).toBe('personal')

    // With a second one, nothing is chosen beforehand.
    await newOrganization(ann)
    await actFor(ann, id)
    for (let n = 0; n < CAP; n += 1) await ann.makeBundle()
    const full = await send(ann, path, [['to', id]])
    expect([full.status, errorOf(full.html, 'to')]).toEqual([
      403,
      expect.stringMatching(/^The organisation has reached the Free plan’s limit of 3 bundles\. /),
    ])
    const chosen = elementsOf(full.html).filter(({ attributes }) => attributes.name === 'to')
    expect(chosen.map(({ attributes }) => [attributes.value, 'checked' in attributes])).toContainEqual([id, true])
    expect(await ownerOf(ann, slug)).toBe('personal')
  })

  test('an admin over a bundle moves it to where they are an editor or more, and nobody else is offered it or can', async () => {
    const [boss, host] = [await newPerson(at()), await newPerson(at())]
    const [{ id: from }, { id: to }] = [await newOrganization(boss), await newOrganization(host)]
    for (const over of ['viewer', 'editor', 'admin'] as const) {
      for (const there of [null, 'viewer', 'editor', 'admin'] as const) {
        const mover = await newPerson(at())
        await addMember(boss, from, mover, over)
        if (there !== null) await addMember(host, to, mover, there)
        const { slug } = await boss.makeBundle()
        const path = `/dashboard/links/${slug}/move`
        const isAdmin = over === 'admin'
        const mayMove = isAdmin && (there === 'editor' || there === 'admin')
        expect([over, await menuLeadsTo(mover, slug)]).toEqual([over, isAdmin])
        const { status, html } = await page(mover, path)
        const isOffered = offered(html, 'to').includes(to)
        const api = () =>
          mover.api('POST', `/api/links/${slug}/transfer`, { to: { type: 'organization', organizationId: to } })
        const before = mayMove ? 403 : (await api()).status
        const { status: sent } = await send(mover, path, [['to', to]])
        expect([over, there, status, isOffered, before, sent]).toEqual([
          over,
          there,
          isAdmin ? 200 : 403,
          mayMove,
          403,
          mayMove ? 303 : isAdmin ? 400 : 403,
        ])
        const owner = mayMove ? host : boss
        expect(await ownerOf(owner, slug)).toBe(mayMove ? to : from)
        expect((await owner.api('DELETE', `/api/links/${slug}`)).status).toBe(200)
      }
    }
  })

  test('who is an editor of the receiving organisation reads before it that only its admins can move it on', async () => {
    const [boss, ann] = [await newPerson(at()), await newPerson(at())]
    const { slug } = await ann.makeBundle()
    const { id } = await newOrganization(boss, [[ann, 'editor']])
    const { html } = await page(ann, `/dashboard/links/${slug}/move`)
    expect(html).toContain('You’re an editor there: only its admins can move it out again.')
    expect((await send(ann, `/dashboard/links/${slug}/move`, [['to', id]])).status).toBe(303)
    expect((await page(ann, `/dashboard/links/${slug}/move`)).status).toBe(403)
  })

  test('several of the list move at once, and each that cannot is named with the reason', async () => {
    const ann = await newPerson(at())
    const { id } = await newOrganization(ann)
    await ann.makeBundle()
    await actFor(ann, null)
    const [one, two, three] = [await ann.makeBundle(), await ann.makeBundle(), await ann.makeBundle()]
    expect(offered((await page(ann, '/dashboard')).html, 'do')).toEqual(['tag', 'export', 'move', 'delete'])
    const back = 'sort=title&q=a'
    const chosen = (bundles: { slug: string }[]) => bundles.map(({ slug }): [string, string] => ['slug', slug])
    const asked = await send(ann, '/dashboard/bulk', [['do', 'move'], ['back', back], ...chosen([one, two])])
    expect(asked.status).toBe(303)
    const form = await page(ann, asked.to ?? '')
    expect([form.status, offered(form.html, 'slug', 'hidden'), offered(form.html, 'back')]).toEqual([
      200,
      [one.slug, two.slug],
      [back],
    ])
    expect(form.html).toContain(`/l/${one.slug}, /l/${two.slug}<`)
    const rest: [string, string][] = [['back', back], ...chosen([one, two])]
    const refused = await send(ann, '/dashboard/bulk/move', rest)
    expect([refused.status, errorOf(refused.html, 'to')]).toEqual([400, 'Choose where to move it.'])
    expect(offered(refused.html, 'slug', 'hidden')).toEqual([one.slug, two.slug])
    expect((await send(ann, '/dashboard/bulk/move', [['to', id]])).status).toBe(400)

    const moved = await send(ann, '/dashboard/bulk/move', [['to', id], ...rest])
    expect([moved.status, moved.to]).toEqual([303, '/dashboard?q=a&sort=title&notice=movedAll'])
    expect([await ownerOf(ann, one.slug), await ownerOf(ann, two.slug)]).toEqual([id, id])
    expect((await page(ann, moved.to ?? '')).html).toContain('Selected bundles moved. Their links stay the same.')

    const theirs = await (await newPerson(at())).makeBundle()
    const some = await send(ann, '/dashboard/bulk/move', [
      ['to', id],
      ...chosen([three, theirs, { slug: 'no-such-bundle' }, one]),
    ])
    expect([some.status, some.html]).toEqual([403, expect.stringContaining('3 bundles couldn’t be changed.')])
    expect(some.html).toContain('1 other bundle could.')
    for (const why of ['The organisation has reached', 'belongs to another account', 'This bundle doesn’t exist.']) {
      expect(some.html).toContain(why)
    }
    expect([await ownerOf(ann, three.slug), await ownerOf(ann, theirs.slug)]).toEqual(['personal', 'out of reach'])
  })

  test('the list offers to move only where there is somewhere to move to', async () => {
    const [boss, ann] = [await newPerson(at()), await newPerson(at())]
    await ann.makeBundle()
    const isOffered = async () => offered((await page(ann, '/dashboard')).html, 'do').includes('move')
    expect(await isOffered()).toBe(false)
    await newOrganization(boss, [[ann, 'viewer']])
    expect(await isOffered()).toBe(false)
    const { id } = await newOrganization(boss, [[ann, 'editor']])
    expect(await isOffered()).toBe(true)
    await actFor(ann, id)
    await ann.makeBundle()
    expect(await isOffered()).toBe(false)
  })

  test('right after an organisation is made, one’s own bundles are offered to move there', async () => {
    const ann = await newPerson(at())
    const create = (name: string, slug: string) =>
      send(ann, '/dashboard/organizations', [
        ['name', name],
        ['slug', slug],
      ])
    const without = await create('First', 'first-of-ann')
    expect(without.to).toMatch(/^\/dashboard\/organizations\/[^/?]+\?notice=organizationMade$/)
    await actFor(ann, null)
    const [one, two] = [await ann.makeBundle({ title: 'One' }), await ann.makeBundle({ title: 'Two' })]
    const made = await create('<Second>', 'second-of-ann')
    expect(made.to).toMatch(/^\/dashboard\/organizations\/[^/?]+\/move\?notice=organizationMade$/)
    const { html } = await page(ann, made.to ?? '')
    expect(html).toContain('Organisation created. It’s now your current workspace.')
    expect(html).toContain('Move bundles to &lt;Second')
    expect(unescaped(html)).toContain('Everyone in <Second> can see them; editors can edit them.')
    expect(offered(html, 'slug', 'checkbox')).toEqual([two.slug, one.slug])
    const path = new URL(made.to ?? '', at().origin).pathname
    const id = path.split('/')[3]!
    const none = await send(ann, path, [])
    expect([none.status, errorOf(none.html, 'slug')]).toEqual([400, 'Select at least one bundle.'])
    const moved = await send(ann, path, [['slug', one.slug]])
    expect([moved.status, moved.to]).toEqual([303, `/dashboard/organizations/${id}?notice=movedAll`])
    expect([await ownerOf(ann, one.slug), await ownerOf(ann, two.slug)]).toEqual([id, 'personal'])
    expect((await page(ann, moved.to ?? '')).html).toContain(`href="${path}"`)
    await send(ann, path, [['slug', two.slug]])
    expect((await page(ann, path)).html).toContain('You have no personal bundles')

    const [viewer, stranger] = [await newPerson(at()), await newPerson(at())]
    const { id: other } = await newOrganization(ann, [[viewer, 'viewer']])
    const { slug } = await viewer.makeBundle()
    const at403 = `/dashboard/organizations/${other}/move`
    expect([(await page(viewer, at403)).status, (await send(viewer, at403, [['slug', slug]])).status]).toEqual([
      403, 403,
    ])
    expect([(await page(stranger, at403)).status, (await send(stranger, at403, [['slug', slug]])).status]).toEqual([
      404, 404,
    ])
    expect(await ownerOf(viewer, slug)).toBe('personal')
    expect((await page(viewer, `/dashboard/organizations/${other}`)).html).not.toContain(at403)
  })
})
