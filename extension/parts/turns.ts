/**
 * Does work that must not run twice at once under one name, in all pages of the extension and its worker: each waits for the one
 * before it.
 */
export function inTurn<Result>(name: string, act: () => Promise<Result>): Promise<Result> {
  return navigator.locks.request(name, act) as Promise<Result>
}
