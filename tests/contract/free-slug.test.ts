import { expect, setDefaultTimeout, test } from 'bun:test'
import { slugHash } from '../../src/bundles/edit/unversioned.ts'
import { actFor, newOrganization, newPerson, type Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf } from './html.ts'

// Where there is no bundle, whoever could make one there is offered to.

setDefaultTimeout(180_000)

const NOTHING_HERE = 'There’s no bundle at this link.'

let made = 0

onEveryTarget({ SERVICE_PLAN_FREE_MAX_BUNDLES: '3' }, (at) => {
  const newSlug = () => `nobody-has-${++made}`
  const seen = async (as: Visitor | null, path: string, headers: Record<string, string> = {}) => {
    const answer = await (as === null ? fetch(at().origin + path, { headers }) : as.fetch(path, { headers }))
    const shown = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'))
    return { status: answer.status, headers: shown, html: await answer.text() }
  }
  /** What a browser gets whose session is not one: the page of today, whatever the slug. */
  const unoffered = (path: string) => seen(null, path, { cookie: `${[...someone.cookies.keys()][0]}=nothing` })
  let someone: Visitor

  test('a person who is signed in is offered to make the bundle, and the form has the slug', async () => {
    const ann = await newPerson(at())
    const slug = newSlug()
    const { status, html, headers } = await seen(ann, `/l/${slug}`)
    expect([status, headers['cache-control'], headers['x-robots-tag']]).toEqual([
      404,
      'no-store, no-transform',
      'noindex',
    ])
    expect(html).toContain(NOTHING_HERE)
    expect(html).toContain(`Create a bundle at /l/${slug}`)
    const form = await seen(ann, `/dashboard/links/new?slug=${slug}`)
    expect(html).toContain(`href="/dashboard/links/new?slug=${slug}"`)
    const field = elementsOf(form.html).find(({ attributes }) => attributes.id === 'slug')
    expect(field?.attributes.value).toBe(slug)
    await ann.makeBundle({ slug })
    expect((await seen(ann, `/l/${slug}`)).status).toBe(200)
  })

  test('nobody else is, and nothing tells them whether they could be', async () => {
    someone = await newPerson(at())
    const [slug, other] = [newSlug(), newSlug()]
    const [signedOut, ended] = [await seen(null, `/l/${slug}`), await unoffered(`/l/${slug}`)]
    expect(signedOut).toEqual(await seen(null, `/l/${other}`))
    expect(ended).toEqual(await unoffered(`/l/${other}`))
    for (const { status, html } of [signedOut, ended]) {
      expect([status, html.includes('/dashboard/links/new'), html.includes(slug)]).toEqual([404, false, false])
    }
    // A program asks for another form, and a browser for another page.
    expect((await seen(someone, `/l/${slug}.json`)).html).not.toContain('Create a bundle')
    expect((await seen(someone, `/l/${slug}/value`)).html).not.toContain('Create a bundle')
  })

  test('a slug that cannot be had looks to everybody as if nothing were offered', async () => {
    const ann = await newPerson(at())
    someone = ann
    const [deleted, retired] = [newSlug(), newSlug()]
    const theirs = await newPerson(at())
    await theirs.makeBundle({ slug: deleted })
    await theirs.api('DELETE', `/api/links/${deleted}`)
    await at().sql('INSERT INTO retired_slugs (slug_hash) VALUES (?)', [slugHash(retired)])
    for (const slug of [deleted, retired, 'admin', 'dry-run', 'ab', 'Not-A-Slug', 'a--b', 'x'.repeat(65), '%3Cb%3E']) {
      expect([slug, await seen(ann, `/l/${slug}`)]).toEqual([slug, await unoffered(`/l/${slug}`)])
    }
    const form = await seen(ann, `/dashboard/links/new?slug=${encodeURIComponent('"><b>'.repeat(20))}`)
    expect([form.status, form.html.includes('<b>')]).toEqual([200, false])
  })

  test('it is offered only where a bundle could be made now: with room, and by an editor', async () => {
    const [ann, bob] = [await newPerson(at()), await newPerson(at())]
    const isOffered = async (as: Visitor) => (await seen(as, `/l/${newSlug()}`)).html.includes('Create a bundle at')
    const { id } = await newOrganization(ann, [[bob, 'viewer']])
    expect(await isOffered(bob)).toBe(true)
    await actFor(bob, id)
    expect(await isOffered(bob)).toBe(false)
    for (const _ of [1, 2, 3]) await ann.makeBundle()
    expect(await isOffered(ann)).toBe(false)
  })
})
