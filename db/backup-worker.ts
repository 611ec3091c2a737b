import { parentPort, workerData } from 'node:worker_threads'
import { type BackupResult, type BackupTask, backUpIfDue, strangerIn } from './scheduled-backup.ts'

// In a worker, because copying and checking a large file blocks the thread for many seconds.

const { store, plan } = workerData as BackupTask
const answer = (result: BackupResult) => parentPort?.postMessage(result)
try {
  answer({ copy: await backUpIfDue(store, plan), stranger: strangerIn(plan.folder, store) })
} catch (error) {
  answer({ failure: error instanceof Error ? error.message : String(error) })
}
