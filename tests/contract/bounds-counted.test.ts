import { expect, test } from 'bun:test'
import { NAMES } from '../../src/bundles/content/content.ts'
import { WHOLE } from '../every-field.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { HISTORY_BYTES } from './history-bytes.ts'

/** What an account's rows take, as counted at each change and as they are: plans and bounds depend on it. */
const COUNTED = `SELECT history_bytes AS history, ${HISTORY_BYTES} AS "historyIs",
  proposal_bytes AS proposals, (SELECT coalesce(sum(length(CAST(changes AS BLOB)) + coalesce(length(CAST(reason AS BLOB)), 0)
    + coalesce(length(CAST(note AS BLOB)), 0) + 512), 0) FROM proposals WHERE owner_id = owners.id) AS "proposalsAre",
  answer_bytes AS answers, (SELECT coalesce(sum(length(answer) + 256), 0) FROM idempotency_answers WHERE owner_id = owners.id) AS "answersAre"
  FROM owners WHERE user_id = ?`
const LONG = 'é'.repeat(1500)
const URLS = Array.from({ length: 20 }, (_, n) => `https://long.example/${n}/${'x'.repeat(200)}`)
const RULES = {
  version: 1,
  rules: [{ name: 'phones', when: { field: 'device', op: 'equals', value: 'mobile' }, tabs: [{ url: 'http://a.b' }] }],
}
const OWN = { externalId: 'counted', metadata: { project: 'é', owner: 'b' }, aliases: ['counted-1', 'counted-2'] }

type Step = [name: string, step: () => Promise<{ status: number } | undefined>]

onEveryTarget({}, (at) => {
  const expectTrue = async ({ userId }: Person, after: string) => {
    const [row] = (await at().sql(COUNTED, [userId])) as [Record<string, number>]
    const { history, proposals, answers } = row
    const counted = { history, historyIs: history, proposals, proposalsAre: proposals, answers, answersAre: answers }
    expect({ after, ...row }).toEqual({ after, ...counted })
    return row
  }

  test('what counts against an account is what its rows take, after every kind of change', async () => {
    const ann = await newPerson(at())
    const { slug } = await ann.makeBundle()
    const path = `/api/links/${slug}`
    const propose = async (body: object) => {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      return (await ann.api<{ id: string }>('POST', `${path}/proposals`, body, headers)).body.id
    }
    const ids: string[] = []
    const steps: Step[] = [
      ['links', () => ann.api('PATCH', path, { urls: URLS })],
      ['notes', () => ann.api('PATCH', path, { urlMetadata: URLS.map(() => ({ note: LONG.slice(0, 400) })) })],
      ['texts', () => ann.api('PATCH', path, { title: 'é', description: LONG, closedNote: 'closed' })],
      ['times', () => ann.api('PATCH', path, { opensAt: '2020-01-01T00:00:00Z', closesAt: '2099-01-01T00:00:00Z' })],
      ['gates', () => ann.api('PATCH', path, { copyable: true, access: 'members' })],
      [
        'links of every kind',
        () => ann.api('PATCH', path, { urls: WHOLE.urls, urlMetadata: WHOLE.urlMetadata, variables: WHOLE.variables }),
      ],
      ...NAMES.map((name): Step => [name, () => ann.api('PATCH', path, { [name]: WHOLE[name] })]),
      ['what is the owner’s alone', () => ann.api('PATCH', path, { ...OWN })],
      ['a part of that', () => ann.api('PATCH', path, { externalId: 'é', metadata: null })],
      ['another slug', () => ann.api('POST', `${path}/rename`, { newSlug: `${slug}-renamed` })],
      ['its slug again', () => ann.api('POST', `${path}/rename`, { newSlug: slug })],
      ['a copy with all of it', () => ann.api('POST', '/api/links', { ...WHOLE, ...OWN, aliases: [`${slug}-copy`] })],
      ['rules', () => ann.api('PATCH', path, { resolutionPolicy: RULES })],
      ['no rules', () => ann.api('PATCH', path, { resolutionPolicy: null })],
      ['fewer links', () => ann.api('PATCH', path, { urls: ['http://a.b'], urlMetadata: [{}], description: null })],
      ['an earlier version', () => ann.api('POST', `${path}/versions/2/restore`)],
      ['a deletion', () => ann.api('DELETE', path)],
      ['its end', () => ann.api('POST', `${path}/restore`)],
      [
        'proposals',
        async () => {
          for (const title of ['é', 'b', 'c'])
            ids.push(await propose({ title, reason: `because ${LONG.slice(0, 300)}` }))
          return undefined
        },
      ],
      ['rejected', () => ann.api('POST', `${path}/proposals/${ids[0]}/reject`, { note: `no: ${LONG.slice(0, 300)}` })],
      ['accepted', () => ann.api('POST', `${path}/proposals/${ids[1]}/accept`)],
      ['withdrawn', () => ann.api('POST', `${path}/proposals/${ids[2]}/withdraw`)],
      [
        'a claim',
        async () => {
          const wish = { urls: URLS, description: LONG, resolutionPolicy: RULES }
          const { claimToken: token } = await new Visitor(at()).makeBundle(wish)
          return ann.api('POST', '/api/claims', { token })
        },
      ],
    ]
    for (const [name, step] of steps) {
      const answer = await step()
      if (answer !== undefined) expect([name, answer.status < 300]).toEqual([name, true])
      await expectTrue(ann, name)
    }
    await at().sql('DELETE FROM bundles WHERE owner_id = (SELECT id FROM owners WHERE user_id = ?) RETURNING 1', [
      ann.userId,
    ])
    expect(await expectTrue(ann, 'all erased')).toMatchObject({ history: 0, proposals: 0 })
  })
})
