import { dropPrivate, keepPrivate, readPrivate } from './private-store.ts'

/** The tokens of an account, as an instance gave them. */
export interface Tokens {
  token: string
  refreshToken: string
  seconds: number
}

interface Kept {
  token: string
  /** When it expires, in milliseconds since 1970. */
  until: number
}

const nameOf = (origin: string) => `token ${origin}`

/** Stores new tokens: first the refresh token, without which nothing could renew what a crash in between leaves. */
export async function keepTokens(origin: string, { token, refreshToken, seconds }: Tokens): Promise<void> {
  await keepPrivate(nameOf(origin), refreshToken)
  await chrome.storage.session.set({ [nameOf(origin)]: { token, until: Date.now() + seconds * 1000 } })
}

/** The access token, which is in memory alone; null for none, as after a start of the browser. */
export async function readToken(origin: string): Promise<Kept | null> {
  const name = nameOf(origin)
  return (await chrome.storage.session.get<Record<string, Kept>>(name))[name] ?? null
}

/** The refresh token; null for none. */
export async function readRefreshToken(origin: string): Promise<string | null> {
  const found = await readPrivate(nameOf(origin))
  return typeof found === 'string' ? found : null
}

export async function dropTokens(origin: string): Promise<void> {
  await dropPrivate(nameOf(origin))
  await chrome.storage.session.remove(nameOf(origin))
}
