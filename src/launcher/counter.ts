/**
 * The views and clicks of one bundle and one matched rule (`''`: none) that are not written yet. Whoever serves the
 * bundle holds it, so that counting looks nothing up.
 */
export class Counter {
  views = 0
  openAllClicks = 0

  constructor(
    readonly bundleId: number,
    readonly ruleId: string,
  ) {}
}
