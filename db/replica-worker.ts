import { parentPort, workerData } from 'node:worker_threads'
import { createClient } from '@libsql/client'
import type { RemoteStore } from './streams.ts'

// In a worker because the driver’s `sync` blocks its thread until the server answers: a silent server would block every
// request.

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
