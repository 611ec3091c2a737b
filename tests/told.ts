import { expect } from 'bun:test'

/** What every error body has besides what it says: to be spread into an expected body. */
export const told = {
  requestId: expect.stringMatching(/^[\w.:/+=-]{1,128}$/),
  docUrl: expect.stringMatching(/^https?:\/\/[^/]+\/docs\/errors#[a-z_]+$/),
}

/** What is said of a slug that no bundle has. */
export const NO_BUNDLE =
  'There is no bundle with this slug. A slug is what a link ends in, /l/<slug>: list_bundles with q finds it by its title.'

/** The text of an answer without the id of its request, the one thing in which two answers must differ. */
export function skipId(text: string): string {
  return text.replace(/"requestId":"[^"]+"/, '"requestId":"<id>"')
}

/** The names of the fields of an error body that has nothing else, in order. */
export const ERROR_FIELDS = ['error', 'code', 'requestId', 'docUrl']
