import type { Condition } from '../../db/policy.ts'
import type { UrlMetadata } from '../../db/schema.ts'
import { type Changes, changesOf, diffLists, type Entry, type Likeness } from './list-diff.ts'

/** What of a bundle its versions hold; its rules need no ids, so that a draft can be compared as well. */
export interface Content {
  title: string | null
  description: string | null
  urls: readonly string[]
  urlMetadata: readonly UrlMetadata[]
  resolutionPolicy: {
    rules: readonly {
      id?: string | undefined
      name: string
      showBadge?: boolean | undefined
      when: Condition
      tabs: readonly { url: string; note?: string | undefined }[]
    }[]
  } | null
}

/** One destination with all that goes with it; what is not set is as its default. */
export interface Link {
  url: string
  note: string
  tags: readonly string[]
  openPolicy: 'auto' | 'manual'
}

/** A rule; `id` is `''` for one that was never saved. */
export interface RuleState {
  id: string
  name: string
  showBadge: boolean
  when: Condition
  /** Without tags, and all opened by Open all. */
  tabs: readonly Link[]
}

/** What differs between two states of a bundle: enough to make the later of the earlier. */
export interface BundleDiff {
  /** Of the title and the description. */
  fields: Changes<{ title: string; description: string }>
  links: Entry<Link>[]
  rules: Entry<RuleState>[]
}

/** A bundle before it was made. */
export const NOTHING: Content = { title: null, description: null, urls: [], urlMetadata: [], resolutionPolicy: null }

/**
 * What differs between two states of a bundle. A link is known again by its URL wherever it has moved, and where it
 * was edited in place by its host or its note; a rule by its id, then its name. What means the same is the same: no
 * note and an empty one, no policy and one without rules.
 */
export function diff(before: Content, after: Content): BundleDiff {
  return {
    fields: changesOf(fieldsOf(before), fieldsOf(after)),
    links: diffLinks(linksOf(before), linksOf(after)),
    rules: diffLists(rulesOf(before), rulesOf(after), RULE),
  }
}

/** The same for two lists of links, such as the tabs of a rule. */
export function diffLinks(before: readonly Link[], after: readonly Link[]): Entry<Link>[] {
  return diffLists(before, after, LINK)
}

/** Whether two states of a bundle are the same. */
export function isSame({ fields, links, rules }: BundleDiff): boolean {
  return Object.keys(fields).length + links.length + rules.length === 0
}

const LINK: Likeness<Link> = {
  // Of a URL that stands twice, each is first known by what goes with it.
  same: [(link) => JSON.stringify(link), ({ url }) => url],
  alike: [({ note }) => (note === '' ? null : note), ({ url }) => (URL.canParse(url) ? new URL(url).host : null)],
}

const RULE: Likeness<RuleState> = {
  same: [({ id }) => (id === '' ? null : id), ({ name }) => name],
  alike: [({ when, tabs }) => JSON.stringify([when, tabs])],
}

function fieldsOf({ title, description }: Content) {
  return { title: title ?? '', description: description ?? '' }
}

function linksOf({ urls, urlMetadata }: Content): Link[] {
  return urls.map((url, at) => link({ url, ...urlMetadata[at] }))
}

function rulesOf({ resolutionPolicy }: Content): RuleState[] {
  return (resolutionPolicy?.rules ?? []).map(({ id = '', name, showBadge = false, when, tabs }) => ({
    id,
    name,
    showBadge,
    when,
    tabs: tabs.map(({ url, note = '' }) => link({ url, note })),
  }))
}

function link({ url, note = '', tags = [], openPolicy = 'auto' }: { url: string } & UrlMetadata): Link {
  return { url, note, tags, openPolicy }
}
