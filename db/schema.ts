// Times are whole milliseconds since 1970 in UTC; days are `YYYY-MM-DD` in UTC. Drizzle cannot express WITHOUT ROWID,
// nor an index on an expression with a comma: the migrations do, by hand.

export * from './abuse-schema.ts'
export * from './bundle-schema.ts'
export * from './check-schema.ts'
export * from './content-schema.ts'
export * from './count-schema.ts'
export * from './event-schema.ts'
export * from './icon-schema.ts'
export * from './idempotency-schema.ts'
export * from './identity-schema.ts'
export * from './instance-schema.ts'
export * from './key-schema.ts'
export * from './owner-schema.ts'
export * from './proposal-schema.ts'
export * from './provider-schema.ts'
export * from './version-schema.ts'
export * from './webhook-schema.ts'
