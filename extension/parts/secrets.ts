// What lets whoever has it act for somebody: refresh tokens. It is in IndexedDB, because content scripts share
// `storage.local` with the extension in Firefox, and in Chromium before 140, while their IndexedDB is that of the page.

const STORE = 'secrets'

/** A stored secret; null for none. */
export async function readSecret(name: string): Promise<string | null> {
  const found = await inStore('readonly', (store) => store.get(name))
  return typeof found === 'string' ? found : null
}

/** Stores a secret. It is on the disk once this resolves. */
export async function keepSecret(name: string, value: string): Promise<void> {
  await inStore('readwrite', (store) => store.put(value, name))
}

export async function dropSecret(name: string): Promise<void> {
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
