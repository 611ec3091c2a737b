/** @jsxImportSource @kitajs/html */

import { Each } from '../../parts/each.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Form } from './panel.tsx'

/** The messages that a page can open with; the query field `notice` names one of them. */
const MESSAGES = {
  created: 'Bundle created.',
  exampleCopied: 'This bundle is yours now. Replace the links with your own, then share it.',
  saved: 'Saved',
  unchanged: 'No changes to save.',
  proposed: 'Suggestion sent. An editor will review it.',
  accepted: 'Accepted',
  rejected: 'Suggestion rejected. The bundle is as it was.',
  withdrawn: 'Suggestion withdrawn.',
  deleted: 'Bundle deleted. Its link no longer works.',
  restored: 'Bundle restored. Its link works again.',
  reverted: 'The earlier version is back',
  cleared: 'Rules cleared, so everyone gets the default tabs',
  keyRevoked: 'API key revoked. It no longer works.',
  keyMadeBefore:
    'You already created this key, and it was shown then. If you didn’t copy it, revoke it and create another.',
  webhookMadeBefore:
    'You already created this webhook, and its secret was shown then. If you didn’t copy it, delete it and create another.',
  webhookSaved: 'Webhook saved.',
  webhookEnabled: 'Webhook enabled. What was waiting is being sent.',
  webhookDisabled: 'Webhook disabled.',
  webhookDeleted: 'Webhook deleted.',
  testSent: 'Test event sent. Reload this page to see how it went.',
  redelivered: 'Sent again. Reload this page to see how it went.',
  organizationMade: 'Organisation created. It’s now your current workspace.',
  organizationRenamed: 'Organisation renamed.',
  organizationDeleted: 'Organisation deleted.',
  invited: 'Invitation on its way. It can take a few minutes.',
  invitationCanceled: 'Invitation revoked. Its link no longer works.',
  roleChanged: 'Role changed.',
  memberRemoved: 'Member removed.',
  left: 'You’ve left the organisation.',
  nameSaved: 'Name saved.',
  mailsSaved: 'Saved which emails you get.',
  checksSaved: 'Saved whether links are checked.',
  verificationSent: 'Email on its way: it can take a few minutes. Open the link in it to confirm your address.',
  passwordChanged: 'Password changed. All other browsers are signed out.',
  passwordMailSent: 'Email on its way: it can take a few minutes. Open the link in it to choose a new password.',
  sessionEnded: 'Browser signed out.',
  sessionsEnded: 'All other browsers are signed out.',
  signedUp: 'Welcome! Your account is ready.',
  joined: 'You’ve joined the organisation.',
  pinned: 'Pinned to the top of your list. Only you see it there.',
  unpinned: 'Unpinned.',
  moved: 'Bundle moved. Its link stays the same.',
  movedAll: 'Selected bundles moved. Their links stay the same.',
  replaced: 'Link replaced. Each change is a version.',
  taggedAll: 'Tag added to every link of the selected bundles.',
  deletedAll: 'Selected bundles deleted. Their links no longer work.',
  restoredAll: 'Selected bundles restored. Their links work again.',
} as const

/** Those after which the editor has nothing that is not saved. */
const SAVES: ReadonlySet<string> = new Set<FlashName>(['created', 'saved', 'unchanged'])

/** Those of what made a version, which they lead to. */
const MAKE_VERSIONS: ReadonlySet<string> = new Set<FlashName>(['saved', 'accepted', 'reverted', 'cleared'])

const SLUG = /^[a-z0-9-]{3,64}$/

type FlashName = keyof typeof MESSAGES

/** The address of a page that opens with a message; `slug` in `more` is the bundle that it is about. */
export function withFlash(path: string, name: FlashName, more: Record<string, string> = {}): string {
  const [pathname = '', query = ''] = path.split('?')
  const search = new URLSearchParams(query)
  search.set('notice', name)
  for (const key in more) search.set(key, more[key]!)
  return `${pathname}?${search}`
}

/** What `withFlash` adds for a message about a version that was made. */
export function madeVersion({ slug, versionNumber }: { slug: string; versionNumber: number }): Record<string, string> {
  return { slug, version: String(versionNumber) }
}

/**
 * The message about what was just done, with an Undo button if it can be undone.
 * @param acting the name of the organisation that the visitor acts for.
 */
export function Flash({ query, acting }: { query: URLSearchParams; acting: string | null }): JSX.Element {
  const name = query.get('notice')
  if (name === null || !Object.hasOwn(MESSAGES, name)) return ''
  return (
    <div class="flash cluster" data-saved={SAVES.has(name) ? name : undefined}>
      {name === 'joined' && acting !== null ? (
        <p safe>{`You joined ${acting}.`}</p>
      ) : (
        <p>
          {MESSAGES[name as FlashName]}
          {MAKE_VERSIONS.has(name) ? <NewVersion query={query} /> : ''}
        </p>
      )}
      {name === 'deleted' ? (
        <UndoDelete query={query} />
      ) : name === 'deletedAll' ? (
        <UndoDeletions query={query} />
      ) : name !== 'saved' && MAKE_VERSIONS.has(name) ? (
        <UndoRevert query={query} />
      ) : (
        ''
      )}
    </div>
  )
}

/** The version that was made, which the page of versions opens. */
function NewVersion({ query }: { query: URLSearchParams }): JSX.Element {
  const made = versionIn(query)
  if (made === null) return '.'
  return (
    <>
      {' · '}
      <a href={`/dashboard/links/${made.slug}/versions?version=${made.version}`}>View version {made.version}</a>
    </>
  )
}

function UndoDelete({ query }: { query: URLSearchParams }): JSX.Element {
  const slug = slugIn(query)
  if (slug === null) return ''
  return <Form action={`/dashboard/links/${slug}/restore`} button="Undo" look="quiet" />
}

function UndoDeletions({ query }: { query: URLSearchParams }): JSX.Element {
  const slugs = (query.get('slugs') ?? '').split(',').filter((slug) => SLUG.test(slug))
  if (slugs.length === 0) return ''
  return (
    <form method="post" action="/dashboard/bulk">
      <Each of={slugs} show={(slug) => <input type="hidden" name="slug" value={attribute(slug)} />} />
      <button type="submit" name="do" value="restore" class="quiet">
        Undo
      </button>
    </form>
  )
}

/** Undoes `version` by restoring the one before it, as long as it is the latest. */
function UndoRevert({ query }: { query: URLSearchParams }): JSX.Element {
  const made = versionIn(query)
  if (made === null) return ''
  const { slug, version } = made
  return (
    <Form
      action={`/dashboard/links/${slug}/versions/${version - 1}/restore`}
      hidden={{ expectedVersion: String(version) }}
      button="Undo"
      look="quiet"
    />
  )
}

/** The bundle and version in the address, which anyone can write: null unless there can be such a version after another. */
function versionIn(query: URLSearchParams): { slug: string; version: number } | null {
  const slug = slugIn(query)
  const version = Number(query.get('version'))
  return slug === null || !Number.isSafeInteger(version) || version < 2 ? null : { slug, version }
}

/** The slug in the address, which anyone can write: null unless it is well formed. */
function slugIn(query: URLSearchParams): string | null {
  const slug = query.get('slug')
  return slug !== null && SLUG.test(slug) ? attribute(slug) : null
}
