import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { createClient } from '../sdk/openall.ts'
import { command } from './command.ts'
import { UsageError } from './exit.ts'
import { readStdin } from './input.ts'
import { note, print, printJson } from './output.ts'
import { deleteKey, saveKey, settingsFile } from './settings.ts'

export const login = command({
  name: 'login',
  summary: 'Check an API key with the service and save it',
  examples: [
    'openall login --server https://openall.example',
    'openall login --server https://openall.example < key.txt',
  ],
  args: {},
  async run({ args, server }) {
    const key = await askForKey(server)
    if (key === '') throw new UsageError(`no key was given: create one at ${server}/dashboard/keys`)
    const me = await createClient({ server, key }).whoAmI()
    saveKey(server, key)
    if (args.json) return printJson(me)
    print(`Logged in to ${server} as ${named(me)}.`)
    note(`The key is saved in ${settingsFile()}, which only you can read.`)
  },
})

/** Reads the key from a prompt or standard input. Never an argument: other processes and the shell's history see those. */
async function askForKey(server: string): Promise<string> {
  if (!process.stdin.isTTY) return (await readStdin()).trim()
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const questions = createInterface({ input: process.stdin, output: silence, terminal: true })
  // Only now, because from here on the terminal does not echo.
  process.stderr.write(`Paste an API key (create one at ${server}/dashboard/keys): `)
  try {
    return (await questions.question('')).trim()
  } finally {
    questions.close()
    note('')
  }
}

export const logout = command({
  name: 'logout',
  summary: 'Delete the saved key of a service; it stays valid until revoked',
  examples: ['openall logout'],
  args: {},
  async run({ args, server }) {
    const wasSaved = deleteKey(server)
    if (args.json) return printJson({ server, forgotten: wasSaved })
    print(wasSaved ? `Deleted the key for ${server}.` : `There is no saved key for ${server}.`)
  },
})

export const whoami = command({
  name: 'whoami',
  summary: 'Show whom the key acts for, with which role and scopes',
  examples: ['openall whoami', 'openall whoami --json'],
  args: {},
  async run({ args, server, client }) {
    const me = await client.whoAmI()
    if (args.json) return printJson(me)
    print(`${named(me)} at ${server}`)
    print(`scopes  ${me.scopes.join(', ')}`)
  },
})

type Me = Awaited<ReturnType<ReturnType<typeof createClient>['whoAmI']>>

function named({ subject, role }: Me): string {
  return subject.type === 'user' ? `user ${subject.userId}` : `organisation ${subject.organizationId} (${role})`
}
