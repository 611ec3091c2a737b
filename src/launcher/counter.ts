/**
 * Unwritten views and clicks of one bundle and matched rule (`''`: none). A cached launcher holds its counters, so
 * counting needs no lookup; `Breakdowns` keeps here what it counts, for the same reason.
 */
export class Counter {
  views = 0
  openAllClicks = 0
  /** How many of the latest views had the four values that follow. */
  run = 0
  device = ''
  language = ''
  referrer = ''
  country = ''
  /** Views before the run, by value. */
  byValue: Map<string, number> | null = null

  constructor(
    readonly bundleId: number,
    readonly ruleId: string,
  ) {}
}
