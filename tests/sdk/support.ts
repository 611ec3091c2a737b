import { expect } from 'bun:test'
import { OpenallError } from '../../src/sdk/openall.ts'
import type { Person } from '../people.ts'

/** A key of a person's own; it may do everything where nothing is said. */
export async function mintKey(person: Person, fields: { scopes?: string[]; rateLimitPerHour?: number } = {}) {
  const wanted = { name: 'a test', scopes: ['keys:admin'], ...fields }
  const { status, body } = await person.api<{ rawKey: string }>('POST', '/api/me/keys', wanted)
  if (status !== 201) throw new Error(`a key was refused: ${status} ${JSON.stringify(body)}`)
  return body.rawKey
}

/** The error of a call that must fail; any other than the SDK's own is a failure of the test. */
export async function errorOf(call: Promise<unknown>): Promise<OpenallError> {
  const thrown = await call.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(OpenallError)
  return thrown as OpenallError
}
