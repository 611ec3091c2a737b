import type { Page } from 'playwright-core'
import { eventually } from '../eventually.ts'

/** Weighs what comes over the network for a page from now on. */
export async function weigh(page: Page) {
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  const underWay = new Set<string>()
  let sum = 0
  client.on('Network.requestWillBeSent', ({ requestId, loaderId }) => {
    // A document goes by its loader's id. What the page before it still asked for, its icon say, is never told to end.
    if (requestId === loaderId) underWay.clear()
    underWay.add(requestId)
  })
  client.on('Network.loadingFailed', ({ requestId }) => underWay.delete(requestId))
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    underWay.delete(requestId)
    sum += encodedDataLength
  })
  return {
    /** The bytes so far, headers and compression included, once all that is asked for is there. */
    async bytes(): Promise<number> {
      await eventually(() => underWay.size === 0, 'all that the page asks for has come')
      return sum
    },
    /** Begins anew. */
    reset(): void {
      sum = 0
    },
  }
}
