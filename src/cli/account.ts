import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { createClient } from '../sdk/openall.ts'
import { command } from './command.ts'
import { UsageError } from './exit.ts'
import { readStdin } from './input.ts'
import { note, print, printJson } from './output.ts'
import { forget, keep, settingsFile } from './settings.ts'

export const login = command({
  name: 'login',
  summary: 'Keep an API key for a service, after asking the service whether it is good',
  examples: [
    'openall login --server https://openall.example',
    'openall login --server https://openall.example < key.txt',
  ],
  args: {},
  async run({ args, server }) {
    const key = await askForKey(server)
    if (key === '') throw new UsageError(`no key was given: make one at ${server}/dashboard/keys`)
    const who = await createClient({ server, key }).whoAmI()
    keep(server, key)
    if (args.json) return printJson(who)
    print(`Logged in to ${server} as ${named(who)}.`)
    note(`The key is kept in ${settingsFile()}, which only you can read.`)
  },
})

/** Never an argument: those are seen by every process of the machine, and kept in the shell's history. */
async function askForKey(server: string): Promise<string> {
  if (!process.stdin.isTTY) return (await readStdin()).trim()
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const questions = createInterface({ input: process.stdin, output: silence, terminal: true })
  // Asked only now that the terminal no longer shows what is typed.
  process.stderr.write(`Paste an API key (you make them at ${server}/dashboard/keys): `)
  try {
    return (await questions.question('')).trim()
  } finally {
    questions.close()
    note('')
  }
}

export const logout = command({
  name: 'logout',
  summary: 'Forget the key that is kept for a service; it stays valid until it is revoked',
  examples: ['openall logout'],
  args: {},
  async run({ args, server }) {
    const forgotten = forget(server)
    if (args.json) return printJson({ server, forgotten })
    print(forgotten ? `The key for ${server} is forgotten.` : `No key was kept for ${server}.`)
  },
})

export const whoami = command({
  name: 'whoami',
  summary: 'Tell whom the key acts for, in which role and with which scopes',
  examples: ['openall whoami', 'openall whoami --json'],
  args: {},
  async run({ args, server, client }) {
    const who = await client.whoAmI()
    if (args.json) return printJson(who)
    print(`${named(who)} at ${server}`)
    print(`scopes  ${who.scopes.join(', ')}`)
  },
})

type Who = Awaited<ReturnType<ReturnType<typeof createClient>['whoAmI']>>

function named({ subject, role }: Who): string {
  return subject.type === 'user' ? `user ${subject.userId}` : `organisation ${subject.organizationId} (${role})`
}
