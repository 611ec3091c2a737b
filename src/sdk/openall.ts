export type { Condition, Field, Traced } from '../../db/policy.ts'
export type { Answer, CallOptions } from './call.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export { type ErrorBody, type InputError, type OpenallCode, OpenallError } from './error.ts'
export type {
  ApiKey,
  Bundle,
  BundleEdit,
  CreatedBundle,
  Draft,
  DryRun,
  Insights,
  ListedBundle,
  NewBundle,
  NewPolicy,
  NewRule,
  Policy,
  Proposal,
  ProposalInFull,
  Rule,
  Subject,
  Tab,
  UrlMetadata,
  Version,
} from './types.ts'
export { verifyWebhook, type WebhookEvent, type WebhookHeaders } from './verify-webhook.ts'
