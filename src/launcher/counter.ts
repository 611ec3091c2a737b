/**
 * Unwritten views and clicks of one bundle and matched rule (`''`: none). A cached launcher holds its counters, so
 * counting needs no lookup.
 */
export class Counter {
  views = 0
  openAllClicks = 0

  constructor(
    readonly bundleId: number,
    readonly ruleId: string,
  ) {}
}
