import { readSetting } from '../config/settings.ts'
import { iso } from '../core/time.ts'
import { count } from '../core/words.ts'
import { CannotOperate, type Command, type CommandOf, command, type Given, listing, streaming } from './declare.ts'
import type { Operator } from './operator.ts'

// Each command loads what it needs: `health` runs every few seconds, and a store takes half a second to load.
const backups = () => import('./backup.ts')
const operators = () => import('./operator.ts')
const users = () => import('./users.ts')

type Env = Record<string, string | undefined>

interface OnStore<T> extends Omit<CommandOf<T>, 'run'> {
  run(operator: Operator, given: Given, env: Env): Promise<T>
  /** The target for the operator's log: an account, an organisation or a slug; none for commands that change nothing. */
  about?(given: Given, result?: T): string | undefined
}

function onStore<T>({ run, about, ...rest }: OnStore<T>): Command {
  return command<T>({
    ...rest,
    async run(env, given) {
      const operator = await (await operators()).openOperator(env)
      try {
        // Before, because a deleted person cannot be found afterwards; and after, because an added person cannot be found before.
        const before = await operator.about(about?.(given))
        const result = await run(operator, given, env)
        if (about !== undefined)
          await operator.log(env, given.name, before ?? (await operator.about(about(given, result))))
        return result
      } finally {
        await operator.close()
      }
    },
  })
}

/** Runs a command whose output is read while it is printed: it covers everybody's data, so it is logged too. */
function readingStore<T>(rows: (operator: Operator, env: Env) => AsyncIterable<T>) {
  return async function* (env: Env, given: Given): AsyncGenerator<T> {
    const operator = await (await operators()).openOperator(env)
    try {
      // A full disk must not prevent access to the data.
      await operator.log(env, given.name, null).catch(() => {})
      yield* rows(operator, env)
    } finally {
      await operator.close()
    }
  }
}

const ofCopy = ({ file, bundles, bytes }: { file: string; bundles: number; bytes: number }) =>
  `${file}: ${count(bundles, 'bundle')}, ${count(bytes, 'byte')}`

export const COMMANDS: Record<string, Command> = {
  check: command({
    params: [],
    summary:
      'look at the settings, store, disk, backups, mail, clock, address and proxy; end with 1 if something is wrong',
    run: async (env) => (await import('./check.ts')).check(env),
    say: (checks) =>
      checks.map(({ name, state, says }) => `${state.padEnd(7)}  ${name.padEnd(12)}  ${says}`).join('\n'),
    hasFailed: (checks) => checks.some(({ state }) => state === 'wrong'),
  }),
  'send-test-mail': command({
    params: ['address'],
    summary: 'send a mail, and say whether the mail server took it',
    run: async (env, { args: [address = ''] }) => (await import('./test-mail.ts')).sendTestMail(env, address),
    say: ({ sent }) => `The mail server took a mail to ${sent}. If it does not arrive, look for it among spam.`,
  }),
  export: streaming({
    params: [],
    summary: 'print all people, organisations and bundles as JSON lines, without secrets',
    parts: readingStore(async function* ({ store }, env) {
      const { origin, shortPaths } = (await import('./config.ts')).operatorConfig(env)
      yield* (await import('../export/instance.ts')).instanceParts(store, { origin, shortPaths })
    }),
  }),
  migrate: command({
    params: [],
    summary: 'bring the database up to date with this version, as a start does',
    run: async (env) => (await operators()).migrateStore(env),
    say: ({ migrated }) => `The database is up to date: ${count(migrated, 'change')} made.`,
  }),
  backup: command({
    params: ['file'],
    summary: 'copy the database, and its secret, while the service runs',
    run: async (env, { args: [file = ''] }) => (await backups()).backUp(env, file),
    say: (copy) => `Backed up to ${ofCopy(copy)}.`,
  }),
  backups: command({
    params: ['path'],
    summary: 'describe a backup, or each in a folder; restore takes the first',
    run: async (_, { args: [path = ''] }) => {
      const { listBackups, sayFound } = await backups()
      const { backups: found, unreadable } = listBackups(path)
      return { backups: found.map((backup) => ({ ...backup, says: sayFound(backup) })), unreadable }
    },
    say: ({ backups: found, unreadable }) =>
      [...found.map(({ says }) => says), ...unreadable.map(({ file, why }) => `${file} cannot be read: ${why}`)].join(
        '\n',
      ),
  }),
  restore: command({
    params: ['path'],
    flags: ['yes'],
    summary:
      'restore a backup, or the dump of a libSQL server, where there is no database; from a folder, the backup with the most data; --yes also if it looks like the wrong one; start the service after',
    run: async (env, { args: [path = ''], flags }) => {
      const { restore, sayFound } = await backups()
      const restored = await restore(env, path, flags.has('yes'))
      return { ...restored, says: sayFound(restored.from) }
    },
    say: ({ says, ...copy }) => `Found ${says}.\nRestored to ${ofCopy(copy)}. Start the service now.`,
  }),
  verify: command({
    params: ['path'],
    summary: 'compare a backup, or each in a folder, with its checksums',
    run: async (_, { args: [path = ''] }) => (await backups()).verify(path),
    say: ({ intact }) => intact.map((file) => `${file} has not changed.`).join('\n'),
  }),
  health: command({
    params: [],
    summary: 'check whether the service on this machine is up',
    async run(env) {
      const [host, port] = [readSetting(env, 'HOST'), readSetting(env, 'PORT')]
      const answer = await fetch(`http://${reachable(host)}:${port}/healthz`, { signal: AbortSignal.timeout(2_000) })
      if (!answer.ok) throw new CannotOperate(`the service answers ${answer.status}`)
      return { healthy: true }
    },
    say: () => 'The service is up.',
  }),
  'users list': listing({
    params: [],
    summary: 'list all accounts, oldest first',
    rows: readingStore(async function* ({ store }) {
      yield* (await users()).listUsers(store)
    }),
    say: ({ id, email, isConfirmed, createdAt, disabledAt, plan, bundles }) =>
      [
        email,
        `since ${createdAt.slice(0, 10)}`,
        `${plan}, ${count(bundles, 'bundle')}`,
        ...(isConfirmed ? [] : ['not confirmed']),
        ...(disabledAt === null ? [] : [`disabled since ${disabledAt.slice(0, 10)}`]),
        `user:${id}`,
      ].join('\t'),
  }),
  'users disable': onStore({
    params: ['who'],
    summary: 'keep out an email address or user:<id>: sessions end, keys stop, sign-in is refused; bundles stay',
    about: ({ args: [who] }) => who,
    run: async ({ store }, { args: [who = ''] }) => (await users()).disableUser(store, who),
    say: ({ disabled }) => `${disabled} is disabled. \`users enable\` undoes it.`,
  }),
  'users enable': onStore({
    params: ['who'],
    summary: 'let them in again, keys included',
    about: ({ args: [who] }) => who,
    run: async ({ store }, { args: [who = ''] }) => (await users()).enableUser(store, who),
    say: ({ enabled }) => `${enabled} is enabled.`,
  }),
  'users delete': onStore({
    params: ['who'],
    summary: 'delete an account with its bundles and keys, as its owner could; only a backup brings it back',
    about: ({ args: [who] }) => who,
    run: async ({ store }, { args: [who = ''] }) => (await users()).deleteUser(store, who),
    say: ({ deleted }) => `${deleted} is deleted.`,
  }),
  'users reset-password': onStore({
    params: ['who'],
    summary: 'mail them a link that sets a new password, or print it if there is no mail server',
    about: ({ args: [who] }) => who,
    run: async ({ store }, { args: [who = ''] }, env) => (await users()).resetPassword(store, env, who),
    say: (done) =>
      'mailed' in done
        ? `A link was mailed to ${done.mailed}.`
        : `There is no mail server (SMTP_URL). Pass this link on; it works once, for an hour:\n${done.link}`,
  }),
  'add-account': onStore({
    params: ['email'],
    summary: 'create an account where sign-up is closed: its owner signs in with an emailed link',
    about: ({ args: [who] }) => who,
    run: (operator, { args: [email = ''] }) => operator.addAccount(email),
    say: ({ email }) => `${email} has an account now.`,
  }),
  'organizations create': onStore({
    params: ['name', 'who'],
    summary: 'create an organisation, with an account (an email address or user:<id>) as its first admin',
    run: (operator, { args: [name = '', who = ''] }) => operator.createOrganization(name, who),
    about: (_, made) => (made === undefined ? undefined : `organization:${made.organizationId}`),
    say: ({ name, organizationId }) => `${name} is created: organization:${organizationId}`,
  }),
  'create-key': onStore({
    params: [],
    options: { email: 'address', scopes: 'scope,scope', name: 'name' },
    summary: 'create an API key for an account, and print it this once; it also confirms the address',
    about: ({ options: { email } }) => email,
    run: async ({ store }, { options }) => (await users()).createKey(store, options),
    say: ({ rawKey }) => rawKey,
  }),
  plan: onStore({
    params: ['who', 'plan'],
    summary: 'set the plan (free or pro) of an email address, user:<id> or organization:<id>',
    about: ({ args: [who] }) => who,
    run: (operator, { args: [who = '', plan = ''] }) => operator.setPlan(who, plan),
    say: (subject) => `The plan of ${subject.type === 'user' ? 'the person' : 'the organisation'} is set.`,
  }),
  log: onStore({
    params: [],
    summary: 'list the commands run so far, newest first: time, person, command, subject',
    run: (operator) => operator.readLog(),
    say: (entries) =>
      entries.length === 0
        ? 'Nothing has been done yet.'
        : entries
            .map(({ at, operator, command, target }) => [at, operator ?? '-', command, target ?? '-'].join('\t'))
            .join('\n'),
  }),
  reports: onStore({
    params: [],
    summary: 'list the bundles that viewers have reported',
    run: (operator) => operator.listReports(),
    say: (reported) =>
      reported.length === 0 ? 'Nothing is reported.' : reported.map((bundle) => sayReports(bundle)).join('\n\n'),
  }),
  dismiss: onStore({
    params: ['slug'],
    summary: 'delete the reports of a bundle',
    about: ({ args: [slug] }) => slug,
    run: async (operator, { args: [slug = ''] }) => ({ dismissed: await operator.dismissReports(slug) }),
    say: ({ dismissed }) => `${count(dismissed, 'report')} deleted.`,
  }),
  block: onStore({
    params: ['slug', 'reason'],
    summary: 'take a bundle down: its link answers 451',
    about: ({ args: [slug] }) => slug,
    run: async (operator, { args: [slug = '', reason = ''] }) => {
      await operator.blockBundle(slug, reason)
      return { blocked: slug }
    },
    say: ({ blocked }) => `${blocked} is taken down. \`unblock\` undoes it.`,
  }),
  unblock: onStore({
    params: ['slug'],
    summary: 'unblock it',
    about: ({ args: [slug] }) => slug,
    run: async (operator, { args: [slug = ''] }) => ({ unblocked: await operator.unblockBundle(slug) }),
    say: ({ unblocked }) => (unblocked ? 'It is open again.' : 'It was not blocked.'),
  }),
  'block-host': command({
    params: ['host'],
    summary: 'add a host to SERVICE_BLOCKED_HOSTS_FILE',
    run: async (env, { args: [host = ''] }) => ({ host: await (await operators()).blockHost(env, host) }),
    say: ({ host }) => `${host} is blocked.`,
  }),
  'unblock-host': command({
    params: ['host'],
    summary: 'take it out again',
    run: async (env, { args: [host = ''] }) => ({ host: await (await operators()).unblockHost(env, host) }),
    say: ({ host }) => `${host} is not blocked.`,
  }),
}

/** The address of a service that was told to listen at `host`. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  const plain = host.replace(/^\[(.*)\]$/, '$1')
  if (!plain.includes(':')) return plain
  return plain === '::' ? '[::1]' : `[${plain}]`
}

function sayReports({ slug, title, urls, isBlocked, reports }: Awaited<ReturnType<Operator['listReports']>>[number]) {
  // As JSON, so that a viewer's text stays on its line.
  const each = reports.map(
    ({ at, reason, detail }) =>
      `  ${iso(at).slice(0, 10)} ${reason}${detail === null ? '' : `: ${JSON.stringify(detail)}`}`,
  )
  const links = urls.map((url) => `  ${url}`)
  return [`${slug}${isBlocked ? ' (blocked)' : ''} ${JSON.stringify(title ?? '')}`, ...links, ...each].join('\n')
}
