import { readdirSync, readFileSync } from 'node:fs'
import { eventually } from './eventually.ts'

/** SIGSTOP: the process takes connections and answers nothing, once this resolves. */
export async function freeze(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGSTOP')
  // The signal is on its way: until each of its threads has stopped, it may answer.
  const isStopped = () =>
    readdirSync(`/proc/${child.pid}/task`).every((thread) =>
      /^State:\s+T/m.test(readFileSync(`/proc/${child.pid}/task/${thread}/status`, 'utf8')),
    )
  await eventually(isStopped, `process ${child.pid} has stopped`)
}
