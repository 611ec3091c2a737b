import { SCOPES } from '../../db/rights.ts'
import { routes } from '../core/routes.ts'
import { createClient, OpenallError } from '../sdk/openall.ts'
import { command } from './command.ts'
import { UsageError } from './exit.ts'
import { readStdin } from './input.ts'
import { note, print, printJson } from './output.ts'
import { askHidden } from './password.ts'
import { deleteKey, deleteSignIn, saveKey, saveSignIn, settingsFile, signInAt } from './settings.ts'
import { post, type SignIn, signInWithBrowser } from './sign-in.ts'
import { signInOnDevice } from './sign-in-device.ts'

const DEVICE_SCOPES = ['links:read', 'links:propose', 'links:write'] as const

export const login = command({
  summary: 'Sign in with the browser or a code, or save an API key',
  examples: [
    'openall login --server https://openall.example',
    'openall login --server https://openall.example --scope keys:admin',
    'openall login --server https://openall.example --device',
    'openall login --server https://openall.example < key.txt',
  ],
  credential: 'none',
  args: {
    web: { type: 'boolean', description: 'Sign in with the browser; the default in a terminal' },
    device: {
      type: 'boolean',
      description: 'Sign in by a code that you type in on another computer or phone, as on a server',
    },
    scope: {
      type: 'enum',
      options: [...SCOPES],
      description: 'What the command line may do after signing in with the browser or a code; default: links:write',
    },
    key: {
      type: 'boolean',
      description: 'Use an API key, typed or from standard input; the default outside a terminal',
    },
  },
  async run({ args, server }) {
    const ways = (['web', 'device', 'key'] as const).filter((way) => args[way])
    if (ways.length > 1) throw new UsageError(`${ways.map((way) => `--${way}`).join(' and ')} exclude each other`)
    if (args.device) return loginOnDevice(server, args.scope, args.json === true)
    if (args.web || (process.stdin.isTTY && !args.key)) return loginWithBrowser(server, args.scope, args.json === true)
    const key = await askForKey(server)
    if (key === '') throw new UsageError(`no key was given: create one at ${server}${routes.keys.list.href()}`)
    const me = await createClient({ server, key }).whoAmI()
    saveKey(server, key)
    if (args.json) return printJson(me)
    print(`Logged in to ${server} as ${named(me)}.`)
    note(`The key is saved in ${settingsFile()}, which only you can read.`)
  },
})

async function loginWithBrowser(server: string, scope: string | undefined, isJson: boolean): Promise<void> {
  return keep(server, await signInWithBrowser(server, scope ?? DEFAULT_SCOPE), isJson)
}

async function loginOnDevice(server: string, scope: string | undefined, isJson: boolean): Promise<void> {
  const allowed: readonly string[] = DEVICE_SCOPES
  if (scope !== undefined && !allowed.includes(scope)) {
    throw new UsageError(`--device takes no --scope ${scope}: use --web on a computer with a browser, or --key`)
  }
  return keep(server, await signInOnDevice(server, scope ?? DEFAULT_SCOPE), isJson)
}

const DEFAULT_SCOPE = 'links:write'

async function keep(server: string, signIn: SignIn, isJson: boolean): Promise<void> {
  const me = await createClient({ server, key: signIn.accessToken }).whoAmI()
  saveSignIn(server, signIn)
  if (isJson) return printJson(me)
  print(`Logged in to ${server} as ${named(me)}.`)
  note(`It is listed at ${server}${routes.keys.list.href()}. openall logout ends it.`)
}

/** Reads the key from a prompt or standard input. Never from an argument, which other processes and the shell's history see. */
async function askForKey(server: string): Promise<string> {
  if (!process.stdin.isTTY) return (await readStdin()).trim()
  return (await askHidden(`Paste an API key (create one at ${server}${routes.keys.list.href()}): `)).trim()
}

export const logout = command({
  summary: 'End the sign-in at a service, or delete its saved key, which stays valid until revoked',
  credential: 'none',
  examples: ['openall logout'],
  args: {},
  async run({ args, server }) {
    const signIn = signInAt(server)
    if (signIn !== undefined) return endSignIn(server, signIn, args.json === true)
    const wasSaved = deleteKey(server)
    if (args.json) return printJson({ server, forgotten: wasSaved })
    print(wasSaved ? `Deleted the key for ${server}.` : `There is no saved key for ${server}.`)
  },
})

async function endSignIn(server: string, signIn: SignIn, isJson: boolean): Promise<void> {
  // Deleted here whatever the service answers.
  deleteSignIn(server)
  try {
    await revoke(server, signIn)
  } catch (error) {
    if (!(error instanceof OpenallError)) throw error
    note(`The sign-in was deleted here, but not ended there: revoke it at ${server}${routes.keys.list.href()}`)
    throw error
  }
  if (isJson) printJson({ server, forgotten: true })
  else print(`Logged out of ${server}.`)
}

type Me = Awaited<ReturnType<ReturnType<typeof createClient>['whoAmI']>>

/** The owner for whom a key acts, in words. */
export function named({ subject, role }: Me): string {
  return subject.type === 'user' ? `user ${subject.userId}` : `organisation ${subject.organizationId} (${role})`
}

/** Ends a sign-in, with both its tokens. @throws OpenallError. */
async function revoke(server: string, { clientId, refreshToken }: SignIn): Promise<void> {
  await post(server, 'revoke', new URLSearchParams({ token: refreshToken, client_id: clientId }))
}
