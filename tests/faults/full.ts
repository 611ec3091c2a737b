/** `bun run faults` runs these tests as long as the promises say; every run of the tests has a quick form of them. */
export const IS_FULL = process.env.FAULTS === 'full'

/** Either form's number. */
export const often = ({ quick, full }: { quick: number; full: number }) => (IS_FULL ? full : quick)

/** Waits for something that must come about by itself. */
export async function eventually(isThere: () => Promise<boolean>, what: string, withinMs = 15_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isThere())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`)
    await Bun.sleep(100)
  }
}
