import { expect } from 'bun:test'
import { OpenallError } from '../../src/sdk/openall.ts'
import type { Person } from '../people.ts'

/** Creates a key for a person, by default with every scope. */
export async function mintKey(person: Person, fields: { scopes?: string[]; rateLimitPerHour?: number } = {}) {
  return (await person.mint({ scopes: ['keys:admin'], ...fields })).rawKey
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
