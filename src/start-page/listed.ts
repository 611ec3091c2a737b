import { Buffer } from 'node:buffer'
import { type Type, type } from 'arktype'
import { and, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { blockedBundles, bundles, type Content, dailyCounters, owners, sharedPins } from '../../db/schema.ts'
import { NAMES, pick } from '../bundles/content/content.ts'
import { matchesSearch, tagged } from '../bundles/list/list-order.ts'
import { fold } from '../bundles/list/search.ts'
import { keyIn, nextCursor, noCursor } from '../core/paging.ts'
import { Problem } from '../core/problem.ts'
import { inLongReadSlot } from '../core/scheduling.ts'
import { seal, unseal } from '../core/secrets.ts'
import type { Service } from '../core/service.ts'
import { DAY_MS } from '../core/time.ts'
import { iconsOf } from '../icons/kept.ts'
import type { SiteIcons } from '../icons/site.ts'
import { allows, type Caller } from '../identity/caller.ts'
import { roleIn } from '../identity/members.ts'
import { dayOf } from '../launcher/salts.ts'
import { organizationAt, type Presented } from './appearance.ts'

/** A bundle as a start page lists it. */
export interface ListedBundle extends Pick<Content, 'access' | 'closesAt'> {
  id: number
  slug: string
  title: string | null
  description: string | null
  /** The number of its links; a rule may show others. */
  tabs: number
  /** Its links; to strangers none of a bundle with rules. */
  urls: string[]
  /** The tags of its links, each once; to strangers none of a bundle with rules. */
  tags: string[]
  /** Whether an admin has pinned it for everybody. */
  isPinned: boolean
  /** Whether everybody gets the same tabs at once: it has no rules, no variables and no password. */
  isDirect: boolean
  /** Known icons of its links’ sites. */
  siteIcons: SiteIcons
}

/** What the listed bundles must contain. */
export interface Filter {
  /** Text that they contain. */
  q?: string | undefined
  /** A tag of one of their links. */
  tag?: string | undefined
}

/** Which of the listed bundles are wanted. */
interface Wanted extends Filter {
  limit: number
  cursor?: string | undefined
}

/** Somebody at a start page. */
export interface Visit {
  /** Null for an unknown handle. */
  organization: Presented | null
  /** Whether they are a member; others see what anyone with the link can open now. */
  isMember: boolean
  /** Whose turn a long read takes: a person, or an address. */
  who: string
}

/** A page of a start page’s bundles. */
interface ListedPage {
  bundles: ListedBundle[]
  nextCursor?: string
}

/** How many bundles a page has by default. */
export const PAGE = 25

/** How many tiles of a bundle its row shows. */
export const TILES = 6

/** The days whose clicks decide the order. */
const DAYS = 30

/** The key of a bundle in the list: when it was pinned, how often it was opened, and its id. */
const Key = type(['number.integer', 'number.integer', 'number.integer']) as Type<
  [pinnedAt: number, opens: number, id: number]
>
/** Sorts bundles that are not pinned behind those that are. */
const UNPINNED = Number.MAX_SAFE_INTEGER
/** So many pages of blocked bundles are skipped for one request. */
const MAX_READS = 10

/** The listed bundles that a visitor may open: pinned ones first, then the most opened. */
async function listedFor(
  service: Pick<Service, 'store' | 'blockedHosts' | 'config'>,
  visit: Visit,
  { limit, cursor, ...filter }: Wanted,
): Promise<ListedPage> {
  const { store } = service
  const sealing = { secret: service.config.secret, purpose: `start page ${visit.organization?.id ?? ''}` }
  let after = keyIn(cursor && unsealed(cursor, sealing), Key)
  for (let reads = 1; ; reads += 1) {
    const query = sql`SELECT json_group_array(json_array(pinned, opens, id)) FROM (${ranked(visit, filter, after)} LIMIT ${limit + 1})`
    const keys = (await idsIn(store, visit, query)) as (typeof Key.infer)[]
    const onPage = keys.slice(0, limit)
    const pinned = new Set(onPage.flatMap(([pinnedAt, , id]) => (pinnedAt === UNPINNED ? [] : [id])))
    const bundles = await read(
      service,
      visit,
      onPage.map(([, , id]) => id),
      pinned,
    )
    const isMore = keys.length > limit
    after = onPage.at(-1) ?? null
    // A page without one bundle that is not blocked would look like the end. Further on, whoever asks reads on by the cursor.
    if (bundles.length > 0 || !isMore || reads === MAX_READS) {
      const { nextCursor: next } = nextCursor(onPage, isMore, (key) => key)
      return { bundles, ...(next === undefined ? {} : { nextCursor: sealed(next, sealing) }) }
    }
  }
}

/** The characters of the longest cursor of three numbers: what is sealed keeps its length, and that would tell the digits. */
const LONGEST = 72

/** By what the cursors of one page are sealed. */
interface Sealing {
  secret: string
  purpose: string
}

/**
 * A cursor that nobody can read or make: its key says how often a bundle was opened, which strangers may not know, and they could
 * find it with keys of their own choice. Nor does it serve on another page, where somebody could have one made.
 */
function sealed(cursor: string, { secret, purpose }: Sealing): string {
  return seal(secret, purpose, cursor.padEnd(LONGEST)).toString('base64url')
}

/** @throws Problem BAD_REQUEST for a cursor of another list. */
function unsealed(cursor: string, { secret, purpose }: Sealing): string {
  try {
    return unseal(secret, purpose, Buffer.from(cursor, 'base64url')).trimEnd()
  } catch {
    throw noCursor()
  }
}

/** The keys of the bundles that a visitor may open, in the order of the page, after one of them. */
function ranked(visit: Visit, filter: Filter, after: typeof Key.infer | null): SQL {
  const opens = sql`coalesce((SELECT sum(${dailyCounters.openAllClicks}) FROM ${dailyCounters} WHERE ${dailyCounters.bundleId} = ${bundles.id} AND ${dailyCounters.day} >= ${dayOf(Date.now() - DAYS * DAY_MS)}), 0)`
  const found = sql`SELECT ${bundles.id} AS id, coalesce(${sharedPins.pinnedAt}, ${sql.raw(String(UNPINNED))}) AS pinned, ${opens} AS opens
    FROM ${LISTED} LEFT JOIN ${sharedPins} ON ${sharedPins.bundleId} = ${bundles.id} WHERE ${isListedFor(visit, filter)}`
  const isAfter = after === null ? sql`1` : sql`(pinned, -opens, -id) > (${after[0]}, ${-after[1]}, ${-after[2]})`
  return sql`SELECT * FROM (${found}) WHERE ${isAfter} ORDER BY pinned, opens DESC, id DESC`
}

/** The table of bundles by the index of listed ones: SQLite would read all of the owner’s in another. */
export const LISTED = sql`${bundles} INDEXED BY bundles_listed`

/** The condition that a visitor finds a bundle on an organisation’s start page. */
export function isListedFor({ organization, isMember }: Visit, { q, tag }: Filter): SQL | undefined {
  const instant = new Date().toISOString()
  return and(
    sql`${bundles.ownerId} = (SELECT ${owners.id} FROM ${owners} WHERE ${owners.organizationId} = ${organization?.id ?? ''}) AND ${bundles.listed} = 1 AND ${bundles.deletedAt} IS NULL`,
    sql`NOT EXISTS (SELECT 1 FROM ${blockedBundles} WHERE ${blockedBundles.bundleId} = ${bundles.id})`,
    isMember
      ? undefined
      : sql`${bundles.access} = 'link' AND (${bundles.opensAt} IS NULL OR ${bundles.opensAt} <= ${instant}) AND (${bundles.closesAt} IS NULL OR ${bundles.closesAt} > ${instant})`,
    q === undefined ? undefined : matchesSearch(fold(q)),
    q === undefined || isMember ? undefined : isFoundInShown(q),
    tag === undefined ? undefined : tagged(tag, JSON.stringify(tag)),
    tag === undefined || isMember ? undefined : isNull(bundles.resolutionPolicy),
  )
}

/**
 * The condition that a stranger sees what was found: the texts of a search have the aliases, the note for after closing, and links
 * that a rule may replace. No bundle is found by an alias, and one with such a note or rules only by its slug, its title and its
 * description.
 */
function isFoundInShown(q: string): SQL {
  const folded = fold(q)
  const shown = sql`lower(concat_ws(char(10), ${bundles.slug}, ${bundles.title}, ${bundles.description}))`
  // SQLite folds the letters of ASCII alone.
  const beyond = [...new Set(folded)].filter((letter) => letter > '\x7f' && letter.toUpperCase() !== letter)
  const foldedHere = beyond
    .slice(0, MAX_FOLDED)
    .reduce((text, letter) => sql`replace(${text}, ${letter.toUpperCase()}, ${letter})`, shown)
  const isAllShown = sql`${bundles.resolutionPolicy} IS NULL AND ${bundles.closedNote} IS NULL`
  // They follow the slug, each in a line.
  const aliases = sql`coalesce((SELECT sum(length(key) + 1) FROM json_each(${bundles.aliases})), 0)`
  const others = matchesSearch(folded, sql`length(${bundles.slug}) + 2 + ${aliases}`)
  return sql`((${isAllShown} AND ${others}) OR instr(${foldedHere}, ${folded}))`
}

/** How many letters beyond ASCII a search folds in what is shown; each costs a pass over it. */
const MAX_FOLDED = 20

/** The list, as JSON, that a query over all listed bundles answers, without blocking the event loop. */
export async function idsIn(store: Store, { who }: Pick<Visit, 'who'>, query: SQL): Promise<unknown[]> {
  return JSON.parse(String((await inLongReadSlot(who, () => store.readLong(query))) ?? '[]')) as unknown[]
}

/** Reads the bundles with these ids, in this order, without blocked ones; some may be gone since. */
export async function read(
  { store: { db }, blockedHosts }: Pick<Service, 'store' | 'blockedHosts'>,
  { isMember }: Pick<Visit, 'isMember'>,
  ids: readonly number[],
  pinned: ReadonlySet<number>,
): Promise<ListedBundle[]> {
  const found = await rowsOf(db, ids)
  const byId = new Map(found.map((row) => [row.id, row]))
  const rows = ids.flatMap((id) => byId.get(id) ?? []).filter((row) => !blockedHosts.isIn(row))
  // A rule may replace the links for every stranger: then no stranger is to see whose sites they are.
  const isSeen = ({ resolutionPolicy }: Row) => isMember || resolutionPolicy === null
  const tiled = rows.flatMap((row) => (row.icons && isSeen(row) ? row.urls.slice(0, TILES) : []))
  const siteIcons = tiled.length === 0 ? {} : await iconsOf(db, { urls: tiled, resolutionPolicy: null })
  return rows.map((row) => shown(row, isSeen(row), pinned.has(row.id), siteIcons))
}

function rowsOf(db: Store['db'], ids: readonly number[]) {
  return db
    .select({ id: bundles.id, slug: bundles.slug, ...pick(NAMES, bundles) })
    .from(bundles)
    .where(and(inArray(bundles.id, [...ids]), isNull(bundles.deletedAt)))
}

type Row = Awaited<ReturnType<typeof rowsOf>>[number]

/** @param isSeen whether the visitor may know its own links. */
function shown(row: Row, isSeen: boolean, isPinned: boolean, siteIcons: SiteIcons): ListedBundle {
  const { id, slug, title, description, urls, urlMetadata, variables, access, closesAt, resolutionPolicy } = row
  return {
    id,
    slug,
    title,
    description,
    tabs: urls.length,
    urls: isSeen ? urls : [],
    tags: isSeen ? [...new Set(urlMetadata.flatMap(({ tags = [] }) => tags))] : [],
    isPinned,
    access,
    closesAt,
    isDirect: resolutionPolicy === null && variables.length === 0 && access !== 'password',
    siteIcons: row.icons ? siteIcons : {},
  }
}

/** The start page with a handle, for a viewer. */
export interface StartPage {
  organization: Presented
  page: ListedPage
  isMember: boolean
}

/**
 * Reads an organisation’s start page. Its members see it even while it lists nothing.
 * @throws Problem NOT_FOUND if there is none, or nothing on it for this viewer.
 */
export async function startPageOf(
  service: Pick<Service, 'store' | 'blockedHosts' | 'config'>,
  caller: Caller,
  handle: string,
  wanted: Wanted,
): Promise<StartPage> {
  const visit = await visitOf(service, caller, handle)
  const page = await listedFor(service, visit, wanted)
  return { organization: await entered(service, visit, page.bundles.length), page, isMember: visit.isMember }
}

/** Somebody at the start page with a handle, or at none. */
export async function visitOf({ store }: Pick<Service, 'store'>, caller: Caller, handle: string): Promise<Visit> {
  const organization = await organizationAt(store, handle)
  const isMember = await isMemberOf(store, caller, organization?.id ?? '')
  return { organization, isMember, who: caller.kind === 'anonymous' ? caller.address : caller.userId }
}

/**
 * The organisation, if its page exists for the visitor. An unknown handle takes the same steps as a page without a bundle for them.
 * @param found how many bundles the visitor has found there.
 * @throws Problem NOT_FOUND.
 */
export async function entered(
  service: Pick<Service, 'store' | 'blockedHosts' | 'config'>,
  visit: Visit,
  found: number,
): Promise<Presented> {
  const isThere = visit.isMember || found > 0 || (await listedFor(service, visit, { limit: PAGE })).bundles.length > 0
  if (visit.organization !== null && isThere) return visit.organization
  throw new Problem(
    'NOT_FOUND',
    'There is no start page here, or nothing on it that you may open. Members see it once they sign in.',
  )
}

/** Whether a caller sees what members see. A key reads only for the organisation that it acts for. */
async function isMemberOf(store: Store, caller: Caller, organizationId: string): Promise<boolean> {
  if (caller.kind === 'anonymous') return false
  if (caller.kind === 'session') return (await roleIn(store, caller.userId, organizationId)) !== null
  const { subject, scopes } = caller
  return subject.type === 'organization' && subject.organizationId === organizationId && allows(scopes, 'links:read')
}
