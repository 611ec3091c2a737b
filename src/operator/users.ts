import { asc, eq, gt, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { owners, user, verification } from '../../db/schema.ts'
import { deleteAccount } from '../accounts/deletion.ts'
import { disable, enable } from '../accounts/disabling.ts'
import { linkMails, passwordLinkIdentifier, passwordPath, RESET_MINUTES } from '../accounts/mailed-links.ts'
import { Problem } from '../core/problem.ts'
import { randomBase62 } from '../core/secrets.ts'
import { iso } from '../core/time.ts'
import { dropFullStop } from '../core/words.ts'
import { SCOPES } from '../identity/caller.ts'
import { handOverAccount } from '../identity/proof.ts'
import { realEmail } from '../identity/sessions.ts'
import { mint } from '../keys/keys.ts'
import { NewKey } from '../keys/shapes.ts'
import { deliver, type Mail } from '../mail/smtp.ts'
import { validate } from '../operations/validate.ts'
import { operatorConfig } from './config.ts'
import { CannotOperate } from './declare.ts'

type Env = Record<string, string | undefined>
type Account = Pick<typeof user.$inferSelect, 'id' | 'email' | 'emailVerified'>

/** Accounts held in memory at a time. */
const PAGE = 500

/** An account as the operator sees it; times are ISO 8601. */
export interface ListedUser {
  id: string
  email: string
  name: string
  isConfirmed: boolean
  createdAt: string
  disabledAt: string | null
  plan: 'free' | 'pro'
  bundles: number
}

/** All accounts, oldest first. */
export async function* listUsers({ db }: Store): AsyncGenerator<ListedUser> {
  const row = sql<number>`"user".rowid`
  for (let last = 0; ; ) {
    const rows = await db
      .select({
        row,
        id: user.id,
        email: realEmail,
        name: user.name,
        isConfirmed: user.emailVerified,
        createdAt: user.createdAt,
        disabledAt: user.disabledAt,
        plan: owners.plan,
        bundles: owners.bundleCount,
      })
      .from(user)
      .leftJoin(owners, eq(owners.userId, user.id))
      .where(gt(row, last))
      .orderBy(asc(row))
      .limit(PAGE)
    for (const { row, createdAt, disabledAt, plan, bundles, ...rest } of rows) {
      last = row
      const times = { createdAt: iso(createdAt.getTime()), disabledAt: iso(disabledAt?.getTime() ?? null) }
      yield { ...rest, ...times, plan: plan ?? 'free', bundles: bundles ?? 0 }
    }
    if (rows.length < PAGE) return
  }
}

/**
 * The account with an address, or by `user:<id>`. Some accounts can only be named by id, because another has their address.
 * @throws CannotOperate.
 */
async function findAccount({ db }: Store, who: string): Promise<Account> {
  const id = /^user:(.+)$/.exec(who)?.[1]
  const isIt = id === undefined ? eq(user.email, who.trim().toLowerCase()) : eq(user.id, id)
  const [found] = await db
    .select({ id: user.id, email: user.email, emailVerified: user.emailVerified })
    .from(user)
    .where(isIt)
  if (found !== undefined) return found
  throw new CannotOperate(`there is no account ${who}: users list shows each with its address and id`)
}

/** Disables an account: sessions end, keys stop working, and signing in is refused. */
export async function disableUser(store: Store, who: string): Promise<{ disabled: string }> {
  const { id } = await findAccount(store, who)
  await disable(store, id)
  return { disabled: who }
}

/** Enables a disabled account. */
export async function enableUser(store: Store, who: string): Promise<{ enabled: string }> {
  const { id } = await findAccount(store, who)
  await enable(store, id)
  return { enabled: who }
}

/** Deletes an account and everything that it owns, as its owner could. */
export async function deleteUser(store: Store, who: string): Promise<{ deleted: string }> {
  const needed = await deleteAccount(store, await findAccount(store, who))
  if (needed === null) return { deleted: who }
  throw new CannotOperate(
    `${JSON.stringify(needed)} has other members and no other admin: have another member made an admin there first, or disable the account instead`,
  )
}

/** Mails a link that sets a new password; without a mail server, the operator passes on `link`. */
export async function resetPassword(
  store: Store,
  env: Env,
  who: string,
): Promise<{ mailed: string } | { link: string }> {
  const config = operatorConfig(env)
  if (!config.passwordSignIn)
    throw new CannotOperate(
      'passwords are not used here (SERVICE_PASSWORD_SIGN_IN=off): they sign in with an emailed link',
    )
  const { id, email } = await findAccount(store, who)
  const { db, write } = store
  const [token, now] = [randomBase62(24), new Date()]
  const link = {
    id: randomBase62(32),
    identifier: passwordLinkIdentifier(token),
    value: id,
    expiresAt: new Date(now.getTime() + RESET_MINUTES * 60_000),
    createdAt: now,
    updatedAt: now,
  }
  await write([db.insert(verification).values(link)])
  const { smtpUrl, mailFrom } = config
  if (smtpUrl === undefined) return { link: config.origin + passwordPath(token) }
  const written: Mail[] = []
  await linkMails(config, { send: (mail) => void written.push(mail) }).setPassword(email, token)
  for (const mail of written) await deliver({ smtpUrl, mailFrom }, mail)
  return { mailed: email }
}

/**
 * Creates an API key for a person, without a browser. The operator vouches for the address, as an emailed link would: access that
 * anyone else held in its name ends, and the key stays when its owner signs in.
 */
export async function createKey(
  store: Store,
  { email, scopes, name = 'From the operator' }: Record<string, string | undefined>,
) {
  if (email === undefined)
    throw new CannotOperate('say whose key it is: create-key --email <address>; add-account makes an account')
  const { id } = await findAccount(store, email)
  const wish = asked({
    name,
    ...(scopes === undefined ? {} : { scopes: scopes.split(',').map((scope) => scope.trim()) }),
  })
  const { db, write } = store
  await write(handOverAccount(db, sql`${id}`))
  const caller = { subject: { type: 'user', userId: id }, role: 'admin', userId: id, scopes: SCOPES } as const
  return mint(wish, { store, caller, commit: (writes) => write(writes) })
}

function asked(wish: unknown): NewKey {
  try {
    return validate<NewKey>(NewKey, wish)
  } catch (error) {
    throw error instanceof Problem ? new CannotOperate(dropFullStop(error.message)) : error
  }
}
