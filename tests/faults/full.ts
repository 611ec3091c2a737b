/** `bun run faults` runs these tests for as long as the promises require; every other run is a quick version. */
export const IS_FULL = process.env.FAULTS === 'full'

/** The number for this run. */
export const byMode = ({ quick, full }: { quick: number; full: number }) => (IS_FULL ? full : quick)

/** In the full run, prints the figures that docs/self-hosting.md gives for a fault. */
export function reportFault(fault: string, answered: number, lost: number): void {
  if (IS_FULL) console.log(`${fault}: ${answered} answered, ${lost} lost`)
}
