import { keyIn, NumberKey, nextCursor, Part } from '../core/paging.ts'
import { jsonParts } from '../core/parts.ts'
import { type Subject, signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import * as keys from './keys.ts'
import { rotate } from './keys.ts'
import { KeyList, KeyRotation, MintedKey, NewKey, OneKey, RevokedKey } from './shapes.ts'

/** POST /api/me/keys. */
export const createKey = implement('create_key', {
  summary: 'Create an API key; its text is shown only once',
  description:
    'Creates an API key. `rawKey` is shown only now: pass it on at once, and do not log ' +
    'it. Choose the narrowest scope: it cannot be changed later.',
  status: 201,
  input: NewKey,
  example: { name: 'nightly import', scopes: ['links:write'], rateLimitPerHour: 500 },
  output: MintedKey,
  errors: ['FORBIDDEN', 'PLAN_LIMIT'],
  async run(input, { service, caller, commit }) {
    const minter = signedIn(caller)
    const minted = await keys.mint(input, { store: service.store, caller: minter, commit })
    const { accountMails } = await service.accounts()
    await accountMails.notify(minter.userId, { kind: 'keyMade', name: input.name, actsFor: minter.subject.type })
    return minted
  },
})

/** More keys than this are sent in parts. */
const IN_ONE_PIECE = 1000

/** GET /api/me/keys. */
export const listKeys = implement('list_keys', {
  summary: 'List your API keys, including revoked ones',
  description: 'Lists your keys, or the organisation’s, newest first; revoked ones have `revokedAt`.',
  input: Part,
  output: KeyList,
  errors: ['FORBIDDEN'],
  present: ({ apiKeys, ...rest }: { apiKeys: keys.ListedKey[]; nextCursor?: string; subject: Subject }) => ({
    apiKeys: apiKeys.map(keys.toKeyInfo),
    ...rest,
  }),
  whole: ({ apiKeys, ...rest }) =>
    apiKeys.length <= IN_ONE_PIECE ? null : jsonParts({ apiKeys: apiKeys.values().map(keys.toKeyInfo) }, rest),
  async run({ limit = Number.POSITIVE_INFINITY, cursor }, { service: { store }, caller }) {
    const acting = signedIn(caller)
    const [before] = keyIn(cursor, NumberKey) ?? []
    const found = await keys.list(store, acting, { before, limit: limit + 1 })
    const apiKeys = found.slice(0, limit)
    return { apiKeys, ...nextCursor(apiKeys, found.length > limit, ({ id }) => [id]), subject: acting.subject }
  },
})

/** DELETE /api/me/keys?id=. */
export const revokeKey = implement('revoke_key', {
  summary: 'Revoke an API key, for good and at once',
  description: 'Refuses the key from now on. `id` is from list_keys.',
  input: OneKey,
  output: RevokedKey,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  run: async ({ id }, { service: { store }, caller }) => ({ apiKey: await keys.revoke(store, signedIn(caller), id) }),
})

/** POST /api/me/keys/:id/rotate. */
export const rotateKey = implement('rotate_key', {
  summary: 'Replace an API key',
  description: 'Makes a key in the place of one, which ends `graceHours` later. `rawKey` is shown only now.',
  again: 'is 409 and names the key that took the place',
  status: 201,
  input: KeyRotation,
  example: { id: 7, graceHours: 2 },
  output: MintedKey,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT', 'KEY_NOT_ROTATABLE'],
  async run(input, { service, caller }) {
    const rotator = signedIn(caller)
    const made = await rotate(input, service.store, rotator)
    const { accountMails } = await service.accounts()
    await accountMails.notify(rotator.userId, {
      kind: 'keyRotated',
      name: made.apiKey.name,
      actsFor: rotator.subject.type,
    })
    return made
  },
})
