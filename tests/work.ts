/** Processor time of a run in ms: unlike elapsed time, it does not depend on other load on the machine. */
export async function processorMs(run: () => unknown): Promise<number> {
  const from = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
}

/** Ratio of the processor times of `large` and `small`; if the first is not below `limit`, the lowest of three. */
export async function workRatio(large: () => unknown, small: () => unknown, limit: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3 && least >= limit; round += 1) {
    const unit = await processorMs(small)
    // Less than a millisecond cannot be measured reliably.
    least = Math.min(least, (await processorMs(large)) / Math.max(1, unit))
  }
  return least
}
