import { bounded, MAX_API_BYTES } from './requests.ts'

/** A bundle as its page shows it to whoever sits here. */
export interface Shown {
  title: string | null
  /** The tabs that Open all opens, as the instance names them. */
  urls: unknown[]
}

/**
 * Asks a launcher what it shows, with the cookies of its page: a password was typed there, and rules look at who is signed in.
 * @returns null if it shows nothing.
 * @throws if it does not answer in time, or with anything else.
 */
export async function shownAt(page: string, timeoutMs: number): Promise<Shown | null> {
  const answer = await fetch(page, {
    headers: { accept: 'application/json' },
    credentials: 'include',
    redirect: 'error',
    cache: 'no-store',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!answer.ok) return null
  const { title, tabs } = (await bounded(answer, MAX_API_BYTES).json()) as { title?: unknown; tabs?: unknown }
  const opened = (Array.isArray(tabs) ? tabs : []).filter((tab) => tab?.openPolicy !== 'manual')
  return { title: typeof title === 'string' ? title : null, urls: opened.map((tab) => tab?.url) }
}
