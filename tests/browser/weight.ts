import type { Page } from 'playwright-core'
import { eventually } from '../eventually.ts'

/** Counts the bytes that a page receives over the network from now on. */
export async function weigh(page: Page) {
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  const pending = new Set<string>()
  let sum = 0
  client.on('Network.requestWillBeSent', ({ requestId, loaderId }) => {
    // A new document: requests of the page before it, such as its icon, may never be reported as finished.
    if (requestId === loaderId) pending.clear()
    pending.add(requestId)
  })
  client.on('Network.loadingFailed', ({ requestId }) => pending.delete(requestId))
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    pending.delete(requestId)
    sum += encodedDataLength
  })
  return {
    /** Waits for pending requests. @returns the bytes so far, compressed and with headers. */
    async bytes(): Promise<number> {
      await eventually(() => pending.size === 0, 'the page has loaded everything it requested')
      return sum
    },
    reset(): void {
      sum = 0
    },
  }
}
