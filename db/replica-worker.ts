import { parentPort, workerData } from 'node:worker_threads'
import { createClient } from '@libsql/client'
import type { RemoteStore } from './remote.ts'

// A thread of its own: the driver's `sync` holds the thread that calls it until the server has answered, and one
// that is silent would hold every request of the service.

const { url, remote } = workerData as { url: string; remote: RemoteStore }
const replica = createClient({
  url,
  syncUrl: remote.url,
  ...(remote.authToken === undefined ? {} : { authToken: remote.authToken }),
})

parentPort?.on('message', async () => {
  try {
    await replica.sync()
    parentPort?.postMessage(null)
  } catch (error) {
    parentPort?.postMessage(String(error))
  }
})
