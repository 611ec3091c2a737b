import { beforeAll, describe, expect, test } from 'bun:test'
import { type BundleBody, type CreatedBody, newPerson, type Person, URL_A } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const CAP = 12
const AT_ONCE = 16

// Simultaneous writes share a transaction, but each gets its own answer.
onEveryTarget({ SERVICE_PLAN_FREE_MAX_BUNDLES: String(CAP), SERVICE_WRITES_PER_MINUTE: '0' }, (server) => {
  let owner: Person
  let neighbour: Person
  beforeAll(async () => {
    owner = await newPerson(server())
    neighbour = await newPerson(server())
  })

  const create = (person: Person, body: object = {}, headers: Record<string, string> = {}) =>
    person.api<CreatedBody & { code?: string }>('POST', '/api/links', { urls: [URL_A], ...body }, headers)
  const times = <T>(run: (at: number) => Promise<T>) => Promise.all(Array.from({ length: AT_ONCE }, (_, at) => run(at)))
  const told = (answers: { status: number; body: { code?: string } }[]) =>
    answers.map(({ status, body }) => body.code ?? String(status)).sort()
  const oneOf = (won: string, lost: string) => [won, ...Array.from({ length: AT_ONCE - 1 }, () => lost)].sort()

  describe('writes sent at the same moment', () => {
    test('are refused one by one: a taken slug, a stale version, a used key, a cap', async () => {
      const edited = await owner.makeBundle()
      const slug = `together-${crypto.randomUUID().slice(0, 8)}`
      const key = crypto.randomUUID()
      const path = `/api/links/${edited.slug}`
      const [slugs, edits, keyed, capped] = await Promise.all([
        times(() => create(owner, { slug })),
        times((at) =>
          owner.api<BundleBody & { code?: string }>('PATCH', path, { title: `Edit ${at}` }, { 'if-match': '"v1"' }),
        ),
        times(() => create(owner, {}, { 'idempotency-key': key })),
        times((at) => create(neighbour, { title: `Of ${at}` })),
      ])
      expect(told(slugs)).toEqual(oneOf('201', 'SLUG_TAKEN'))
      expect(told(edits)).toEqual(oneOf('200', 'VERSION_CONFLICT'))
      expect(told(keyed)).toEqual(Array.from({ length: AT_ONCE }, () => '201'))
      expect(new Set(keyed.map(({ body }) => body.slug)).size).toBe(1)
      expect(told(capped).filter((word) => word === '201').length).toBe(CAP)
      expect(told(capped).filter((word) => word === 'PLAN_LIMIT').length).toBe(AT_ONCE - CAP)

      const titles = async (person: Person) => {
        const { body } = await person.api<{ bundles: { slug: string; title: string | null }[] }>('GET', '/api/me/links')
        return body.bundles
      }
      const own = await titles(owner)
      const winner = edits.find(({ status }) => status === 200)?.body.title
      expect(own.map((bundle) => bundle.slug).sort()).toEqual([edited.slug, slug, keyed[0]?.body.slug ?? ''].sort())
      expect(own.find((bundle) => bundle.slug === edited.slug)?.title).toBe(winner ?? '')
      const kept = capped.flatMap(({ status }, at) => (status === 201 ? [`Of ${at}`] : []))
      expect((await titles(neighbour)).map(({ title }) => title ?? '').sort()).toEqual(kept.sort())
    })
  })
})
