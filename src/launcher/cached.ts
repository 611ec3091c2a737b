import type { Variable } from '../../db/schema.ts'
import type { LauncherPolicy } from '../policies/evaluate.ts'
import { type AccessGate, accessGateOf } from './access.ts'
import { Counter } from './batches.ts'
import { linkHash } from './opens.ts'
import type { PageTemplate } from './page-template.ts'
import type { ServedBundle } from './served.ts'

/** Content encodings of a cached page. */
export type Encoding = 'br' | 'gzip' | 'identity'

type Page = Uint8Array<ArrayBuffer>

/**
 * The launcher for viewers who match one rule, or none: its counter, and its rendered bodies by encoding. A single
 * object, because each further one is a cache miss per view.
 */
export class Variant extends Counter implements Record<Encoding, Page | undefined> {
  br: Page | undefined = undefined
  gzip: Page | undefined = undefined
  identity: Page | undefined = undefined
  /** For a bundle with variables: the template for all values, and the page without values, for its form's parameters. */
  template: PageTemplate | undefined = undefined
  blank: PageTemplate | undefined = undefined
  /** Its feed, once somebody has read it. While it is made, a promise shared by all readers. */
  feed: string | Promise<string> | undefined = undefined
}

/** A cached bundle with its compiled policy; itself the variant for viewers who match no rule. */
export class Launcher extends Variant {
  /** Null if the bundle has no rules. */
  readonly policy: LauncherPolicy | null
  readonly slug: string
  /** The version of its policy, gate and pages. */
  readonly versionNumber: number
  /** The organisation that owns it, or null. */
  readonly organizationId: string | null
  /** Null for none, which is checked at each view. */
  readonly variables: readonly Variable[] | null
  /** The variables that its rules read, whose values decide which tabs appear. */
  readonly deciding: readonly string[]
  /** Null if anyone may see it at any time. */
  readonly gate: AccessGate | null
  /**
   * The source of its pages. Without a policy and variables, null once a page is rendered, because it takes three times as
   * much memory as the page.
   */
  bundle: ServedBundle | null
  /** By rule id, with a hyphen before it for the pages of viewers without a session; created on first use. */
  byRule: Map<string, Variant> | null = null
  /** The hashes of its links and its rules’ links, by URL; null until one is opened. */
  links: ReadonlyMap<string, string> | null = null

  constructor(bundle: ServedBundle, policy: LauncherPolicy | null) {
    super(bundle.id, '')
    this.policy = policy
    this.slug = bundle.slug
    this.versionNumber = bundle.versionNumber
    this.organizationId = bundle.organizationId
    this.variables = bundle.variables.length === 0 ? null : bundle.variables
    this.deciding = bundle.variables.map(({ name }) => name).filter((name) => policy?.needs(`query.${name}`))
    this.gate = accessGateOf(bundle)
    this.bundle = bundle
  }
}

/** The links of a bundle and of its rules, in order, each once, with their hashes. */
export function linksIn({
  id,
  urls,
  resolutionPolicy,
}: Pick<ServedBundle, 'id' | 'urls' | 'resolutionPolicy'>): ReadonlyMap<string, string> {
  const ofRules = (resolutionPolicy?.rules ?? []).flatMap(({ tabs }) => tabs.map(({ url }) => url))
  return new Map([...urls, ...ofRules].map((url) => [url, linkHash(id, url)]))
}
