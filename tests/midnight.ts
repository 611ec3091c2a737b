import { beforeEach } from 'bun:test'

// run.ts loads this before the test files.

const DAY_MS = 86_400_000
/** Longer than a test takes, however busy the machine is. */
const A_TEST_MS = 60_000

// The service counts by UTC day. In its last minute a test waits for the next day, so that none sees two.
beforeEach(async () => {
  const leftMs = DAY_MS - (Date.now() % DAY_MS)
  if (leftMs < A_TEST_MS) await Bun.sleep(leftMs + 100)
}, 2 * A_TEST_MS)
