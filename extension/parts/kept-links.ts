import { keepPrivate, readPrivate } from './private-store.ts'
import { inTurn } from './turns.ts'

// Bundles that the extension has made: those without an account, whose private links are shown only once, and the last one.

/** A bundle without an account. */
export interface Unclaimed {
  url: string
  title: string
  /** Lets its user edit it, by taking it into an account. */
  claimUrl: string
  /** When that link ends. */
  until: string
}

const MAX_UNCLAIMED = 100
const KEY = 'kept links'

interface Stored {
  unclaimed: Unclaimed[]
  lastBundles: Record<string, { slug: string; title: string }>
}

/** The bundles without an account, the newest first; without those whose links have ended. */
export async function readUnclaimed(now = Date.now()): Promise<Unclaimed[]> {
  const { unclaimed } = await read()
  return unclaimed.filter(({ until }) => Date.parse(until) > now)
}

export async function keepUnclaimed(bundle: Unclaimed): Promise<void> {
  await change(({ unclaimed }) => {
    const others = unclaimed.filter(({ claimUrl }) => claimUrl !== bundle.claimUrl)
    return { unclaimed: [bundle, ...others].slice(0, MAX_UNCLAIMED) }
  })
}

export async function dropUnclaimed(claimUrl: string): Promise<void> {
  await change(({ unclaimed }) => ({ unclaimed: unclaimed.filter((one) => one.claimUrl !== claimUrl) }))
}

/** The bundle of an instance that was saved last; null for none. */
export async function lastBundleOf(origin: string): Promise<{ slug: string; title: string } | null> {
  const { lastBundles } = await read()
  return Object.hasOwn(lastBundles, origin) ? (lastBundles[origin] ?? null) : null
}

export async function keepLastBundle(origin: string, { slug, title }: { slug: string; title: string }): Promise<void> {
  // Only of the last instances: nobody disconnects so many.
  await change(({ lastBundles }) => {
    const { [origin]: _, ...others } = lastBundles
    return { lastBundles: Object.fromEntries([[origin, { slug, title }], ...Object.entries(others)].slice(0, 20)) }
  })
}

async function read(): Promise<Stored> {
  return { unclaimed: [], lastBundles: {}, ...((await readPrivate(KEY)) as Stored | undefined) }
}

function change(to: (before: Stored) => Partial<Stored>): Promise<void> {
  return inTurn(KEY, async () => {
    const before = await read()
    await keepPrivate(KEY, { ...before, ...to(before) })
  })
}
