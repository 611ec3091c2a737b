import { expect } from 'bun:test'
import { becomes as becomesSoon, eventually } from '../eventually.ts'
import type { startDestinations } from './destinations.ts'
import { PageCrash, type Viewer } from './viewer.ts'

/** A launcher with its destinations. */
export interface Scene {
  viewer: Viewer
  destinations: ReturnType<typeof startDestinations>
  slug: string
}

/** Notes in the page when it is hidden, seen again, and shown as the browser had kept it. */
export const WATCH = `(() => {
  self.seen = []
  document.addEventListener('visibilitychange', () => seen.push(document.visibilityState))
  addEventListener('pageshow', ({ persisted }) => persisted && seen.push('kept'))
})()`

/** A busy machine needs a minute for 25 tabs, because WebKit and Firefox start a process for each. */
export const becomes = <T>(read: () => T | Promise<T>, expected: T) => becomesSoon(read, expected, 120_000)

/** Presses the button until every link is open, and expects as many tabs of each press. @returns the presses. */
export async function pressUntilDone({ viewer, destinations }: Scene, count: number, perPress: number, opened = 0) {
  let presses = 0
  for (let done = opened; done < count; presses += 1) {
    await viewer.click('#open')
    done = Math.min(count, done + perPress)
    await becomes(() => destinations.visits.length, done)
  }
  return presses
}

export function expectEachOnce({ destinations }: Scene, count: number): void {
  const wanted = destinations.urls(count).map((url) => new URL(url).pathname)
  expect(destinations.visits.map(({ path }) => path).sort()).toEqual(wanted.sort())
}

export function statusOf({ viewer }: Scene): Promise<string> {
  return viewer.read("document.querySelector('#status').textContent")
}

/** Every page that opened says that it has no opener. @throws PageCrash if the browser lost one before it could say so. */
export async function expectNoOpeners({ destinations }: Scene, count: number): Promise<void> {
  const reported = await eventually(() => destinations.openers.length >= count, 'every tab reports').then(
    () => true,
    () => false,
  )
  expect(new Set(destinations.openers)).toEqual(new Set(['null']))
  if (!reported) throw new PageCrash(`${count - destinations.openers.length} tabs were loaded and never ran`)
  expect(destinations.openers.length).toBe(count)
}
