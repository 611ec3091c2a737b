export type { Condition, Field, Policy, Rule, Tab, Traced } from '../../db/policy.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export { type OpenallCode, OpenallError } from './error.ts'
export type { Answer, CallOptions } from './options.ts'
