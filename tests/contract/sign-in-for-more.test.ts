import { beforeAll, expect, test } from 'bun:test'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// A launcher whose rules ask for an account tells viewers without a session that signing in may show more, and no more than that.

const LINE = 'Sign in to see more'
const tabs = [{ url: 'https://intranet.example/' }]
const policyOf = (when: object) => ({ version: 1, rules: [{ name: 'Colleagues', when, base: 'bundle', tabs }] })

onEveryTarget({}, (server) => {
  let person: Person
  beforeAll(async () => {
    person = await newPerson(server())
  })
  const look = async (by: Visitor, path: string) => (await by.fetch(path)).text()
  const stranger = () => new Visitor(server())

  test.each([
    ['signedIn', { op: 'signedIn' }],
    ['emailDomain', { op: 'endsWith', field: 'emailDomain', value: '.example' }],
    ['orgRole, within', { op: 'not', of: [{ op: 'or', of: [{ op: 'exists', field: 'orgRole' }] }] }],
  ])(
    'a rule on %s: one line for viewers without a session, before and after somebody signed in looks',
    async (_, when) => {
      const { slug } = await person.makeBundle({ resolutionPolicy: policyOf(when) })
      const path = `/l/${slug}`
      for (let round = 0; round < 2; round += 1) {
        const seen = await look(stranger(), path)
        expect(seen.split(LINE)).toHaveLength(2)
        expect(seen).toContain(`<a href="/sign-in?next=/l/${slug}">${LINE}</a>`)
        expect(await look(person, path)).not.toContain(LINE)
      }
      const plain = await look(stranger(), path)
      // What it would show stays unknown, and so does whom the rule is for.
      if (!('of' in when)) expect(plain).not.toMatch(/intranet|Colleagues/)
      const back = await stranger().fetch(`/sign-in?next=/l/${slug}`)
      expect(await back.text()).toContain(`/l/${slug}`)
    },
  )

  test('no line without such a rule, nor for programs; values keep it', async () => {
    const { slug } = await person.makeBundle({
      resolutionPolicy: policyOf({ op: 'equals', field: 'device', value: 'mobile' }),
    })
    expect(await look(stranger(), `/l/${slug}`)).not.toContain(LINE)
    const { slug: none } = await person.makeBundle()
    expect(await look(stranger(), `/l/${none}`)).not.toContain(LINE)
    const { slug: asking } = await person.makeBundle({
      urls: ['https://shop.example/{customer}'],
      variables: [{ name: 'customer' }],
      resolutionPolicy: policyOf({ op: 'signedIn' }),
    })
    for (const path of [`/l/${asking}`, `/l/${asking}?customer=EU-17`, `/l/${asking}/EU-18`, `/l/${asking}?ref=x`]) {
      expect([path, (await look(stranger(), path)).includes(LINE)]).toEqual([path, true])
      expect([path, (await look(person, path)).includes(LINE)]).toEqual([path, false])
    }
    expect(await look(stranger(), `/l/${asking}.md`)).not.toContain(LINE)
  })

  test('views without a session are counted for the rule that they match', async () => {
    const { slug } = await person.makeBundle({ resolutionPolicy: policyOf({ op: 'not', of: [{ op: 'signedIn' }] }) })
    for (let view = 0; view < 3; view += 1) {
      const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0' }
      const answer = await stranger().fetch(`/l/${slug}`, { headers })
      expect(await answer.text()).toContain('intranet')
    }
    const deadline = Date.now() + 30_000
    let views: number | undefined
    while (views !== 3 && Date.now() < deadline) {
      const { body } = await person.api<{ byRule: { views: number }[] }>('GET', `/api/links/${slug}/insights`)
      views = body.byRule[0]?.views
      if (views !== 3) await Bun.sleep(200)
    }
    expect(views).toBe(3)
  })
})
