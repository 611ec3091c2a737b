/** `bun run faults` runs these tests for as long as the promises require; every other run is a quick version. */
export const IS_FULL = process.env.FAULTS === 'full'

/** The amount for this run. */
export const byMode = <Amount>({ quick, full }: { quick: Amount; full: Amount }) => (IS_FULL ? full : quick)

/** In the full run, prints the figures that docs/self-hosting.md gives for a fault. */
export function reportFault(fault: string, answered: number, lost: number): void {
  if (IS_FULL) console.log(`${fault}: ${answered} answered, ${lost} lost`)
}
