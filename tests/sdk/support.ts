import { expect } from 'bun:test'
import { OpenallError } from '../../src/sdk/openall.ts'
import type { Person } from '../people.ts'

/** Creates a key for a person, by default with every scope. */
export async function mintKey(person: Person, fields: { scopes?: string[]; rateLimitPerHour?: number } = {}) {
  const key = { name: 'a test', scopes: ['keys:admin'], ...fields }
  const { status, body } = await person.api<{ rawKey: string }>('POST', '/api/me/keys', key)
  if (status !== 201) throw new Error(`a key was refused: ${status} ${JSON.stringify(body)}`)
  return body.rawKey
}

/** The error of a call that must fail with the SDK's own error. */
export async function errorOf(call: Promise<unknown>): Promise<OpenallError> {
  const thrown = await call.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(OpenallError)
  return thrown as OpenallError
}
