import { type } from 'arktype'
import { signedIn } from '../identity/identify.ts'
import { operation } from '../operation.ts'
import * as keys from './keys.ts'
import { NewKey, OneKey } from './shapes.ts'

/** POST /api/me/keys (spec 4.10). */
export const createKey = operation({
  name: 'create_key',
  summary: 'Mint an API key; its text is shown only once',
  route: 'POST /me/keys',
  access: { scope: 'keys:admin' },
  idempotent: true,
  status: 201,
  input: NewKey,
  run: (input, { service: { store }, caller, commit }) => keys.mint(input, { store, caller: signedIn(caller), commit }),
})

/** GET /api/me/keys (spec 4.11). */
export const listKeys = operation({
  name: 'list_keys',
  summary: "List the acting subject's API keys, revoked ones too",
  route: 'GET /me/keys',
  access: { scope: 'keys:admin' },
  input: type({ '+': 'reject' }),
  async run(_, { service: { store }, caller }) {
    const acting = signedIn(caller)
    return { apiKeys: await keys.list(store, acting), subject: acting.subject }
  },
})

/** DELETE /api/me/keys?id= (spec 4.12). */
export const revokeKey = operation({
  name: 'revoke_key',
  summary: 'Revoke an API key, for good and at once',
  route: 'DELETE /me/keys',
  access: { scope: 'keys:admin' },
  input: OneKey,
  async run({ id }, { service: { store, keyRing }, caller }) {
    const apiKey = await keys.revoke(store, signedIn(caller), id)
    keyRing.forget()
    return { apiKey }
  },
})
