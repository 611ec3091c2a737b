import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
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

/** The processor time of a process's main thread, on which programs run, in milliseconds. In steps of ten. */
export function mainThreadMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8')
  // After the name, which may have spaces: utime and stime are fields 14 and 15, in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** From now on, a process's peak memory is that since now. @returns its memory now, in MiB. */
export function forgetPeakMemory(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
