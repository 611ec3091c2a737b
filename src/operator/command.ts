import { UnusableCopy } from '../../db/unusable-copy.ts'
import { commitOfBuild, VERSION } from '../built.ts'
import { entryOf } from '../core/entry.ts'
import { escapeControls } from '../core/text.ts'
import { BadSetting, readSetting } from '../settings.ts'
import { CannotOperate } from './cannot.ts'
import type { Operator } from './operator.ts'

// Each command loads what it needs: `health` runs every few seconds, and a store takes half a second to load.
const backups = () => import('./backup.ts')
const operators = () => import('./operator.ts')

type Env = Record<string, string | undefined>

/** An admin command. Its result is printed as JSON. */
interface Command {
  params: readonly string[]
  summary: string
  run(env: Env, args: string[]): Promise<unknown>
}

const onStore =
  (run: (operator: Operator, args: string[]) => Promise<unknown>): Command['run'] =>
  async (env, args) => {
    const operator = await (await operators()).openOperator(env)
    try {
      return await run(operator, args)
    } finally {
      await operator.close()
    }
  }

export const COMMANDS: Record<string, Command> = {
  backup: {
    params: ['file'],
    summary: 'copy the database, and its secret, while the service runs',
    run: async (env, [file = '']) => (await backups()).backUp(env, file),
  },
  restore: {
    params: ['file'],
    summary: 'put a backup where there is no database; start the service after',
    run: async (env, [file = '']) => (await backups()).restore(env, file),
  },
  verify: {
    params: ['path'],
    summary: 'compare a backup, or each in a folder, with its checksums',
    run: async (_, [path = '']) => (await backups()).verify(path),
  },
  reports: {
    params: [],
    summary: 'list the bundles that viewers have reported',
    run: onStore((operator) => operator.listReports()),
  },
  health: {
    params: [],
    summary: 'check whether the service on this machine is up',
    async run(env) {
      const port = readSetting(env, 'PORT')
      const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) })
      if (!answer.ok) throw new CannotOperate(`the service answers ${answer.status}`)
      return { healthy: true }
    },
  },
  dismiss: {
    params: ['slug'],
    summary: 'delete the reports of a bundle',
    run: onStore(async (operator, [slug = '']) => ({ dismissed: await operator.dismissReports(slug) })),
  },
  block: {
    params: ['slug', 'reason'],
    summary: 'take a bundle down: its link answers 451',
    run: onStore(async (operator, [slug = '', reason = '']) => {
      await operator.blockBundle(slug, reason)
      return { blocked: slug }
    }),
  },
  unblock: {
    params: ['slug'],
    summary: 'unblock it',
    run: onStore(async (operator, [slug = '']) => ({ unblocked: await operator.unblockBundle(slug) })),
  },
  'block-host': {
    params: ['host'],
    summary: 'add a host to SERVICE_BLOCKED_HOSTS_FILE',
    run: async (env, [host = '']) => ({ host: await (await operators()).blockHost(env, host) }),
  },
  'unblock-host': {
    params: ['host'],
    summary: 'take it out again',
    run: async (env, [host = '']) => ({ host: await (await operators()).unblockHost(env, host) }),
  },
  'add-account': {
    params: ['email'],
    summary: 'create an account where sign-up is closed: its owner signs in with an emailed link',
    run: onStore((operator, [email = '']) => operator.addAccount(email)),
  },
  plan: {
    params: ['who', 'plan'],
    summary: 'set the plan (free or pro) of an email address, user:<id> or organization:<id>',
    run: onStore((operator, [who = '', plan = '']) => operator.setPlan(who, plan)),
  },
}

/** The result of a command: text for standard output, or an error message. */
export type Operated = { text: string } | { error: string; usage?: string }

/**
 * Runs an admin command on the store and files named by the environment. Escapes users’ texts in the output as JSON,
 * because it goes to a terminal.
 */
export async function operate([name = '', ...args]: readonly string[], env: Env): Promise<Operated> {
  if (name === 'help' || name === '--help') return { text: usage() }
  if (name === '--version') return { text: `${VERSION} (${commitOfBuild()})` }
  const command = entryOf(COMMANDS, name)
  if (command === undefined || args.length !== command.params.length || args.includes('')) {
    const error =
      command === undefined ? `there is no command ${name}` : `${name} takes ${placeholders(command) || 'no arguments'}`
    return { error, usage: usage() }
  }
  try {
    return { text: escapeControls(JSON.stringify(await command.run(env, args), null, 2)) }
  } catch (error) {
    const isExpected = error instanceof CannotOperate || error instanceof UnusableCopy || error instanceof BadSetting
    // The driver’s own message, because the reader is the operator.
    return {
      error: escapeControls(
        isExpected || !(error instanceof Error) ? String((error as Error).message) : `that failed: ${error.message}`,
      ),
    }
  }
}

function usage(): string {
  const lines = Object.entries(COMMANDS).map(
    ([name, command]) => [`${name} ${placeholders(command)}`, command.summary] as const,
  )
  return lines.map(([how, summary]) => `  ${how.padEnd(22)} ${summary}`).join('\n')
}

function placeholders({ params }: Command): string {
  return params.map((name) => `<${name}>`).join(' ')
}
