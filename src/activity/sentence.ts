import type { CONTENT } from '../bundles/content/content.ts'
import { joinList } from '../core/words.ts'
import type { LoggedEvent } from '../events/shapes.ts'

// What happened to bundles, in words: of the activity log, and of messages to chats.

/** Events of bundles and proposals. */
export type BundleEvent = Extract<LoggedEvent['type'], `bundle.${string}` | `proposal.${string}`>

type Told = Pick<LoggedEvent, 'changes'>

/** The words between the actor and the bundle, and those after the bundle. */
type Saying = readonly [before: string, after?: string]

const SAYINGS: Record<BundleEvent, Saying | ((event: Told) => Saying)> = {
  'bundle.created': ['created'],
  'bundle.updated': edited,
  'bundle.deleted': ['deleted'],
  'bundle.restored': ['restored'],
  'bundle.claimed': ['claimed'],
  'bundle.transferred': ['moved', 'to another owner'],
  'bundle.links_broken': ['found broken links in'],
  'proposal.opened': ['suggested a change to'],
  'proposal.accepted': ['accepted a suggestion for'],
  'proposal.rejected': ['rejected a suggestion for'],
  'proposal.withdrawn': ['withdrew a suggestion for'],
}

export function isOfBundle(type: LoggedEvent['type']): type is BundleEvent {
  return Object.hasOwn(SAYINGS, type)
}

/** What happened, in words around the bundle: `changed the title of` … */
export function sayingOf(type: BundleEvent, event: Told): Saying {
  const saying = SAYINGS[type]
  return typeof saying === 'function' ? saying(event) : saying
}

function edited({ changes }: Told): Saying {
  if (changes === undefined) return ['edited']
  return changes.length === 0 ? ['saved', 'without changing it'] : [`changed ${changedFields({ changes })} of`]
}

/** Who did it. */
export function actorName({ type, name }: LoggedEvent['actor']): string {
  if (type === 'service') return 'The service'
  if (type === 'provider') return 'The identity provider'
  return name ?? 'A former member'
}

/** The bundle, by its current title or else its slug; null once it is erased. */
export function bundleName({ slug, name }: LoggedEvent['target']): string | null {
  return slug === undefined ? null : (name ?? slug)
}

/** In place of the name of an erased bundle. */
export const ERASED = 'a bundle that has been erased'

const MOST = 3

/** The changed fields: `the title, the links and 2 more`. */
export function changedFields({ changes = [] }: Told): string {
  const names = [...new Set(changes.map(({ field }) => fieldName(field)))]
  const more = names.length - MOST
  return joinList(more > 0 ? [...names.slice(0, MOST), `${more} more`] : names, 'and')
}

const FIELDS: Record<
  keyof typeof CONTENT | 'password' | 'externalId' | 'slug' | 'aliases' | 'enabled' | 'url' | 'format' | 'checkLinks',
  string
> = {
  urls: 'the links',
  urlMetadata: 'the links',
  variables: 'the variables',
  title: 'the title',
  description: 'the description',
  opensAt: 'the opening time',
  closesAt: 'the closing time',
  closedNote: 'the note after closing',
  access: 'the access',
  copyable: 'whether viewers may copy',
  icons: 'icons',
  listed: 'whether it is on the start page',
  resolutionPolicy: 'the rules',
  password: 'the password',
  externalId: 'the ID',
  slug: 'the link',
  aliases: 'its other links',
  // Fields of webhooks.
  enabled: 'whether it is enabled',
  url: 'the URL',
  format: 'the format',
  // Fields of organisations.
  checkLinks: 'whether links are checked',
}

/** The name of a changed field, within a sentence. */
export function fieldName(field: string): string {
  return Object.hasOwn(FIELDS, field) ? FIELDS[field as keyof typeof FIELDS] : `the ${field}`
}
