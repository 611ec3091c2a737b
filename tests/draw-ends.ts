import { fork } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { IdleHelper, processHelper } from '../src/core/idle-helper.ts'

// Run by contract/held.test.ts on each runtime, in its own process: asks a process that does not return from WebAssembly, and prints
// whether it was ended, whether it is gone, and whether the next message is answered.

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
  const isRunning = () =>
    existsSync(`/proc/${pids[0]}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pids[0]}/status`, 'utf8'))
  for (let looks = 0; looks < 100 && isRunning(); looks += 1) await sleep(50)
  const next = await helper.ask('answer', 'one')
  const facts = {
    'is ended': 'failure' in hung && hung.cause === 'time',
    'has gone': !isRunning(),
    'goes on': 'answer' in next && pids.length === 2,
  }
  console.log(JSON.stringify(Object.fromEntries(Object.entries(facts).map(([name, is]) => [name, Number(is)]))))
  process.exit(0)
}
