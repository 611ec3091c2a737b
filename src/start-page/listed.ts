import { type Type, type } from 'arktype'
import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { blockedBundles, bundles, dailyCounters, owners, sharedPins } from '../../db/schema.ts'
import type { BlockedHosts } from '../abuse/hosts.ts'
import { NAMES, pick } from '../bundles/content/content.ts'
import { matchesSearch, tagged } from '../bundles/list/list-order.ts'
import { fold } from '../bundles/list/search.ts'
import { keyIn, nextCursor } from '../core/paging.ts'
import { Problem } from '../core/problem.ts'
import { inLongReadSlot } from '../core/scheduling.ts'
import type { Service } from '../core/service.ts'
import { DAY_MS } from '../core/time.ts'
import { iconsOf } from '../icons/kept.ts'
import type { SiteIcons } from '../icons/site.ts'
import { allows, type Caller } from '../identity/caller.ts'
import { roleIn } from '../identity/members.ts'
import { dayOf } from '../launcher/salts.ts'
import { organizationAt, type Presented } from './appearance.ts'

/** A bundle as a start page lists it. */
export interface ListedBundle {
  slug: string
  title: string | null
  description: string | null
  /** The links of the bundle itself; a rule may show others. */
  urls: string[]
  /** The tags of its links, each once. */
  tags: string[]
  /** Whether an admin has pinned it for everybody. */
  isPinned: boolean
  /** Whether everybody gets the same tabs at once: it has no rules, no variables and no password. */
  isDirect: boolean
  /** Known icons of its links’ sites. */
  siteIcons: SiteIcons
}

/** Which of the listed bundles are wanted. */
export interface Wanted {
  /** Text that they contain. */
  q?: string | undefined
  /** A tag of one of their links. */
  tag?: string | undefined
  limit: number
  cursor?: string | undefined
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

/**
 * The listed bundles of an organisation that a viewer may open: pinned ones first, then the most opened.
 * @param who whose turn a long read takes: a person, or an address.
 * @param isMember whether the viewer is a member; others see what anyone with the link can open now.
 */
async function listedOf(
  store: Store,
  blockedHosts: Pick<BlockedHosts, 'isIn'>,
  organizationId: string,
  { q, tag, limit, cursor }: Wanted,
  { who, isMember }: { who: string; isMember: boolean },
): Promise<ListedPage> {
  const now = Date.now()
  const instant = new Date(now).toISOString()
  const after = keyIn(cursor, Key)
  const opens = sql`coalesce((SELECT sum(${dailyCounters.openAllClicks}) FROM ${dailyCounters} WHERE ${dailyCounters.bundleId} = ${bundles.id} AND ${dailyCounters.day} >= ${dayOf(now - DAYS * DAY_MS)}), 0)`
  const isOpenToAll = sql`${bundles.access} = 'link' AND (${bundles.opensAt} IS NULL OR ${bundles.opensAt} <= ${instant}) AND (${bundles.closesAt} IS NULL OR ${bundles.closesAt} > ${instant})`
  const conditions: (SQL | undefined)[] = [
    isListedBy(organizationId),
    sql`NOT EXISTS (SELECT 1 FROM ${blockedBundles} WHERE ${blockedBundles.bundleId} = ${bundles.id})`,
    isMember ? undefined : isOpenToAll,
    q === undefined ? undefined : matchesSearch(fold(q)),
    tag === undefined ? undefined : tagged(tag, JSON.stringify(tag)),
  ]
  // SQLite would read all bundles of the owner in another index.
  const found = sql`SELECT ${bundles.id} AS id, coalesce(${sharedPins.pinnedAt}, ${sql.raw(String(UNPINNED))}) AS pinned, ${opens} AS opens
    FROM ${bundles} INDEXED BY bundles_listed LEFT JOIN ${sharedPins} ON ${sharedPins.bundleId} = ${bundles.id} WHERE ${and(...conditions)}`
  const isAfter = after === null ? sql`1` : sql`(pinned, -opens, -id) > (${after[0]}, ${-after[1]}, ${-after[2]})`
  const query = sql`SELECT json_group_array(json_array(pinned, opens, id)) FROM
    (SELECT * FROM (${found}) WHERE ${isAfter} ORDER BY pinned, opens DESC, id DESC LIMIT ${limit + 1})`
  const keys = JSON.parse(
    String((await inLongReadSlot(who, () => store.readLong(query))) ?? '[]'),
  ) as (typeof Key.infer)[]
  const onPage = keys.slice(0, limit)
  const rows = (await read(store, onPage)).filter((row) => !blockedHosts.isIn(row))
  const tiled = rows.flatMap(({ icons, urls }) => (icons ? urls.slice(0, TILES) : []))
  const siteIcons = tiled.length === 0 ? {} : await iconsOf(store.db, { urls: tiled, resolutionPolicy: null })
  return {
    bundles: rows.map((row) => shown(row, siteIcons)),
    ...nextCursor(onPage, keys.length > limit, (key) => key),
  }
}

/** The condition that a bundle is on an organisation’s start page, by an index of such bundles alone. */
function isListedBy(organizationId: string): SQL {
  return sql`${bundles.ownerId} = (SELECT ${owners.id} FROM ${owners} WHERE ${eq(owners.organizationId, organizationId)}) AND ${bundles.listed} = 1 AND ${bundles.deletedAt} IS NULL`
}

/** Reads the bundles with these ids, in this order; some may be gone since. */
async function read({ db }: Store, keys: readonly (typeof Key.infer)[]) {
  const ids = keys.map(([, , id]) => id)
  const rows = await db
    .select({
      id: bundles.id,
      ...pick(NAMES, bundles),
      slug: bundles.slug,
    })
    .from(bundles)
    .where(and(inArray(bundles.id, ids), isNull(bundles.deletedAt)))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return keys.flatMap(([pinnedAt, , id]) => {
    const row = byId.get(id)
    return row === undefined ? [] : [{ ...row, isPinned: pinnedAt !== UNPINNED }]
  })
}

type Row = Awaited<ReturnType<typeof read>>[number]

function shown(row: Row, siteIcons: SiteIcons): ListedBundle {
  const { slug, title, description, urls, urlMetadata, variables, access, resolutionPolicy, isPinned } = row
  return {
    slug,
    title,
    description,
    urls,
    tags: [...new Set(urlMetadata.flatMap(({ tags = [] }) => tags))],
    isPinned,
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
  { store, blockedHosts }: Pick<Service, 'store' | 'blockedHosts'>,
  caller: Caller,
  handle: string,
  wanted: Wanted,
): Promise<StartPage> {
  const organization = await organizationAt(store, handle)
  if (organization === null) throw noStartPage()
  const isMember = await isMemberOf(store, caller, organization.id)
  const viewer = { isMember, who: caller.kind === 'anonymous' ? caller.address : caller.userId }
  const page = await listedOf(store, blockedHosts, organization.id, wanted, viewer)
  if (page.bundles.length === 0 && !isMember) {
    const any = await listedOf(store, blockedHosts, organization.id, { limit: 1 }, viewer)
    if (any.bundles.length === 0) throw noStartPage()
  }
  return { organization, page, isMember }
}

/** Whether a caller sees what members see. A key reads only for the organisation that it acts for. */
async function isMemberOf(store: Store, caller: Caller, organizationId: string): Promise<boolean> {
  if (caller.kind === 'anonymous') return false
  if (caller.kind === 'session') return (await roleIn(store, caller.userId, organizationId)) !== null
  const { subject, scopes } = caller
  return subject.type === 'organization' && subject.organizationId === organizationId && allows(scopes, 'links:read')
}

function noStartPage(): Problem {
  return new Problem('NOT_FOUND', 'There is no start page here, or nothing on it that you may open.')
}
