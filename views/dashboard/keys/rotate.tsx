/** @jsxImportSource @kitajs/html */

import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { typed } from '../../../src/http/body.ts'
import { type ListedKey, NO_KEY } from '../../../src/keys/keys.ts'
import { listKeys, rotateKey } from '../../../src/keys/operations.ts'
import { formErrors, missingProof } from '../parts/form.tsx'
import { type Outcome, resultOrProblem, run, type Screen, type Visit } from '../parts/screens.tsx'
import { endOf } from './key-row.tsx'
import { KeyMadeView } from './new-key.tsx'
import { type RotateForm, RotateView } from './view.tsx'

/** Replaces a key; the new one is shown once. */
export const rotateScreen: Screen = {
  path: routes.keys.rotate.path,
  async get(visit) {
    const key = await keyIn(visit)
    if (endOf(key) !== null || key.app !== undefined || key.replacedBy !== undefined)
      return { to: routes.keys.list.href() }
    const missing = missingProof(visit.site, 'Rotate API key', routes.keys.rotate.href({ id: key.id }), {
      unconfirmed: 'API keys act on your behalf',
      old: 'API keys work from anywhere, so rotating one needs a sign-in from the last 24 hours.',
    })
    if (missing !== null) return { section: 'keys', title: 'Rotate API key', view: missing }
    return asked(key, { graceHours: '24', expiresAt: newEndOf(key), errors: {} })
  },
  async post(visit, form) {
    const { graceHours = '', expiresAt = '' } = Object.fromEntries(form)
    const input = { ...typed(rotateKey.input, { id: visit.params.id ?? '', graceHours }), ...endOfDay(expiresAt) }
    const made = await resultOrProblem(() => run(visit, rotateKey, input))
    if (made instanceof Problem) {
      const key = await keyIn(visit)
      const again = { graceHours, expiresAt: newEndOf(key) && expiresAt }
      return asked(key, { ...again, errors: formErrors(made, ['graceHours', 'expiresAt']) }, made)
    }
    const view = <KeyMadeView site={visit.site} made={made} graceHours={Number(graceHours)} />
    return { section: 'keys', title: 'API key rotated', view }
  },
}

function asked(key: ListedKey, form: RotateForm, problem?: Problem): Outcome {
  return { section: 'keys', title: 'Rotate API key', view: <RotateView apiKey={key} form={form} />, problem }
}

/** The day on which a replacement key ends, if it lasts as long as the original; null without an end. */
function newEndOf({ createdAt, expiresAt }: ListedKey): string | null {
  if (expiresAt === undefined) return null
  return new Date(Date.now() + Date.parse(expiresAt) - Date.parse(createdAt)).toISOString().slice(0, 10)
}

/** The key in a screen's address. @throws Problem NOT_FOUND. */
export async function keyIn(visit: Visit): Promise<ListedKey> {
  const { apiKeys } = await run(visit, listKeys, {})
  const key = apiKeys.find(({ id }) => String(id) === visit.params.id)
  if (key === undefined) throw new Problem('NOT_FOUND', NO_KEY)
  return key
}

/** The end of a typed day, as a field; none if it is empty. Other text is passed on, and refused as an end. */
export function endOfDay(day: string): { expiresAt?: string } {
  if (day === '') return {}
  return { expiresAt: /^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T23:59:59Z` : day }
}
