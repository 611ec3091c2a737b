import { expect, test } from 'bun:test'
import { fieldsIn } from '../form.ts'
import { actFor, newOrganization, newPerson, URL_A, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// The end of a bundle's link, chosen on pages: after a claim, on the result and in the editor.

let made = 0
const fresh = (name = 'named') => `${name}-${++made}-${crypto.randomUUID().slice(0, 6)}`

onEveryTarget({}, (at) => {
  const rename = (slug: string) => `/dashboard/links/${slug}/rename`
  const editor = (slug: string) => `/dashboard/links/${slug}`
  const where = (answer: Response) => [answer.status, answer.headers.get('location')]
  const beside = (html: string, id = 'newSlug') => new RegExp(`id="${id}-error"[^>]*>([^<]*)`).exec(html)?.[1]
  const led = async (slug: string) =>
    where(await fetch(`${at().origin}/l/${slug}`, { redirect: 'manual', headers: { accept: 'text/html' } }))
  const check = async (by: Visitor, slug: string, newSlug: string) => {
    const answer = await by.form(rename(slug), { newSlug, do: 'check' })
    return [answer.status, answer.status === 200 ? ((await answer.json()) as { says: string }).says : '']
  }
  const owned = async (title = 'Team links') => {
    const person = await newPerson(at())
    const answer = await person.publish({ urls: `${title}\n${URL_A}` })
    const path = answer.headers.get('location') ?? ''
    const slug = /\/dashboard\/links\/([a-z0-9]{10})"/.exec(await (await person.fetch(path)).text())?.[1] ?? ''
    return { person, path, slug }
  }

  test('on the result of somebody signed in, its end can be chosen, and the old link still leads there', async () => {
    const { person, path, slug } = await owned()
    const page = await person.fetch(path)
    expect(page.headers.get('referrer-policy')).toBe('same-origin')
    const html = await page.text()
    expect(html).toContain('Change the end of the link')
    expect(fieldsIn(html)).toContainEqual(['newSlug', slug])
    const to = fresh()
    const changed = await person.form(rename(slug), { newSlug: to, back: path })
    expect(where(changed)).toEqual([303, `${path}?was=${slug}`])
    expect(await led(slug)).toEqual([307, `${at().origin}/l/${to}`])
    const after = await (await person.fetch(`${path}?was=${slug}`)).text()
    expect(after).toContain(`/l/${slug}</bdi> still leads here.`)
    for (const shown of [`data-text="${at().origin}/l/${to}"`, `src="/l/${to}/qr.svg"`, `<b>${to}</b>`])
      expect(after).toContain(shown)
    // Undo gives it back.
    expect(where(await person.form(rename(to), { newSlug: slug, back: path }))).toEqual([303, `${path}?was=${to}`])
    expect(await led(to)).toEqual([307, `${at().origin}/l/${slug}`])
    // Anyone can write an address: what is no old slug of the bundle is not said.
    expect(await (await person.fetch(`${path}?was=${fresh()}`)).text()).not.toContain('still leads here')
  })

  test('what the title suggests is proposed where it is free, for a link that nobody has chosen', async () => {
    const title = fresh('Crème brûlée')
    const { person, path, slug } = await owned(title)
    const proposed = title.replace('Crème brûlée', 'creme-brulee')
    expect(await (await person.fetch(path)).text()).toContain(`value="${proposed}"`)
    const other = await owned(title)
    expect(where(await person.form(rename(slug), { newSlug: slug, proposed, back: path }))).toEqual([
      303,
      `${path}?was=${slug}`,
    ])
    for (const [by, page] of [
      [person, path],
      [other.person, other.path],
    ] as const)
      expect(await (await by.fetch(page)).text()).not.toContain('name="proposed"')
  })

  test('after a claim, its end can be chosen there; without an account there is no field', async () => {
    const visitor = new Visitor(at())
    const { slug, claimUrl } = await visitor.makeBundle({ title: 'Kept' })
    expect(await (await visitor.fetch(new URL(claimUrl).pathname)).text()).not.toContain('newSlug')
    const anonymous = await visitor.publish({ urls: URL_A })
    expect(await (await visitor.fetch(anonymous.headers.get('location') ?? '')).text()).not.toContain('newSlug')
    const ann = await newPerson(at())
    const claimed = (await ann.form(new URL(claimUrl).pathname, {})).headers.get('location') ?? ''
    expect(await (await ann.fetch(claimed)).text()).toContain('name="newSlug"')
    const to = fresh()
    const changed = await ann.form(rename(slug), {
      newSlug: ` ${at().origin}/l/${to.toUpperCase()}/ `,
      back: '/claims',
    })
    expect(where(changed)).toEqual([303, `/claims?claimed=${to}&was=${slug}`])
    const after = await (await ann.fetch(changed.headers.get('location') ?? '')).text()
    expect(after).toContain(`/l/${slug}</bdi> still leads here.`)
    expect(after).toContain(`data-text="${at().origin}/l/${to}"`)
    // The used claim link still leads to the bundle.
    expect((await ann.fetch(new URL(claimUrl).pathname)).status).toBe(303)
  })

  test('in the editor, Save changes the link with everything else, and says so with an undo', async () => {
    const { person, slug } = await owned()
    const fields = Object.fromEntries(fieldsIn(await (await person.fetch(editor(slug))).text()))
    expect(fields).toMatchObject({ slug })
    const to = fresh()
    const checked = await (await person.form(editor(slug), { ...fields, slug: to, do: 'check' })).text()
    expect(checked).toContain('Free.')
    const saved = await person.form(editor(slug), { ...fields, slug: to, title: 'Both at once', do: 'save' })
    expect(where(saved)).toEqual([303, `${editor(to)}?notice=renamed&slug=${to}&was=${slug}`])
    const after = await (await person.fetch(saved.headers.get('location') ?? '')).text()
    expect(after).toContain('Link changed. The old one still leads here.')
    expect(after).toContain(`action="${rename(to)}"`)
    expect((await person.api('GET', `/api/links/${slug}`)).body).toMatchObject({ slug: to, title: 'Both at once' })
    expect(await led(slug)).toEqual([307, `${at().origin}/l/${to}`])
    const undone = await person.form(rename(to), { newSlug: slug })
    expect(where(undone)).toEqual([303, `${editor(slug)}?notice=renamed&slug=${slug}&was=${to}`])
  })

  test('what cannot be is said beside the field, with nothing saved: taken, reserved, malformed, too many', async () => {
    const { person, path, slug } = await owned()
    const { slug: theirs } = await (await newPerson(at())).makeBundle({ slug: fresh('theirs') })
    const fields = Object.fromEntries(fieldsIn(await (await person.fetch(editor(slug))).text()))
    const taken = 'Taken. Choose another.'
    const cases = [
      [theirs, 409, taken],
      ['admin', 409, taken],
      ['docs', 409, taken],
      ['ab', 400, 'Not allowed: it must be 3 to 64 characters.'],
      ['x'.repeat(65), 400, 'Not allowed: it must be 3 to 64 characters.'],
      ['x'.repeat(4000), 400, 'Not allowed: it must be 3 to 64 characters.'],
      ['münchen', 400, 'Not allowed: it must be letters from a to z and digits, with single hyphens between them.'],
      ['раypal', 400, 'Not allowed: it must be letters from a to z and digits, with single hyphens between them.'],
      ['a--b', 400, 'Not allowed: it must be letters from a to z and digits, with single hyphens between them.'],
      ['', 400, 'Not allowed: it must be letters from a to z and digits, with single hyphens between them.'],
      ['"><b>', 400, 'Not allowed: it must be letters from a to z and digits, with single hyphens between them.'],
    ] as const
    for (const [newSlug, status, says] of cases) {
      expect([newSlug, ...(await check(person, slug, newSlug))]).toEqual([newSlug, 200, says])
      const refused = await person.form(rename(slug), { newSlug, back: path })
      const html = await refused.text()
      expect([newSlug, refused.status, beside(html)]).toEqual([newSlug, status, says])
      expect(html).not.toContain('"><b>')
      expect(fieldsIn(html)).toContainEqual(['newSlug', newSlug])
      const unsaved = await person.form(editor(slug), { ...fields, title: 'Not saved', slug: newSlug, do: 'save' })
      expect([newSlug, unsaved.status, beside(await unsaved.text(), 'slug')]).toEqual([newSlug, status, says])
    }
    await person.api('PATCH', `/api/links/${slug}`, { aliases: [1, 2, 3, 4, 5].map(() => fresh('five')) })
    expect((await check(person, slug, fresh()))[1]).toContain('Remove one of them first.')
    expect((await person.api('GET', `/api/links/${slug}`)).body).toMatchObject({ slug, title: 'Team links' })
  })

  test('only an admin of the bundle can change its link, or ask whether another is free', async () => {
    const ann = await newPerson(at())
    const [editing, viewing, stranger] = [await newPerson(at()), await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(ann, [
      [editing, 'editor'],
      [viewing, 'viewer'],
    ])
    await actFor(ann, id)
    const { slug } = await ann.makeBundle()
    await newOrganization(stranger)
    const open = fresh()
    for (const by of [editing, viewing, stranger]) {
      for (const fields of [{ do: 'check' }, {}] as Record<string, string>[])
        expect((await by.form(rename(slug), { newSlug: open, ...fields })).status).toBe(403)
      expect((await by.fetch(rename(slug))).status).toBe(403)
    }
    const shown = await (await editing.fetch(editor(slug))).text()
    expect([shown.includes('name="slug"'), shown.includes('qr.svg')]).toEqual([false, true])
    const forged = { ...Object.fromEntries(fieldsIn(shown)), slug: open, title: 'Forged', do: 'save' }
    expect((await editing.form(editor(slug), forged)).status).toBe(403)
    for (const who of [new Visitor(at()), new Visitor(at(), { authorization: 'Bearer nothing' })])
      expect((await who.form(rename(slug), { newSlug: open, do: 'check' })).status).toBe(401)
    // A stranger learns the same of a slug that exists and of one that does not.
    const { slug: theirs } = await (await newPerson(at())).makeBundle({ slug: fresh('secret'), access: 'members' })
    for (const newSlug of [theirs, open]) expect((await check(stranger, slug, newSlug))[0]).toBe(403)
    const other = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    for (const fields of [{ do: 'check' }, {}] as Record<string, string>[])
      expect((await ann.form(rename(slug), { newSlug: open, ...fields }, other)).status).toBe(403)
    expect((await ann.api('GET', `/api/links/${slug}`)).body).toMatchObject({ slug, aliases: [], title: null })
    // It leads back only to pages of its own.
    for (const back of ['https://evil.example/', '//evil.example', '/made/../l/x', '/made/x?next=//evil.example'])
      expect((await ann.form(rename(slug), { newSlug: slug, back })).headers.get('location')).toStartWith('/dashboard/')
    expect((await ann.form(rename(slug), { newSlug: open })).status).toBe(303)
  })
})

onEveryTarget({ SERVICE_READS_PER_MINUTE: '20' }, (at) => {
  test('asking whether a slug is free counts as reading, so that nobody goes through a dictionary', async () => {
    const ann = await newPerson(at())
    const { slug } = await ann.makeBundle()
    let says: string[] = []
    for (let times = 0; times < 21; times += 1) {
      const answer = await ann.form(rename(slug), { newSlug: fresh(), do: 'check' })
      says = [...says, ((await answer.json()) as { says: string }).says]
    }
    expect([says[0], says.at(-1)]).toEqual(['Free.', expect.not.stringContaining('Free')])
  })
  const rename = (slug: string) => `/dashboard/links/${slug}/rename`
})
