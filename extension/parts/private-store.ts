// What gives a right for longer than the browser runs: refresh tokens, and private links of bundles. It is in IndexedDB, because
// content scripts share `storage.local` with the extension in Firefox, and in Chromium before 140, while their IndexedDB is that
// of the page.

const STORE = 'private'

/** What is stored under a name; undefined for nothing. */
export function readPrivate(name: string): Promise<unknown> {
  return inStore('readonly', (store) => store.get(name))
}

export async function keepPrivate(name: string, value: unknown): Promise<void> {
  await inStore('readwrite', (store) => store.put(value, name))
}

export async function dropPrivate(name: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(name))
}

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
