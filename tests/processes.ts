import { readdirSync, readFileSync } from 'node:fs'
import { eventually } from './eventually.ts'

/** SIGSTOP: once this resolves, the process still accepts connections but answers nothing. */
export async function freeze(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGSTOP')
  // Signals are asynchronous: until every thread has stopped, the process may still answer.
  const isStopped = () =>
    readdirSync(`/proc/${child.pid}/task`).every((thread) =>
      /^State:\s+T/m.test(readFileSync(`/proc/${child.pid}/task/${thread}/status`, 'utf8')),
    )
  await eventually(isStopped, `process ${child.pid} has stopped`)
}
