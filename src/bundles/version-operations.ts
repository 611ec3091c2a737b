import { type } from 'arktype'
import { cursorOf } from '../core/cursor.ts'
import { jsonParts } from '../core/parts.ts'
import { signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import * as answers from './answers.ts'
import { editing } from './contexts.ts'
import * as history from './history.ts'
import { etag, toBundle, toSnapshot } from './present.ts'
import type { StoredBundle } from './roles.ts'
import { Versions } from './shapes.ts'
import * as versions from './versions.ts'

/** The version in a path. */
const OneVersion = type({
  slug: 'string',
  versionNumber: '1 <= number.integer <= 999999999999999',
  '+': 'reject',
})

/** GET /api/links/:slug/versions. */
export const listVersions = implement('list_versions', {
  summary: 'List every version of a bundle, newest first',
  description:
    'Lists all versions of a bundle, with who made each and when; restore_version goes back to one. ' +
    '`before` starts further back. A tool returns at most 25.',
  input: Versions,
  output: answers.VersionList,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  present(found: history.History) {
    const { versions, before } = history.inMessage(found)
    return { versions: versions.map(toSnapshot), ...moreIn(before) }
  },
  whole: (found) => (history.inMessage(found).isAll ? null : historyParts(found)),
  next: ({ next }) => (next === null ? null : { before: next }),
  note(found) {
    const { before } = history.inMessage(found)
    return before === null ? null : `There are older versions: call list_versions again with "before": ${before}.`
  },
  run: (input, { service: { store }, caller }) => history.listVersions(store, signedIn(caller), input),
})

/** The whole history as JSON, in the form of `present`. */
function historyParts({ versions, rest, next }: history.History): AsyncGenerator<string> {
  return jsonParts({ versions: snapshotsOf(versions, rest ?? []) }, moreIn(next))
}

/** @param before of the next page; null on the last. */
function moreIn(before: number | null) {
  return { hasMore: before !== null, ...(before === null ? {} : { nextCursor: cursorOf([before]) }) }
}

async function* snapshotsOf(...lists: (Iterable<history.Version> | AsyncIterable<history.Version>)[]) {
  for (const list of lists) for await (const version of list) yield toSnapshot(version)
}

/** POST /api/links/:slug/versions/:versionNumber/restore. */
export const restoreVersion = implement('restore_version', {
  summary: 'Make an old version the newest again',
  description:
    'Undoes edits: writes a new version equal to an old one, policy included. The second version undoes the last edit.',
  input: OneVersion,
  output: answers.Bundle,
  errors: ['INVALID_URLS', 'NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT'],
  present: toBundle,
  headers: { etag },
  run: ({ slug, versionNumber }, context): Promise<StoredBundle> =>
    versions.restoreVersion({ ...editing(context), slug, expectedVersion: context.expectedVersion }, versionNumber),
})
