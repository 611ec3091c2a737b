/** The processor time that something takes, in ms: unlike the clock's, it does not run on while others have the machine. */
export async function processorMs(run: () => unknown): Promise<number> {
  const from = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
}

/** How many times as much work `large` is as `small`; where that is not below `limit` at once, the least of three. */
export async function timesTheWork(large: () => unknown, small: () => unknown, limit: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3 && least >= limit; round += 1) {
    const unit = await processorMs(small)
    // What takes less than a millisecond is not measured well.
    least = Math.min(least, (await processorMs(large)) / Math.max(1, unit))
  }
  return least
}
