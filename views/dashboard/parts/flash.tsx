/** @jsxImportSource @kitajs/html */

import type { HistoryUse } from '../../../src/bundles/edit/stored.ts'
import { routes } from '../../../src/core/routes.ts'
import { mebibytes, PLAN_NAMES } from '../../../src/core/words.ts'
import { attribute, Each } from '../../parts/layout.tsx'
import { type FlashName, MESSAGES } from '../../parts/messages.ts'
import { Form } from './panel.tsx'

/** Messages after which the editor has no unsaved changes. */
const SAVES: ReadonlySet<string> = new Set<FlashName>(['created', 'saved', 'renamed', 'unchanged'])

/** Messages about a new version, to which they link. */
const MAKE_VERSIONS: ReadonlySet<string> = new Set<FlashName>(['saved', 'accepted', 'reverted', 'cleared'])

const SLUG = /^[a-z0-9-]{3,64}$/

/** The additional parameters of `withFlash` for a message about a new version. */
export function madeVersion({ slug, versionNumber }: { slug: string; versionNumber: number }): Record<string, string> {
  return { slug, version: String(versionNumber) }
}

interface FlashProps {
  query: URLSearchParams
  acting: string | null
  told?: string | undefined
}

/**
 * The message about the last action, with an Undo button if it can be undone.
 * @param acting the name of the organisation that the visitor acts for.
 * @param told what follows from the action.
 */
export function Flash({ query, acting, told }: FlashProps): JSX.Element {
  const name = query.get('notice')
  if (name === null || !Object.hasOwn(MESSAGES, name)) return ''
  return (
    <div class="flash cluster" data-saved={SAVES.has(name) ? name : undefined}>
      {name === 'joined' && acting !== null ? (
        <p safe>{`You joined ${acting}.`}</p>
      ) : (
        <p>
          {MESSAGES[name as FlashName]}
          {MAKE_VERSIONS.has(name) && <NewVersion query={query} />}
          {told !== undefined && (
            <span class="hint" dir="auto" safe>
              {` ${told}`}
            </span>
          )}
        </p>
      )}
      {name === 'deleted' ? (
        <UndoDelete query={query} />
      ) : name === 'deletedAll' ? (
        <UndoDeletions query={query} />
      ) : name === 'renamed' ? (
        <UndoRename query={query} />
      ) : name !== 'saved' && MAKE_VERSIONS.has(name) ? (
        <UndoRevert query={query} />
      ) : (
        ''
      )}
    </div>
  )
}

/** A link to the new version on the page of versions. */
function NewVersion({ query }: { query: URLSearchParams }): JSX.Element {
  const made = versionIn(query)
  if (made === null) return '.'
  return (
    <>
      {' · '}
      <a href={`${routes.bundle.versions.href({ slug: made.slug })}?version=${made.version}`}>
        View version {made.version}
      </a>
    </>
  )
}

function UndoDelete({ query }: { query: URLSearchParams }): JSX.Element {
  const slug = slugIn(query)
  if (slug === null) return ''
  return <Form action={routes.bundle.restore.href({ slug })} button="Undo" look="quiet" />
}

function UndoDeletions({ query }: { query: URLSearchParams }): JSX.Element {
  const slugs = (query.get('slugs') ?? '').split(',').filter((slug) => SLUG.test(slug))
  if (slugs.length === 0) return ''
  return (
    <form method="post" action={routes.bundles.bulk.href()}>
      <Each of={slugs} show={(slug) => <input type="hidden" name="slug" value={attribute(slug)} />} />
      <button type="submit" name="do" value="restore" class="quiet">
        Undo
      </button>
    </form>
  )
}

/** Gives the bundle its old slug back. */
function UndoRename({ query }: { query: URLSearchParams }): JSX.Element {
  const [slug, was] = [slugIn(query), slugIn(query, 'was')]
  if (slug === null || was === null) return ''
  return <Form action={routes.bundle.rename.href({ slug })} hidden={{ newSlug: was }} button="Undo" look="quiet" />
}

/** Undoes `version` by restoring the one before it, as long as it is the latest. */
function UndoRevert({ query }: { query: URLSearchParams }): JSX.Element {
  const made = versionIn(query)
  if (made === null) return ''
  const { slug, version } = made
  return (
    <Form
      action={routes.bundle.restoreVersion.href({ slug, versionNumber: version - 1 })}
      hidden={{ expectedVersion: String(version) }}
      button="Undo"
      look="quiet"
    />
  )
}

/** The bundle and version in the address, which anyone can write: null if there can be no such version with a predecessor. */
function versionIn(query: URLSearchParams): { slug: string; version: number } | null {
  const slug = slugIn(query)
  const version = Number(query.get('version'))
  return slug === null || !Number.isSafeInteger(version) || version < 2 ? null : { slug, version }
}

/** The slug in the address, which anyone can write: null if it is malformed. */
function slugIn(query: URLSearchParams, name: 'slug' | 'was' = 'slug'): string | null {
  const slug = query.get(name)
  return slug !== null && SLUG.test(slug) ? attribute(slug) : null
}

/** The notice is shown above this share of the limit. */
const NEARLY_FULL = 0.8

/** Warns before the space for versions runs out. */
export function HistoryNotice({ history: { plan, bytes, max } }: { history: HistoryUse }): JSX.Element {
  if (bytes < max * NEARLY_FULL) return ''
  const percent = Math.min(100, Math.floor((bytes / max) * 100))
  return (
    <p class="alert" safe>
      {`You’ve used ${percent}% of the ${mebibytes(max)} of version history on the ${PLAN_NAMES[plan]} plan. Every edit adds to it. Once it’s full, you can’t create or edit bundles. ${plan === 'free' ? 'Upgrade to Pro for more.' : 'Ask your administrator for more room.'}`}
    </p>
  )
}
