import type { Operation } from './operation.ts'

/** A form of an operation with a route and an answer of its own, so that each route has one kind of answer. */
export interface Variant {
  /** `create_bundle_dry_run`, `get_insights_csv`. */
  name: string
  kind: 'dryRun' | 'csv'
  route: Operation['route']
}

/** The variants of an operation: its dry run, its answer as CSV. */
export function variantsOf({ name, route, dryRun, csv }: Operation): Variant[] {
  return [
    ...(dryRun === undefined ? [] : [{ name: `${name}_dry_run`, kind: 'dryRun', route: `${route}/dry-run` } as const]),
    ...(csv === undefined ? [] : [{ name: `${name}_csv`, kind: 'csv', route: `${route}.csv` } as const]),
  ]
}
