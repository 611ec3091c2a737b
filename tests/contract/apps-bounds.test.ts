import { expect, test } from 'bun:test'
import { registerApp } from '../../src/keys/apps.ts'
import { askPath, backTo, newApp, newProof, reach, refresh, type SignedInApp, signInApp } from '../oauth.ts'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const SECRET = 'a secret of the service that is long enough'

// Apps of all tests share an address.
onEveryTarget({ SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000', SERVICE_SECRET: SECRET }, (at) => {
  const sql = (text: string, args: unknown[] = []) => at().sql(text, args as never)
  const count = async (text: string, args: unknown[] = []) => Number((await sql(text, args))[0]?.n)
  const numbers = (rows: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`
  const newestKey = ({ userId }: Person) => count('SELECT max(id) AS n FROM api_keys WHERE minted_by = ?', [userId])
  const tokensOf = (keyId: number) => count('SELECT count(*) AS n FROM app_refresh_tokens WHERE key_id = ?', [keyId])

  test('revoking an app’s key forgets what renews it, and no other app’s', async () => {
    const person = await newPerson(at())
    const other = await signInApp(at(), person)
    const app = await signInApp(at(), person)
    const keyId = await newestKey(person)
    expect(await tokensOf(keyId)).toBe(1)
    expect((await person.api('DELETE', `/api/me/keys?id=${keyId}`)).status).toBe(200)
    expect(await tokensOf(keyId)).toBe(0)
    expect((await refresh(at(), app)).body.error).toBe('invalid_grant')
    expect((await refresh(at(), other)).status).toBe(200)
  })

  test('an app is one of the hundred keys that may work: the next is refused on the page, one at a time, until one ends', async () => {
    const person = await newPerson(at())
    await signInApp(at(), person)
    const keyId = await newestKey(person)
    const owner = await count('SELECT owner_id AS n FROM api_keys WHERE id = ?', [keyId])
    await sql(
      `${numbers(98)} INSERT INTO api_keys (owner_id, minted_by, name, key_prefix, secret_hash, scopes, created_at)
        SELECT ?1, ?2, 'key', 'oa_' || ?1 || '_' || i, zeroblob(32), '["links:read"]', 1 FROM n RETURNING 1`,
      [owner, person.userId],
    )
    const path = askPath(await newApp(at()), newProof().challenge)
    const connect = async () => {
      const answer = await person.form(path, { decision: 'connect', subject: '' })
      return backTo(answer) === null ? [answer.status, (await answer.text()).includes('revoke one')] : 'connected'
    }
    const refused = [403, true]
    const together = await Promise.all([connect(), connect(), connect(), connect()])
    expect(together.filter((one) => one === 'connected')).toHaveLength(1)
    expect(together.filter((one) => one !== 'connected')).toEqual([refused, refused, refused])
    expect(await connect()).toEqual(refused)
    // It came no more.
    await sql('UPDATE app_grants SET ends_at = 1 WHERE key_id = ? RETURNING 1', [keyId])
    expect(await connect()).toBe('connected')
    expect(await connect()).toEqual(refused)
    // The page before an account is deleted counts the same keys: it was one more than worked.
    const asked = await (await person.fetch('/dashboard/settings/delete')).text()
    expect(asked).toContain('100 API keys')
    // Whoever minted it has left.
    await sql(
      'UPDATE api_keys SET minter_left_at = 1 WHERE id = (SELECT min(id) FROM api_keys WHERE owner_id = ?1 AND id > ?2) RETURNING 1',
      [owner, keyId],
    )
    expect(await connect()).toBe('connected')
  })

  test('an app that renews its token without end is ended, and answers to its earlier renewals are forgotten', async () => {
    const person = await newPerson(at())
    const app = await signInApp(at(), person)
    const keyId = await newestKey(person)
    const renewed = async (from: SignedInApp): Promise<SignedInApp> => {
      const { status, body } = await refresh(at(), from)
      expect(status).toBe(200)
      return { ...from, accessToken: body.access_token, refreshToken: body.refresh_token }
    }
    const second = await renewed(app)
    const answers = () =>
      count('SELECT count(*) AS n FROM app_refresh_tokens WHERE key_id = ? AND answer IS NOT NULL', [keyId])
    expect(await answers()).toBe(1)
    await sql('UPDATE app_refresh_tokens SET used_at = used_at - 61000 WHERE key_id = ? AND used_at > 0 RETURNING 1', [
      keyId,
    ])
    const third = await renewed(second)
    expect(await answers()).toBe(1)
    expect((await reach(at(), third.accessToken)).mcp).toBe(200)
    await sql(
      `${numbers(1_500)} INSERT INTO app_refresh_tokens (hash, key_id, created_at, used_at)
        SELECT randomblob(32), ?1, ?2, ?2 FROM n RETURNING 1`,
      [keyId, Date.now()],
    )
    const last = await refresh(at(), third)
    expect((await reach(at(), last.body.access_token ?? third.accessToken)).mcp).toBe(401)
    expect(await tokensOf(keyId)).toBe(0)
  })

  test('an id that an app got before a scheme was refused leads nowhere', async () => {
    const person = await newPerson(at())
    for (const redirect_uri of ['ms-msdt:/id', 'search-ms:query', 'javascript:alert(1)']) {
      const { id } = registerApp({ name: 'Old app', redirectUris: [redirect_uri] }, SECRET)
      const path = askPath(id, newProof().challenge, { redirect_uri })
      const answers = [await person.fetch(path), await person.form(path, { decision: 'connect', subject: '' })]
      for (const answer of answers)
        expect([redirect_uri, answer.status, backTo(answer)]).toEqual([redirect_uri, 400, null])
    }
    const { id } = registerApp({ name: 'Old app', redirectUris: ['com.example.app:/back'] }, SECRET)
    const path = askPath(id, newProof().challenge, { redirect_uri: 'com.example.app:/back' })
    expect((await person.fetch(path)).status).toBe(200)
  })
})
