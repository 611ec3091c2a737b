/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { typed } from '../../../src/http/body.ts'
import { SCOPES } from '../../../src/identity/caller.ts'
import type { ListedKey } from '../../../src/keys/keys.ts'
import { createKey, listKeys, revokeKey } from '../../../src/keys/operations.ts'
import { DEFAULT_PER_HOUR } from '../../../src/keys/shapes.ts'
import { usedInLastHour } from '../../../src/limits/rate-limits.ts'
import { withFlash } from '../../parts/messages.ts'
import { formErrors, missingProof } from '../parts/form.tsx'
import { forAdmins, type Outcome, resultOrProblem, run, runOnce, type Screen, type Visit } from '../parts/screens.tsx'
import { endOf } from './key-row.tsx'
import { type KeyForm, KeyMadeView, NewKeyView } from './new-key.tsx'
import { endOfDay, keyIn, rotateScreen } from './rotate.tsx'
import { KeysView, RevokeView } from './view.tsx'

/** Keys per page; the number of revoked keys is unbounded. */
const PAGE = 50

const LIST = routes.keys.list.path

const FIELDS = ['name', 'scopes', 'rateLimitPerHour', 'expiresAt', 'allowedNetworks'] as const

const adminsOnly = forAdmins('keys', {
  title: 'API keys',
  may: 'manage API keys',
  why: 'An organisation’s keys can reach all of its bundles.',
  ask: 'ask an admin for a key',
})

/** The acting subject's API keys. */
export const keyScreens: readonly Screen[] = [
  {
    path: LIST,
    get: adminsOnly(async (visit) => {
      const { apiKeys } = await run(visit, listKeys, {})
      const sorted = [...apiKeys.filter(isActive), ...apiKeys.filter((key) => !isActive(key))]
      const offset = Math.max(0, Math.min(Math.trunc(Number(visit.query.get('offset'))) || 0, sorted.length - 1))
      const page = sorted.slice(offset, offset + PAGE)
      const list = { keys: await withUse(visit, page), total: sorted.length, offset, limit: PAGE }
      return { section: 'keys', title: 'API keys', view: <KeysView site={visit.site} {...list} /> }
    }),
  },
  {
    path: routes.keys.new.path,
    get: adminsOnly(async (visit) => {
      const title = 'Create API key'
      const missing = missingProof(visit.site, title, routes.keys.new.href(), {
        unconfirmed: 'API keys act on your behalf',
        old: 'API keys work from anywhere, so creating one needs a sign-in from the last 24 hours.',
      })
      if (missing !== null) return { section: 'keys', title, view: missing }
      const form = {
        name: '',
        scope: SCOPES.find((scope) => scope === visit.query.get('scope')) ?? 'links:write',
        rateLimitPerHour: String(DEFAULT_PER_HOUR),
        expiresAt: '',
        allowedNetworks: '',
        idempotencyKey: randomUUID(),
        errors: {},
      }
      return newKey(visit, form)
    }),
    async post(visit, form) {
      const { idempotencyKey = '', ...fields } = Object.fromEntries(form)
      const { name = '', scope = '', rateLimitPerHour = '', expiresAt = '', allowedNetworks = '' } = fields
      const networks = allowedNetworks.split(/[\s,]+/).filter((network) => network !== '')
      const input = {
        ...typed(createKey.input, { name: name.trim(), rateLimitPerHour }),
        scopes: [scope],
        ...endOfDay(expiresAt),
        ...(networks.length === 0 ? {} : { allowedNetworks: networks }),
      }
      const made = await resultOrProblem(() => runOnce(visit, createKey, input, idempotencyKey))
      if (made instanceof Problem) {
        const again = { name, scope, rateLimitPerHour, expiresAt, allowedNetworks, idempotencyKey }
        return newKey(visit, { ...again, errors: formErrors(made, FIELDS) }, made)
      }
      if (made === null) return { to: withFlash(LIST, 'keyMadeBefore') }
      return { section: 'keys', title: 'API key created', view: <KeyMadeView site={visit.site} made={made} /> }
    },
  },
  {
    path: routes.keys.revoke.path,
    async get(visit) {
      const key = await keyIn(visit)
      if (!isActive(key)) return { to: LIST }
      return { section: 'keys', title: 'Revoke API key', view: <RevokeView apiKey={key} /> }
    },
    async post(visit) {
      await run(visit, revokeKey, typed(revokeKey.input, { id: visit.params.id ?? '' }))
      return { to: withFlash(LIST, 'keyRevoked') }
    },
  },
  rotateScreen,
]

function isActive(key: ListedKey): boolean {
  return endOf(key) === null
}

function newKey({ site }: Visit, form: KeyForm, problem?: Problem): Outcome {
  return { section: 'keys', title: 'Create API key', view: <NewKeyView site={site} form={form} />, problem }
}

/** Adds each key's use of its hourly limit; null for keys that are not counted. */
function withUse({ service: { bucket } }: Visit, keys: readonly ListedKey[]) {
  return Promise.all(
    keys.map(async (key) => {
      const isCounted = isActive(key) && key.rateLimitPerHour > 0
      return { ...key, used: isCounted ? await usedInLastHour(bucket, key) : null }
    }),
  )
}
