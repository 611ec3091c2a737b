import { expect, test } from 'bun:test'
import {
  beginDevice,
  DEVICE_GRANT,
  decideDevice,
  newApp,
  OWN_COMMAND,
  poll,
  pollPatiently,
  post,
  reach,
  redeem,
  refresh,
  register,
} from '../oauth.ts'
import { mailTo, newOrganization, newPerson, signUp, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const FOR_DEVICES = { redirect_uris: [], grant_types: [DEVICE_GRANT], client_name: 'Build robot' }

// Devices of all tests share an address.
onEveryTarget({ SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000', SERVICE_CLIENT_IP_HEADER: 'x-client' }, (at) => {
  const begin = async (fields: Record<string, string> = {}, headers: Record<string, string> = {}) => {
    const { status, body } = await beginDevice(at(), fields, headers)
    if (status !== 200) throw new Error(`a device was refused: ${status} ${JSON.stringify(body)}`)
    return body
  }
  const keysOf = async (person: Visitor) =>
    (await person.api<{ apiKeys: { id: number; name: string; app?: { host: string } }[] }>('GET', '/api/me/keys')).body
      .apiKeys

  test('a device signs in by a code that is typed elsewhere, renews its token, is listed, and can be revoked', async () => {
    const device = await begin()
    expect({ ...device }).toMatchObject({
      user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-Z]{4}-[B-DF-HJ-NP-TV-Z]{4}$/),
      verification_uri: `${at().origin}/device`,
      expires_in: 600,
      interval: 5,
    })
    expect(device).not.toHaveProperty('verification_uri_complete')
    const waiting = await poll(at(), device.device_code)
    expect([waiting.status, waiting.body.error]).toEqual([400, 'authorization_pending'])
    const person = await newPerson(at())
    const typed = device.user_code.toLowerCase().replace('-', ' ')
    const asked = await (await person.form('/device', { code: typed })).text()
    for (const text of ['Openall command line', 'links:write', person.email]) expect(asked).toContain(text)
    expect(await keysOf(person)).toEqual([])
    expect(await (await decideDevice(person, typed)).text()).toContain('Device connected')
    const { status, body } = await pollPatiently(at(), device.device_code)
    expect([status, body.scope, body.expires_in]).toEqual([200, 'links:read links:write', 3600])
    expect(await reach(at(), body.access_token)).toEqual({ mcp: 200, api: 200 })
    const app = { clientId: OWN_COMMAND, accessToken: body.access_token, refreshToken: body.refresh_token, scope: '' }
    const renewed = await refresh(at(), app)
    expect(await reach(at(), renewed.body.access_token)).toEqual({ mcp: 200, api: 200 })
    const [listed] = await keysOf(person)
    expect(listed).toMatchObject({ name: 'Openall command line', app: { host: 'device' } })
    expect(await (await person.fetch('/dashboard/keys')).text()).toContain('on a device')
    expect((await mailTo(at(), person.email, 'New app connected')).text).toContain('Openall command line')
    await person.form(`/dashboard/keys/${listed?.id}/revoke`, {})
    expect(await reach(at(), renewed.body.access_token)).toEqual({ mcp: 401, api: 401 })
  })

  test('who asks too often is told to slow down, and learns nothing by asking', async () => {
    // So many at once that on the slowest machine most of them are too soon.
    const pollAtOnce = (code: string) => Promise.all(Array.from({ length: 6 }, () => poll(at(), code)))
    const device = await begin()
    const waiting = (await pollAtOnce(device.device_code)).map(({ status, body }) => [status, body.error])
    expect(waiting).toContainEqual([400, 'authorization_pending'])
    expect(waiting).toContainEqual([400, 'slow_down'])
    await decideDevice(await newPerson(at()), device.user_code)
    const decided = await pollAtOnce(device.device_code)
    expect(decided.map(({ status, body }) => [status, body.error])).toContainEqual([400, 'slow_down'])
    const tokens = decided.find(({ status }) => status === 200) ?? (await pollPatiently(at(), device.device_code))
    expect(await reach(at(), tokens.body.access_token)).toEqual({ mcp: 200, api: 200 })
  })

  test('who is signed out signs in first and types the code then; a code in the address is not filled in', async () => {
    const device = await begin()
    for (const path of ['/device', `/device?user_code=${device.user_code}&code=${device.user_code}`]) {
      const answer = await new Visitor(at()).fetch(path)
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fdevice'])
      const page = await (await (await newPerson(at())).fetch(path)).text()
      expect(page).not.toContain(device.user_code)
    }
    const typed = await new Visitor(at()).form('/device', { code: device.user_code, decision: 'connect', subject: '' })
    expect([typed.status, typed.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fdevice'])
    const squatter = await decideDevice(await signUp(at()), device.user_code)
    expect(squatter.status).toBe(403)
    expect((await poll(at(), device.device_code)).body.error).toBe('authorization_pending')
  })

  test('a page of another site, a GET, an app and an old sign-in connect nothing', async () => {
    const device = await begin()
    const person = await newPerson(at())
    const fields = { code: device.user_code, decision: 'connect', subject: '' }
    const foreign: Record<string, string>[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]
    for (const headers of foreign) expect((await person.form('/device', fields, headers)).status).toBe(403)
    await person.fetch(`/device?${new URLSearchParams(fields)}`)
    const program = new Visitor(at(), { authorization: `Bearer ${(await person.mint()).rawKey}` })
    await program.form('/device', fields)
    await at().sql('UPDATE session SET created_at = created_at - 90000000 WHERE user_id = ?', [person.userId])
    const late = await person.form('/device', fields)
    expect([late.status, late.headers.get('location')]).toEqual([303, '/sign-in?as=again&next=%2Fdevice'])
    expect((await poll(at(), device.device_code)).body.error).toBe('authorization_pending')
  })

  test('no published app is asked for on a device: only the command, and apps registered for it', async () => {
    const browsers = await newApp(at())
    for (const [client_id, error] of [
      [browsers, 'unauthorized_client'],
      ['https://agent.example/client.json', 'unauthorized_client'],
      ['nobody', 'invalid_client'],
      ['', 'invalid_client'],
    ] as const) {
      const { status, body } = await beginDevice(at(), { client_id })
      expect([client_id, status, body.error]).toEqual([client_id, 400, error])
    }
    const { status, body } = await register(at(), FOR_DEVICES)
    expect([status, body.redirect_uris, body.grant_types]).toEqual([201, [], [DEVICE_GRANT, 'refresh_token']])
    const device = await begin({ client_id: body.client_id })
    const page = await (await (await newPerson(at())).form('/device', { code: device.user_code })).text()
    for (const text of ['Build robot', 'chose its name itself']) expect(page).toContain(text)
    expect((await register(at(), { ...FOR_DEVICES, client_name: '' })).body.error).toBe('invalid_client_metadata')
    // It has nowhere to send a browser to.
    const path = `/oauth/authorize?${new URLSearchParams({ client_id: body.client_id, response_type: 'code' })}`
    expect((await (await newPerson(at())).fetch(path)).status).toBe(400)
  })

  test('a device gets no scope that makes keys or sends data elsewhere, and no resource that is not ours', async () => {
    const wrong: [Record<string, string>, string][] = [
      [{ scope: 'keys:admin' }, 'invalid_scope'],
      [{ scope: 'links:read keys:admin' }, 'invalid_scope'],
      [{ scope: 'webhooks:write' }, 'invalid_scope'],
      [{ scope: 'links:write webhooks:write' }, 'invalid_scope'],
      [{ scope: 'everything' }, 'invalid_scope'],
      [{ resource: 'https://evil.example/api' }, 'invalid_target'],
    ]
    for (const [more, error] of wrong) {
      const { status, body } = await beginDevice(at(), more)
      expect([more, status, body.error]).toEqual([more, 400, error])
    }
    const narrow = await begin({ scope: 'links:read', resource: '' })
    await decideDevice(await newPerson(at()), narrow.user_code)
    expect((await poll(at(), narrow.device_code, { resource: `${at().origin}/api` })).body.error).toBe('invalid_target')
    const { body } = await pollPatiently(at(), narrow.device_code, { scope: 'links:write' })
    expect(body.scope).toBe('links:read')
    expect(await reach(at(), body.access_token)).toEqual({ mcp: 200, api: 401 })
  })

  test('a device’s code is of its client alone, good once, and worth nothing as a code of a browser', async () => {
    const other = await newApp(at(), FOR_DEVICES)
    const device = await begin()
    const theirs = { client_id: other }
    expect((await poll(at(), device.device_code, theirs)).body.error).toBe('invalid_grant')
    await decideDevice(await newPerson(at()), device.user_code)
    expect((await poll(at(), device.device_code, theirs)).body.error).toBe('invalid_grant')
    const asCode = await redeem(at(), OWN_COMMAND, device.device_code, 'x'.repeat(43), { redirect_uri: '' })
    expect(asCode.body.error).toStartWith('invalid_')
    const { body } = await pollPatiently(at(), device.device_code)
    expect(await reach(at(), body.access_token)).toMatchObject({ api: 200 })
    // Used again, it is in two hands: what it gave ends.
    const again = await pollPatiently(at(), device.device_code)
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant'])
    expect(await reach(at(), body.access_token)).toMatchObject({ api: 401 })
  })

  test('of many requests with one connected code, at most one gets tokens', async () => {
    const device = await begin()
    await decideDevice(await newPerson(at()), device.user_code)
    const answers = await Promise.all(Array.from({ length: 8 }, () => poll(at(), device.device_code)))
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
  })

  test('of several people who connect one device at once, one does, and the others are told', async () => {
    const device = await begin()
    const people = await Promise.all([newPerson(at()), newPerson(at()), newPerson(at())])
    const pages = await Promise.all(people.map((person) => decideDevice(person, device.user_code)))
    expect(pages.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
    const { status } = await pollPatiently(at(), device.device_code)
    expect(status).toBe(200)
    const keys = await Promise.all(people.map(keysOf))
    expect(keys.map(({ length }) => length).toSorted()).toEqual([0, 0, 1])
    expect((await decideDevice(people[0], device.user_code)).status).toBe(404)
  })

  test('Cancel tells the device, a code expires, and nobody connects either afterwards', async () => {
    const person = await newPerson(at())
    const denied = await begin()
    expect(await (await decideDevice(person, denied.user_code, 'cancel')).text()).toContain('Device not connected')
    expect((await decideDevice(person, denied.user_code)).status).toBe(404)
    expect((await poll(at(), denied.device_code)).body.error).toBe('access_denied')
    const late = await begin()
    await at().sql('UPDATE device_requests SET expires_at = ? WHERE denied_at IS NULL', [Date.now()])
    expect((await decideDevice(person, late.user_code)).status).toBe(404)
    expect((await poll(at(), late.device_code)).body.error).toBe('expired_token')
    expect((await poll(at(), 'no such code')).body.error).toBe('invalid_grant')
    expect(await keysOf(person)).toEqual([])
  })

  test('an organisation’s device needs an admin', async () => {
    const [owner, editor] = [await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(owner, [[editor, 'editor']])
    const device = await begin()
    expect((await decideDevice(editor, device.user_code, 'connect', id)).status).toBe(403)
    expect((await decideDevice(owner, device.user_code, 'connect', id)).status).toBe(200)
    const { body } = await pollPatiently(at(), device.device_code)
    const robot = new Visitor(at(), { authorization: `Bearer ${body.access_token}` })
    expect((await robot.api('GET', '/api/me')).body).toMatchObject({ subject: { organizationId: id } })
  })

  test('codes are not stored as they are, and who decides is told if the device is elsewhere', async () => {
    const person = new Visitor(at(), { 'x-client': '203.0.113.7' })
    for (const [name, value] of (await newPerson(at())).cookies) person.cookies.set(name, value)
    const near = await begin({}, { 'x-client': '203.0.113.7' })
    const far = await begin({}, { 'x-client': '198.51.100.9' })
    expect(await (await person.form('/device', { code: near.user_code })).text()).toContain('Your network')
    expect(await (await person.form('/device', { code: far.user_code })).text()).toContain('Another network than yours')
    const stored = JSON.stringify(await at().sql('SELECT * FROM device_requests'), (_, value) =>
      ArrayBuffer.isView(value) || value instanceof ArrayBuffer
        ? Buffer.from(value as Uint8Array).toString('latin1')
        : value,
    )
    for (const text of [near.device_code, near.user_code.replace('-', ''), near.user_code, '203.0.113.7'])
      expect(stored).not.toContain(text)
  })

  test('a network has fifty codes waiting, the service ten thousand; expired ones make room', async () => {
    await at().sql('DELETE FROM device_requests')
    const from = { 'x-client': '192.0.2.1' }
    for (let n = 0; n < 50; n += 1) await begin({}, from)
    const full = await beginDevice(at(), {}, from)
    expect([full.status, full.body.error, full.body.code]).toEqual([429, 'slow_down', 'RATE_LIMITED'])
    await at().sql('UPDATE device_requests SET expires_at = 1')
    await begin({}, from)
    await at().sql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
        INSERT INTO device_requests (hash, user_code_hash, client_hash, name, audience, scopes, network_hash, expires_at)
        SELECT randomblob(32), 'u' || i, zeroblob(32), 'flood', 'api', '[]', 'n' || i, ? FROM n RETURNING 1`,
      [Date.now() + 600_000],
    )
    expect((await beginDevice(at(), {}, { 'x-client': '192.0.2.2' })).status).toBe(429)
    await at().sql('DELETE FROM device_requests')
    await begin({}, from)
  })

  test('a person may try twenty codes in ten minutes', async () => {
    const person = await newPerson(at())
    const statuses: number[] = []
    for (let n = 0; n < 22; n += 1) statuses.push((await person.form('/device', { code: `BCDF-GH${n}` })).status)
    expect(statuses).toEqual([...Array(20).fill(404), 429, 429])
    const device = await begin()
    expect((await decideDevice(person, device.user_code)).status).toBe(429)
    expect((await poll(at(), device.device_code)).body.error).toBe('authorization_pending')
  })

  test('the form of a device is checked as every other: one of each parameter, a code and a client', async () => {
    for (const fields of [{ device_code: '' }, { client_id: '' }]) {
      const { status, body } = await post(at(), 'token', {
        grant_type: DEVICE_GRANT,
        client_id: OWN_COMMAND,
        device_code: 'x',
        ...fields,
      })
      expect([fields, status, body.error]).toEqual([fields, 400, 'invalid_request'])
    }
  })
})
