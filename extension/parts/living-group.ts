import { hexOf } from '../../src/core/random-id.ts'
import { count, joinList } from '../../src/core/words.ts'
import { type Client, OpenallError } from '../../src/sdk/openall.ts'
import { clientOf, PATIENCE } from './connection.ts'
import { metadataOf } from './draft.ts'
import { type GroupSource, groupOf } from './groups.ts'
import { isWebAddress, MAX_TABS } from './handover.ts'
import { instanceOf } from './instances.ts'
import { shownAt } from './shown.ts'
import { hrefOf, type Link, listOf, tabsFound } from './tab-list.ts'

// A group that was opened from a bundle, compared with the bundle as it is now. Asked when somebody looks, never in the background.

/** What has become of a group and its bundle since it was opened. */
export interface GroupState {
  origin: string
  slug: string
  /** The bundle's title, or its slug. */
  title: string
  /** Links that the bundle got since, for this viewer, and the group does not have. */
  fresh: string[]
  /** Tabs of the group that the bundle lacks. */
  added: Link[]
  /** Links of the bundle whose tabs were closed. */
  closed: string[]
  /** What the account may do with the bundle; null for nothing. */
  may: 'edit' | 'suggest' | null
  /** The version that `added` and `closed` are of; null where the account may do nothing. */
  versionNumber: number | null
}

/** Compares a group with its bundle; null for a group that was not opened from one, or whose instance is gone. */
export async function stateOf(groupId: number): Promise<GroupState | null> {
  const source = await groupOf(groupId)
  const instance = source === null ? null : await instanceOf(source.origin)
  if (source === null || instance === null) return null
  const client = instance.account === null || instance.account.hasEnded ? null : clientOf(instance)
  const [tabs, shown, mine, role] = await Promise.all([
    chrome.tabs.query({ groupId }),
    shownNow(source),
    client === null ? null : ownBundle(client, source.slug),
    client === null ? null : client.whoAmI({}, PATIENCE).then((me) => me.role),
  ])
  const opened = new Map(source.tabs)
  const isOpened = ({ id }: chrome.tabs.Tab) => id !== undefined && opened.has(id)
  // Wherever its tab has led since, a link that was opened from the bundle is still open.
  const still = new Set(tabs.flatMap(({ id }) => (id === undefined ? [] : (opened.get(id) ?? []))))
  const others = listOf(
    tabsFound(
      tabs.filter((tab) => !isOpened(tab)),
      [],
    ),
    [source.origin],
  ).links
  const here = new Set([...still, ...others.map(({ url }) => url)].map(hrefOf))
  const before = new Set(source.tabs.map(([, url]) => hrefOf(url)))
  const known = new Set([...before, ...[...shown.urls, ...(mine?.urls ?? [])].map(hrefOf)])
  return {
    origin: source.origin,
    slug: source.slug,
    title: shown.title ?? mine?.title ?? source.slug,
    fresh: shown.urls.filter((url) => !before.has(hrefOf(url)) && !here.has(hrefOf(url))),
    added: mine === null ? [] : others.filter(({ url }) => !known.has(hrefOf(url))),
    closed: (mine?.urls ?? []).filter((url) => before.has(hrefOf(url)) && !here.has(hrefOf(url))),
    may: mine === null ? null : role === 'viewer' ? 'suggest' : 'edit',
    versionNumber: mine?.versionNumber ?? null,
  }
}

/**
 * Saves the tabs of a group as an edit of its bundle, or suggests it. Sent again after an end without an answer, it changes
 * nothing twice: the version is that of the comparison, and a suggestion's key follows from what it suggests.
 * @throws OpenallError; code VERSION_CONFLICT if the bundle has changed since: compare again.
 */
export async function saveBack({ origin, slug, added, closed, may, versionNumber }: GroupState): Promise<void> {
  const addUrls = added.map((link) => ({ url: link.url, ...metadataOf(link) }))
  const changes = {
    ...(addUrls.length === 0 ? {} : { addUrls }),
    ...(closed.length === 0 ? {} : { removeUrls: closed }),
  }
  const client = clientOf({ origin })
  const idempotencyKey = await hash(JSON.stringify([slug, versionNumber, changes]))
  if (may === 'edit' && versionNumber !== null)
    await client.updateBundle({ slug, ...changes }, { ...PATIENCE, expectedVersion: versionNumber, idempotencyKey })
  else if (may === 'suggest' && versionNumber !== null)
    await client.proposeEdit({ slug, ...changes, baseVersion: versionNumber }, { ...PATIENCE, idempotencyKey })
}

/** `2 tabs added, 1 closed`; `''` for a group that has what its bundle has. */
export function changeWords({ added, closed }: Pick<GroupState, 'added' | 'closed'>): string {
  const [plus, minus] = [added.length, closed.length]
  return joinList(
    [
      ...(plus === 0 ? [] : [`${count(plus, 'tab')} added`]),
      ...(minus === 0 ? [] : [plus === 0 ? `${count(minus, 'tab')} closed` : `${minus} closed`]),
    ],
    'and',
  )
}

/** The bundle as its page shows it now. @throws OpenallError. */
async function shownNow({ page }: GroupSource): Promise<{ title: string | null; urls: string[] }> {
  const { host } = new URL(page)
  const shown = await shownAt(page, PATIENCE.timeoutMs).catch((error) => {
    throw new OpenallError('NETWORK_ERROR', `${host} can’t be reached.`, { cause: error })
  })
  if (shown === null) throw new OpenallError('NOT_FOUND', `${host} shows this bundle no longer.`)
  return { title: shown.title, urls: shown.urls.filter(isWebAddress).slice(0, MAX_TABS) }
}

/** The bundle, if it belongs to the account; null for one of others. @throws OpenallError. */
async function ownBundle(client: Client, slug: string) {
  return client.getBundle({ slug }, PATIENCE).catch((error: unknown) => {
    const { code } = error as OpenallError
    if (code === 'NOT_FOUND' || code === 'FORBIDDEN' || code === 'UNAUTHORIZED') return null
    throw error
  })
}

async function hash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return hexOf(digest.slice(0, 16))
}
