import { BOUNDS } from '../../src/bundles/content/content.ts'
import { routes } from '../../src/core/routes.ts'
import { unfitUrl } from '../../src/core/text.ts'
import { count, duration } from '../../src/core/words.ts'
import { clip, onOneLine } from '../../src/imports/clean.ts'
import { type Client, OpenallError } from '../../src/sdk/openall.ts'
import { clientOf, PATIENCE } from './connection.ts'
import {
  bundlesOf,
  changeDraft,
  type Draft,
  keptLinks,
  type Made,
  metadataOf,
  readDrafts,
  type Trouble,
} from './draft.ts'
import { type Instance, instanceOf } from './instances.ts'
import { keepLastBundle, keepUnclaimed } from './kept-links.ts'
import { hrefOf } from './tab-list.ts'
import { inTurn } from './turns.ts'

/** Asks the worker to save a draft. It outlives the popup, which closes as soon as somebody looks elsewhere. */
export interface SaveMessage {
  type: 'save'
  key: string
}

/** A list that the chosen bundle has no room for. */
class TooMany extends Error {}

/**
 * Saves a draft, and stores what became of it. It may be called again at any time, after any end: the draft's key and what is
 * stored of it make sure that nothing is saved twice.
 */
export function saveDraft(key: string): Promise<void> {
  return inTurn(`save ${key}`, async () => {
    const draft = (await readDrafts()).find((one) => one.key === key)
    if (draft === undefined || draft.state === 'saved' || draft.origin === null) return
    const instance = await instanceOf(draft.origin)
    // Unsure until there is an answer: the worker may end at any time.
    await changeDraft(key, { state: 'saving', isUnsure: true, trouble: null })
    try {
      if (instance === null) throw new Disconnected()
      const made = draft.target === null ? await create(draft, instance) : [await add(draft, instance)]
      const last = made.at(-1)
      if (last !== undefined && instance.account !== null) await keepLastBundle(instance.origin, last)
      await changeDraft(key, { state: 'saved', isUnsure: false, made })
    } catch (error) {
      const isUnsure = draft.isUnsure || !isAnswer(error)
      await changeDraft(key, { state: 'open', isUnsure, trouble: troubleOf(error, draft.origin, instance) })
    }
  })
}

class Disconnected extends Error {}

/** Makes the bundles of a draft, one after the other; those that are made already are not sent again. */
async function create(draft: Draft, instance: Instance): Promise<Made[]> {
  const client = clientOf(instance)
  let made = draft.made
  for (const [part, bundle] of bundlesOf(draft).entries()) {
    if (part < made.length) continue
    const { slug, url, claimUrl, claimExpiresAt } = await client.createBundle(bundle, {
      ...PATIENCE,
      idempotencyKey: part === 0 ? draft.key : `${draft.key}-${part}`,
    })
    const title = bundle.title ?? ''
    refuseOther(url, claimUrl)
    if (claimUrl !== undefined && claimExpiresAt !== undefined)
      await keepUnclaimed({ url, title, claimUrl, until: claimExpiresAt })
    const isPrivate = instance.account === null
    const editUrl = isPrivate ? (claimUrl ?? null) : instance.origin + routes.bundle.edit.href({ slug })
    made = [...made, { slug, url, title, editUrl, isPrivate }]
    await changeDraft(draft.key, { made })
  }
  return made
}

/** Refuses what only a service that means harm answers: the popup makes links of these. */
function refuseOther(...urls: readonly (string | undefined)[]): void {
  for (const url of urls)
    if (url !== undefined && unfitUrl(url) !== null)
      throw new OpenallError('UNEXPECTED_ANSWER', 'The service answered something that is no link.')
}

const TRIES = 3

/** Adds the links that a bundle lacks, on top of whatever others have changed meanwhile. */
async function add(draft: Draft, instance: Instance): Promise<Made> {
  const client = clientOf(instance)
  const slug = draft.target?.slug ?? ''
  for (let tries = 1; ; tries += 1) {
    const bundle = await client.getBundle({ slug }, PATIENCE)
    const { url, versionNumber } = bundle
    refuseOther(url)
    const there = new Set(bundle.urls.map(hrefOf))
    const missing = keptLinks(draft).filter((link) => !there.has(hrefOf(link.url)))
    const title = bundle.title ?? ''
    const editUrl = instance.origin + routes.bundle.edit.href({ slug: bundle.slug })
    const made: Made = { slug: bundle.slug, url, title, editUrl, isPrivate: false }
    if (missing.length === 0) return made
    const room = BOUNDS.urls - bundle.urls.length
    if (missing.length > room) throw new TooMany(noRoom(title || bundle.slug, bundle.urls.length, missing.length))
    try {
      await update(client, draft.key, { slug: bundle.slug, versionNumber, links: missing })
      return made
    } catch (error) {
      const isConflict = error instanceof OpenallError && error.code === 'VERSION_CONFLICT'
      if (!isConflict || tries === TRIES) throw error
    }
  }
}

interface Addition {
  slug: string
  versionNumber: number
  links: ReturnType<typeof keptLinks>
}

function update(client: Client, key: string, { slug, versionNumber, links }: Addition): Promise<unknown> {
  const addUrls = links.map((link) => ({ url: link.url, ...metadataOf(link) }))
  // Each version gets a key of its own, because what is missing depends on it.
  const idempotencyKey = `${key}-v${versionNumber}`
  return client.updateBundle({ slug, addUrls }, { ...PATIENCE, expectedVersion: versionNumber, idempotencyKey })
}

/** Says that a bundle has no room for so many more links. */
export function noRoom(title: string, has: number, more: number): string {
  const room = Math.max(0, BOUNDS.urls - has)
  const fit = room === 0 ? 'It is full.' : `${room} more fit${room === 1 ? 's' : ''}.`
  return `“${title}” has ${count(has, 'link')}. ${fit} Remove ${more - room}, or save a new bundle.`
}

/** Whether an error is an answer of the service, after which nothing was saved; else nobody knows. */
function isAnswer(error: unknown): boolean {
  if (error instanceof TooMany || error instanceof Disconnected) return true
  return (
    error instanceof OpenallError && error.status >= 400 && error.status < 500 && error.code !== 'UNEXPECTED_ANSWER'
  )
}

/** The longest sentence that an instance may show here. */
const MAX_MESSAGE = 300

function troubleOf(error: unknown, origin: string, instance: Instance | null): Trouble {
  const { host } = new URL(origin)
  const said = error instanceof Error ? error.message : String(error)
  const code = error instanceof OpenallError ? error.code : null
  if (error instanceof Disconnected) return { message: `${host} is no longer connected.`, isSignedOut: true }
  if (code === 'UNAUTHORIZED')
    return instance?.account == null ? needsAccount(instance?.name ?? host) : signedOut(instance.name)
  const seconds = error instanceof OpenallError ? error.retryAfterSeconds : undefined
  if (code === 'RATE_LIMITED' && seconds !== undefined)
    return { message: `Too many saves in a short time. Save again in ${duration(seconds)}.`, isSignedOut: false }
  if (code === 'NETWORK_ERROR' || code === 'TIMEOUT')
    return { message: `${host} can’t be reached. Save again once you are online.`, isSignedOut: false }
  return { message: clip(onOneLine(said), MAX_MESSAGE), isSignedOut: false }
}

function needsAccount(name: string): Trouble {
  return {
    message: `${name} takes bundles only from people with an account. Sign in, then save again.`,
    isSignedOut: true,
  }
}

export function signedOut(name: string): Trouble {
  return { message: `You are signed out of ${name}. Sign in, then save.`, isSignedOut: true }
}
