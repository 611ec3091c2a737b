import type { Page } from 'playwright-core'
import { eventually } from '../eventually.ts'

/** Counts the bytes that a page receives over the network from now on. */
export async function weigh(page: Page) {
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  const pending = new Set<string>()
  const faces = new Set<string>()
  const asked = new Set<string>()
  let sum = 0
  let ofFaces = 0
  client.on('Network.requestWillBeSent', ({ requestId, loaderId, request }) => {
    // A new document: requests of the page before it, such as its icon, may never be reported as finished.
    if (requestId === loaderId) pending.clear()
    pending.add(requestId)
    asked.add(requestId)
    if (request.url.endsWith('.woff2')) faces.add(requestId)
  })
  client.on('Network.loadingFailed', ({ requestId }) => pending.delete(requestId))
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    pending.delete(requestId)
    // The document of a frame’s `srcdoc` is loaded too, and never received.
    if (!asked.has(requestId)) return
    if (faces.has(requestId)) ofFaces += encodedDataLength
    else sum += encodedDataLength
  })
  return {
    /** Waits for pending requests. @returns the bytes so far, compressed and with headers, without those of typefaces. */
    async bytes(): Promise<number> {
      await eventually(() => pending.size === 0, 'the page has loaded everything it requested')
      return sum
    },
    /** The bytes of typefaces so far, which browsers keep for a year. */
    ofFaces: () => ofFaces,
    reset(): void {
      sum = 0
      ofFaces = 0
    },
  }
}
