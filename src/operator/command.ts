import { UnfitCopy } from '../../db/backup.ts'
import { visible } from '../core/text.ts'
import { BadSetting, readSetting } from '../settings.ts'
import { backUp, restore } from './backup.ts'
import { CannotOperate, type Operator, openOperator } from './operator.ts'

type Env = Record<string, string | undefined>

/** An admin command. Its result is printed as JSON. */
interface Command {
  takes: readonly string[]
  says: string
  run(env: Env, words: string[]): Promise<unknown>
}

const onStore =
  (run: (operator: Operator, words: string[]) => Promise<unknown>): Command['run'] =>
  async (env, words) => {
    const operator = await openOperator(env)
    try {
      return await run(operator, words)
    } finally {
      await operator.close()
    }
  }

export const COMMANDS: Record<string, Command> = {
  backup: {
    takes: ['file'],
    says: 'copy the database, and its secret, while the service runs',
    run: (env, [file = '']) => backUp(env, file),
  },
  restore: {
    takes: ['file'],
    says: 'put a backup where there is no database; start the service after',
    run: (env, [file = '']) => restore(env, file),
  },
  reports: {
    takes: [],
    says: 'list the bundles that viewers have reported',
    run: onStore((operator) => operator.listReports()),
  },
  health: {
    takes: [],
    says: 'ask the service on this machine whether it is up',
    async run(env) {
      const port = readSetting(env, 'PORT')
      const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) })
      if (!answer.ok) throw new CannotOperate(`the service answers ${answer.status}`)
      return { healthy: true }
    },
  },
  dismiss: {
    takes: ['slug'],
    says: 'forget the reports of a bundle',
    run: onStore(async (operator, [slug = '']) => ({ dismissed: await operator.dismissReports(slug) })),
  },
  block: {
    takes: ['slug', 'reason'],
    says: 'take a bundle down: its link answers 451',
    run: onStore(async (operator, [slug = '', reason = '']) => {
      await operator.blockBundle(slug, reason)
      return { blocked: slug }
    }),
  },
  unblock: {
    takes: ['slug'],
    says: 'put it up again',
    run: onStore(async (operator, [slug = '']) => ({ unblocked: await operator.unblockBundle(slug) })),
  },
  'block-host': {
    takes: ['host'],
    says: 'add a host to SERVICE_BLOCKED_HOSTS_FILE',
    run: onStore(async (operator, [host = '']) => ({ host: await operator.blockHost(host) })),
  },
  'unblock-host': {
    takes: ['host'],
    says: 'take it out again',
    run: onStore(async (operator, [host = '']) => ({ host: await operator.unblockHost(host) })),
  },
  plan: {
    takes: ['who', 'plan'],
    says: 'give an e-mail address, user:<id> or organization:<id> the plan free or pro',
    run: onStore((operator, [who = '', plan = '']) => operator.setPlan(who, plan)),
  },
}

/** The result of a command: text for standard output, or an error message. */
export type Operated = { text: string } | { error: string; usage?: string }

/**
 * Runs an admin command on the store and files that the environment names. Texts of users in the output are
 * JSON-escaped, since it goes to a terminal.
 */
export async function operate([name = '', ...words]: readonly string[], env: Env): Promise<Operated> {
  if (name === 'help') return { text: usage() }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined || words.length !== command.takes.length || words.includes('')) {
    const error = command === undefined ? `there is no command ${name}` : `${name} takes ${named(command) || 'nothing'}`
    return { error, usage: usage() }
  }
  try {
    return { text: visible(JSON.stringify(await command.run(env, words), null, 2)) }
  } catch (error) {
    const isTold = error instanceof CannotOperate || error instanceof UnfitCopy || error instanceof BadSetting
    // The driver's own message: it is the operator's machine.
    return {
      error: visible(
        isTold || !(error instanceof Error) ? String((error as Error).message) : `that failed: ${error.message}`,
      ),
    }
  }
}

function usage(): string {
  const lines = Object.entries(COMMANDS).map(([name, command]) => [`${name} ${named(command)}`, command.says] as const)
  return lines.map(([how, says]) => `  ${how.padEnd(22)} ${says}`).join('\n')
}

function named({ takes }: Command): string {
  return takes.map((word) => `<${word}>`).join(' ')
}
