import { and, desc, eq, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { aliases, bundles } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { type LauncherLink, launcherLinkIn } from '../core/launcher-link.ts'
import { shortHost } from '../core/links.ts'
import { Problem } from '../core/problem.ts'
import { routes } from '../core/routes.ts'
import type { Caller, Subject } from '../identity/caller.ts'
import { ownerIdOf, subjectIdOf } from '../plans/owners.ts'

/** Prefix of an external id in place of a slug; no slug contains a colon. */
export const EXTERNAL = 'ext:'

/** The external id in place of a slug; null for a slug. */
export function externalIdIn(input: unknown): string | null {
  const { slug } = (input ?? {}) as { slug?: unknown }
  return typeof slug === 'string' && slug.startsWith(EXTERNAL) ? slug.slice(EXTERNAL.length) : null
}

/**
 * Replaces an external id (`ext:…`) in the input's `slug` by the slug of the acting subject's bundle. If several bundles have had
 * the id, the one that is not deleted wins, else the last deleted.
 * @throws Problem NOT_FOUND, also for a caller without an account.
 */
export async function slugFound<In>(input: In, caller: Caller, { db }: Pick<Store, 'db'>): Promise<In> {
  const externalId = externalIdIn(input)
  if (externalId === null) return input
  const slug = caller.kind === 'anonymous' ? null : await slugOf(db, caller.subject, externalId)
  if (slug === null) throw noSuchId()
  return { ...input, slug }
}

async function slugOf(db: Store['db'], subject: Subject, externalId: string): Promise<string | null> {
  const [bundle] = await withExternalId(db)(subject.type).all({ owner: subjectIdOf(subject), externalId })
  return bundle?.slug ?? null
}

/** The owner's bundle with this external id, or the last one that had it. */
export const withExternalId = prepared((db) => {
  const of = (type: Subject['type']) =>
    db
      .select({ id: bundles.id, slug: bundles.slug, deletedAt: bundles.deletedAt })
      .from(bundles)
      .where(
        and(
          eq(bundles.ownerId, ownerIdOf(type, sql.placeholder('owner'))),
          eq(bundles.externalId, sql.placeholder('externalId')),
        ),
      )
      .orderBy(sql`${bundles.deletedAt} IS NOT NULL`, desc(bundles.deletedAt))
      .limit(1)
      .prepare()
  const queries = { user: of('user'), organization: of('organization') }
  return (type: Subject['type']) => queries[type]
})

function noSuchId(): Problem {
  return new Problem('NOT_FOUND', 'You have no bundle with this external id: put_bundle makes one.', {
    userMessage: 'None of your bundles has this ID.',
  })
}

/** The slug of the bundle with this alias, deleted or not; null for none. */
async function slugOfAlias(db: Store['db'], alias: string): Promise<string | null> {
  const [row] = await named(db).all({ alias })
  return row?.slug ?? null
}

const named = prepared((db) =>
  db
    .select({ slug: bundles.slug })
    .from(aliases)
    .innerJoin(bundles, eq(bundles.id, aliases.bundleId))
    .where(eq(aliases.slug, sql.placeholder('alias')))
    .prepare(),
)

/** Replaces an alias in the input's `slug` by the slug of its bundle. */
export async function aliasFound<In>(input: In, { db }: Pick<Store, 'db'>): Promise<In> {
  const { slug } = (input ?? {}) as { slug?: unknown }
  const found = typeof slug === 'string' ? await slugOfAlias(db, slug) : null
  return found === null ? input : { ...input, slug: found }
}

/**
 * Runs a function for a bundle by its `slug`. If there is no such bundle and the slug is an alias, runs it again, so that
 * existing slugs cost nothing more. The function must not write before it has found the bundle.
 */
export async function withAlias<In, Out>(
  input: In,
  store: Pick<Store, 'db'>,
  run: (input: In) => Promise<Out> | Out,
): Promise<Out> {
  try {
    return await run(input)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'NOT_FOUND') throw error
    const found = await aliasFound(input, store)
    if (found === input) throw error
    return run(found)
  }
}

type LinkConfig = Pick<Config, 'authority' | 'shortPaths'>

/**
 * Replaces any reference to a bundle in the input's `slug` by the slug itself: its link, a page about it on the dashboard, an MCP
 * resource, or the slug as quoted in a sentence.
 * @throws Problem BAD_REQUEST for a link to another server, because a bundle here may have the same slug.
 */
export function withSlug(input: unknown, config: LinkConfig): unknown {
  const sent = (input as { slug?: unknown } | null)?.slug
  if (typeof sent !== 'string' || PLAIN.test(sent)) return input
  return { ...(input as object), slug: linkIn(sent, config).slug }
}

/** The form of nearly all sent slugs. */
const PLAIN = /^[a-z0-9-]{1,64}$/

/** Parses a launcher's link, or a slug alone, sent in place of a slug. @throws Problem BAD_REQUEST as above. */
export function linkIn(sent: string, { authority, shortPaths }: LinkConfig): LauncherLink {
  if (PLAIN.test(sent) || sent.startsWith(EXTERNAL) || sent.length > MAX_SENT) return linkOf(sent)
  const text = sent.replace(AROUND_START, '').replace(AROUND_END, '')
  const link = launcherLinkIn(asLink(text), shortPaths)
  if (link === null) return linkOf(text.toLowerCase())
  if (link.host === '' || link.host === authority) return { ...link, slug: link.slug.toLowerCase() }
  throw new Problem('BAD_REQUEST', `slug is a link to ${shortHost(link.host, 100)}, but this is ${authority}`)
}

/** Longer than any link to a bundle with its values. */
const MAX_SENT = 10_000
/** Characters around a slug in a sentence; no slug begins or ends with one. */
const AROUND_START = /^[\s"'`“”‘’«»<([]+/
const AROUND_END = /[\s"'`“”‘’«»>)\],;:!?.]{1,100}$/

/** Addresses of a bundle other than its launcher’s: MCP resources, and pages of the dashboard. */
const OTHERS = /^(?:bundle:\/\/(?:l\/)?|openall:\/\/(?:l\/)?|l\/)(?=[a-z0-9])/i
const DASHBOARD = /^((?:https?:\/\/)?[^/?#]*)\/dashboard\/links\/([a-z0-9-]+)(?:[/?#].*)?$/i

const LAUNCHERS = routes.launcher.page.start

function asLink(text: string): string {
  return text.replace(OTHERS, LAUNCHERS).replace(DASHBOARD, `$1${LAUNCHERS}$2`)
}

function linkOf(slug: string): LauncherLink {
  return { host: '', slug, form: null, value: null, query: new URLSearchParams() }
}
