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
  await inStore('readwrite', (store) => store.put(refreshToken, origin))
  await chrome.storage.session.set({ [nameOf(origin)]: { token, until: Date.now() + seconds * 1000 } })
}

/** The access token, which is in memory alone; null for none, as after a start of the browser. */
export async function readToken(origin: string): Promise<Kept | null> {
  const name = nameOf(origin)
  return (await chrome.storage.session.get<Record<string, Kept>>(name))[name] ?? null
}

/** The refresh token; null for none. */
export async function readRefreshToken(origin: string): Promise<string | null> {
  const found = await inStore('readonly', (store) => store.get(origin))
  return typeof found === 'string' ? found : null
}

export async function dropTokens(origin: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(origin))
  await chrome.storage.session.remove(nameOf(origin))
}

// Refresh tokens are in IndexedDB: content scripts share `storage.local` with the extension in Firefox, and in Chromium before
// 140, while their IndexedDB is that of the page.

const STORE = 'tokens'

async function inStore(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open('openall', 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
  try {
    const transaction = database.transaction(STORE, mode, { durability: 'strict' })
    const request = act(transaction.objectStore(STORE))
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
    })
    return request.result
  } finally {
    database.close()
  }
}
