import { beforeAll, expect, test } from 'bun:test'
import { STATUS } from '../../src/core/codes.ts'
import { createClient, type OpenallError } from '../../src/sdk/openall.ts'
import { newPerson, type Person, URL_A, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { ERROR_FIELDS, told } from '../told.ts'

interface Refused {
  error: string
  code: string
  errors?: { path: string; message: string }[]
}

const POLICY = {
  version: 1,
  rules: [
    { name: ' ', when: { op: 'and', of: [{ op: 'is' }, { op: 'exists', field: 'x' }] }, tabs: [{ url: 'x' }] },
    { name: 'b', when: { op: 'signedIn' }, tabs: Array(21).fill({ url: URL_A }), extra: 1 },
  ],
}

onEveryTarget({}, (at) => {
  let person: Person
  beforeAll(async () => {
    person = await newPerson(at())
  })
  const refused = async (input: object) => (await person.api<Refused>('POST', '/api/links', input)).body

  test('everything that is wrong with an input is answered, links first, each with its path and a sentence', async () => {
    const input = { titel: 'x', title: 1, urls: [URL_A, 'a.example'], urlMetadata: [{ tags: ['', 2] }] }
    const { error, code, errors = [] } = await refused({ ...input, resolutionPolicy: POLICY })
    expect([code, errors[0]]).toEqual(['INVALID_URLS', { path: 'urls[1]', message: error }])
    expect(error).toBe('urls[1] must be an http: or https: URL, not "a.example": did you mean "https://a.example"?')
    const rules = 'resolutionPolicy.rules'
    expect(errors.map(({ path }) => path).sort()).toEqual(
      [
        ...['urls[1]', 'titel', 'title', 'urlMetadata[0].tags[0]', 'urlMetadata[0].tags[1]'],
        ...['name', 'when.of[0].op', 'when.of[1].field', 'tabs[0].url'].map((name) => `${rules}[0].${name}`),
        ...['tabs', 'extra'].map((name) => `${rules}[1].${name}`),
      ].sort(),
    )
    for (const { path, message } of errors) expect(message).toStartWith(`${path} `)
    expect(errors.find(({ path }) => path === 'titel')?.message).toContain('did you mean title?')
  })

  test('the SDK’s error has them too', async () => {
    const openall = createClient({ server: at().origin })
    const call = openall.createBundle({ urls: ['x', 'y'], title: 'x'.repeat(201) })
    const failed = (await call.catch((error) => error)) as OpenallError
    expect([failed.code, failed.errors.map(({ path }) => path)]).toEqual([
      'INVALID_URLS',
      ['urls[0]', 'urls[1]', 'title'],
    ])
    expect(failed.toJSON()).toEqual({ error: failed.message, code: failed.code, errors: failed.errors, ...told })
  })

  test('a path is as short and as harmless as what a sentence quotes of it', async () => {
    const long = `${'"'.repeat(100_000)}\u009b\u202e`
    const { errors = [] } = await refused({ urls: [URL_A], [long]: 1, '\u009b\u202e': 1 })
    expect(errors.map(({ path }) => path.length < 250)).toEqual([true, true])
    expect(JSON.stringify(errors)).not.toMatch(/[\u0080-\u009f\u202a-\u202e]/)
    for (const { path, message } of errors) expect(message).toStartWith(`${path} `)
  })

  test('one error has no list, and of thousands a hundred are answered', async () => {
    expect(Object.keys(await refused({ urls: ['x'] }))).toEqual(ERROR_FIELDS)
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`field${at}`, 1]))
    const { errors = [] } = await refused({ urls: [URL_A], ...many })
    expect(errors).toHaveLength(100)
    expect(JSON.stringify(errors).length).toBeLessThan(50_000)
    const metadata = Object.fromEntries(
      Array.from({ length: 25 }, (_, at) => [
        `${URL_A}${at}`,
        { note: 1, section: 1, tags: 1, openPolicy: 1, check: 1 },
      ]),
    )
    for (const sent of [
      { setMetadata: metadata, removeUrls: ['x'] },
      { ...many, addUrls: [1] },
    ]) {
      const { slug } = await person.makeBundle()
      const { body } = await person.api<Refused>('PATCH', `/api/links/${slug}`, sent)
      expect([
        body.code,
        body.errors?.length,
        /^(?:addUrls|removeUrls)\[0\]$/.test(body.errors?.[0]?.path ?? ''),
      ]).toEqual(['INVALID_URLS', 100, true])
    }
  })

  test('what better-auth finds wrong is said like everything else, with codes that the document has', async () => {
    const { body } = await new Visitor(at()).api<Refused>('POST', '/api/auth/sign-in/email', { password: 1 })
    expect(body).toEqual({
      error: 'email is missing: it must be a string',
      code: 'BAD_REQUEST',
      errors: [
        { path: 'email', message: 'email is missing: it must be a string' },
        { path: 'password', message: 'password must be a string' },
      ],
      ...told,
    })
    const removed = await person.api<Refused>('POST', '/api/auth/organization/remove-member', {})
    expect(removed.body).toMatchObject({
      error: 'memberIdOrEmail is missing: it must be a string',
      code: 'BAD_REQUEST',
    })
    const { body: document } = await person.api<{ 'x-errors': object }>('GET', '/api/openapi.json')
    const listed = Object.keys(document['x-errors'])
    expect(listed).toEqual(Object.keys(STATUS))
    for (const [path, sent] of REFUSED) {
      const { status, body } = await person.api<Refused>('POST', `/api/auth${path}`, sent)
      expect([path, listed.includes(body.code), status]).toEqual([path, true, STATUS[body.code as 'BAD_REQUEST']])
      expect(body.error).not.toMatch(/^\[|Invalid input/)
    }
  })
})

/** Calls that better-auth refuses, for many reasons. */
const REFUSED: readonly (readonly [path: string, sent: object])[] = [
  ['/sign-in/email', { email: 'nobody@mail.example', password: 'not this one' }],
  ['/sign-in/email', { email: 'no address', password: 'not this one' }],
  ['/sign-up/email', { email: 'x@mail.example', name: '', password: 'short' }],
  ['/sign-up/email', { email: 'x@mail.example', name: '', password: 'password123' }],
  ['/sign-in/social', { provider: 'nobody' }],
  ['/reset-password', { newPassword: 'a fine long password', token: 'x' }],
  ['/change-password', { currentPassword: 'wrong', newPassword: 'a fine long password' }],
  ['/verify-password', { password: 'wrong' }],
  ['/delete-user', { password: 'wrong' }],
  ['/revoke-session', {}],
  ['/organization/create', { name: 'x'.repeat(101), slug: 's' }],
  ['/organization/update', { organizationId: 'x', data: { name: 'y' } }],
  ['/organization/delete', { organizationId: 'x' }],
  ['/organization/leave', { organizationId: 'x' }],
  ['/organization/set-active', { organizationId: 'x' }],
  ['/organization/invite-member', { organizationId: 'x', email: 'x@mail.example', role: 'king' }],
  ['/organization/cancel-invitation', { invitationId: 'x' }],
  ['/organization/accept-invitation', { invitationId: 'x' }],
  ['/organization/update-member-role', { organizationId: 'x', memberId: 'x', role: 'admin' }],
]
