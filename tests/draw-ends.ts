import { fork } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { IdleHelper, processHelper } from '../src/core/idle-helper.ts'

// Run by contract/held.test.ts on each runtime, in its own process: asks a process that does not return from WebAssembly, and prints
// whether it was ended, whether it is gone, and whether the next message is answered; also by another process after one died without
// a message. Once it is stopped, no other process is started for what waits.

/** A function that loops without end. */
const HANGING = '0061736d01000000010401600000030201000707010361616100000a0901070003400c000b0b'
if (process.argv[2] === 'hangs') {
  process.on('message', (message) => {
    if (message === 'answer') process.send?.({ answer: true })
    else (new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(HANGING, 'hex'))).exports.aaa as () => void)()
  })
  process.send?.('ready')
} else {
  const pids: number[] = []
  const helper = new IdleHelper<string, { answer: boolean }>(() => {
    const child = fork(fileURLToPath(import.meta.url), ['hangs'], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    pids.push(child.pid ?? 0)
    return processHelper(child)
  }, 1_000)
  const hung = await helper.ask('hang', 'one')
  const isRunning = (pid: number) =>
    existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  const gone = async (pid = 0) => {
    for (let looks = 0; looks < 100 && isRunning(pid); looks += 1) await sleep(50)
    return !isRunning(pid)
  }
  const hasGone = await gone(pids[0])
  const next = await helper.ask('answer', 'one')
  const goesOn = 'answer' in next && pids.length === 2
  process.kill(pids[1] ?? 0, 'SIGKILL')
  await gone(pids[1])
  await sleep(100)
  const another = await helper.ask('answer', 'one')
  const waiting = ['hang', 'answer', 'answer'].map((message) => helper.ask(message, 'one'))
  await sleep(100)
  helper.stop()
  const stopped = await Promise.all(waiting)
  const facts = {
    'is ended': 'failure' in hung && hung.cause === 'time',
    'has gone': hasGone,
    'goes on': goesOn,
    'replaces one that died': 'answer' in another,
    'stays stopped': pids.length === 3 && stopped.every((one) => 'failure' in one && one.cause === 'stop'),
  }
  console.log(JSON.stringify(Object.fromEntries(Object.entries(facts).map(([name, is]) => [name, Number(is)]))))
  process.exit(0)
}
