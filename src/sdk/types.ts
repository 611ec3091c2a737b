import type { Client } from './client.ts'
import type { Body, Input, ItemOf } from './signatures.ts'

// The shapes that the package exports by name. `tools/declarations.ts` writes them out, with the API's description of each field,
// so that the published types do not refer to the server's.

/** A bundle, as read. */
export type Bundle = Body<'get_bundle'>

/** A bundle to create. */
export type NewBundle = Input<'create_bundle'>

/** The answer to the creator of a bundle. */
export type CreatedBundle = Body<'create_bundle'>

/** The fields of a bundle to change, and its slug. */
export type BundleEdit = Input<'update_bundle'>

/** The result of a dry run, with warnings. */
export type DryRun = Awaited<ReturnType<Client['createBundle']['dryRun']>>

/** A bundle as it would be saved. */
export type Draft = DryRun['bundle']

/** A bundle in a list. */
export type ListedBundle = ItemOf<Body<'list_bundles'>['bundles']>

/** The content of a bundle after one edit. */
export type Version = ItemOf<Body<'list_versions'>['versions']>

/** The metadata of one URL of a bundle. */
export type UrlMetadata = ItemOf<Bundle['urlMetadata']>

/** Which viewers see which tabs instead of the bundle’s own. */
export type Policy = NonNullable<Bundle['resolutionPolicy']>

/** A rule of a policy: a condition, and the tabs that matching viewers get. */
export type Rule = ItemOf<Policy['rules']>

export type Tab = ItemOf<Rule['tabs']>

/** A policy to save: its rules need no `id`. */
export type NewPolicy = NonNullable<NewBundle['resolutionPolicy']>

/** A rule to save. */
export type NewRule = ItemOf<NewPolicy['rules']>

/** An edit that somebody proposed: its state, and the fields that it changes. */
export type Proposal = Body<'propose_edit'>

/** A proposal with its difference to its base version, and its conflicts with newer ones. */
export type ProposalInFull = Body<'get_proposal'>

/** The counts of a bundle. */
export type Insights = Body<'get_insights'>

/** An API key, without its secret. */
export type ApiKey = Body<'create_key'>['apiKey']

/** The user or organisation that owns bundles and keys. */
export type Subject = Body<'who_am_i'>['subject']
