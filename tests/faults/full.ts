/** `bun run faults` runs these tests as long as the promises say; every run of the tests has a quick form of them. */
export const IS_FULL = process.env.FAULTS === 'full'

/** Either form's number. */
export const often = ({ quick, full }: { quick: number; full: number }) => (IS_FULL ? full : quick)
