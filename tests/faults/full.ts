/** `bun run faults` runs these tests as long as the promises say; every run of the tests has a quick form of them. */
export const IS_FULL = process.env.FAULTS === 'full'

/** Either form's number. */
export const often = ({ quick, full }: { quick: number; full: number }) => (IS_FULL ? full : quick)

/** Prints in the long form what docs/self-hosting.md tells of a fault. */
export function tell(fault: string, answered: number, lost: number): void {
  if (IS_FULL) console.log(`${fault}: ${answered} answered, ${lost} lost`)
}
