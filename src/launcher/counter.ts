/** What the headers of a view say of the viewer, as keys of `Breakdowns`. */
export interface Profile {
  readonly device: string
  readonly language: string
  readonly referrer: string
  /** `''` if the service is not told countries. */
  readonly country: string
}

interface OfBundle {
  readonly bundleId: number
}

/** Sorts by bundle, so that what is written together touches neighbouring rows: a few pages of the file. */
export const byBundle = (one: OfBundle, other: OfBundle): number => one.bundleId - other.bundleId

/**
 * Unwritten views and clicks of one bundle and matched rule (`''`: none). A cached launcher holds its counters, so
 * counting needs no lookup; `Breakdowns` keeps here what it counts, for the same reason.
 */
export class Counter {
  views = 0
  openAllClicks = 0
  /** How many of the latest views had the profile. */
  run = 0
  /** Shared by many counters, because a launcher of more than 18 properties takes 224 bytes instead of 160. */
  profile: Profile | null = null

  constructor(
    readonly bundleId: number,
    readonly ruleId: string,
  ) {}
}
