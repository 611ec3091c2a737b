/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import type { StoredBundle } from '../../src/bundles/edit/bundles.ts'
import { aliasesIn } from '../../src/bundles/edit/unversioned.ts'
import { linkOf } from '../../src/bundles/links/link-fields.ts'
import { clauseIn } from '../../src/core/field-words.ts'
import type { Reason } from '../../src/core/issue.ts'
import type { Problem } from '../../src/core/problem.ts'
import { routes } from '../../src/core/routes.ts'
import { described, FieldError } from './fields.tsx'
import { attribute, type Site } from './layout.tsx'

// The end of a bundle's link, to choose or to change.

/** The error beside the field for a slug that cannot be. */
export const notAllowed = (reason: Reason) => `Not allowed: it ${clauseIn(reason)}.`

/** The same for a slug that another bundle has or had, or that is reserved. */
export const TAKEN = 'Taken. Choose another.'

export const FREE = 'Free.'

/** The error beside the field after a refused change. */
export function besideSlug({ code, issues: [issue], userMessage }: Problem): string {
  if (code === 'SLUG_TAKEN') return TAKEN
  return issue?.path[0] === 'newSlug' ? notAllowed(issue.reason) : userMessage
}

interface SlugFieldProps {
  id: 'slug' | 'newSlug'
  label: string
  /** What stands before it in the link. */
  before: string
  /** As typed. */
  value: string
  placeholder?: string
  hint: string
  error: string | undefined
  isFree?: boolean
}

/** The field for the end of a link, with one line below it: what is wrong with it, that it is free, or what a change does. */
export function SlugField({ id, label, before, value, placeholder, hint, error, isFree = false }: SlugFieldProps) {
  return (
    <div class="field">
      <label for={id} safe>
        {label}
      </label>
      <div class="slug-field" dir="ltr">
        <span aria-hidden="true" safe>
          {before}
        </span>
        <input
          id={id}
          name={id}
          value={attribute(value)}
          placeholder={placeholder}
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          {...described(id, error)}
        />
      </div>
      <FieldError id={id} error={error} />
      <p class={['hint', isFree && 'free']} data-hint={attribute(hint)} hidden={error !== undefined} safe>
        {isFree ? FREE : hint}
      </p>
    </div>
  )
}

/** What a change of the link does to the one of now. */
export const OLD_STAYS = 'The old link keeps working.'

interface LinkNameProps {
  site: Pick<Site, 'origin' | 'shortPaths'>
  bundle: Pick<StoredBundle, 'slug'>
  /** The page to which it leads back. */
  back: string
  /** A free slug from the title; null for none. */
  proposed: string | null
  /** As typed, if it was refused. */
  typed?: string | undefined
  error?: string | undefined
}

/** A form that changes the end of a bundle's link, for those who may. Its script says while one types whether it is free. */
export function LinkName({ site, bundle: { slug }, back, proposed, typed = slug, error }: LinkNameProps): JSX.Element {
  const before = linkOf(slug, site)
    .replace(/^https?:\/\//, '')
    .slice(0, -slug.length)
  return (
    <form class="link-name" method="post" action={routes.bundle.rename.href({ slug })}>
      <input type="hidden" name="back" value={attribute(back)} />
      <SlugField id="newSlug" label="End of the link" before={before} value={typed} hint={OLD_STAYS} error={error} />
      <div class="cluster">
        <button type="submit">Change the link</button>
        {proposed !== null && proposed !== typed && (
          <button type="submit" name="proposed" value={proposed} class="quiet">
            <span>
              {'Use '}
              <bdi safe>{`…/${proposed}`}</bdi>
            </span>
          </button>
        )}
      </div>
    </form>
  )
}

interface RenamedProps {
  bundle: Pick<StoredBundle, 'slug' | 'aliases'>
  /** From the address, which anyone can write: the slug that it had. */
  was: string | null
  back: string
}

/** Says after a change that the old link still works, and gives it back. */
export function Renamed({ bundle: { slug, aliases }, was, back }: RenamedProps): JSX.Element {
  if (was === null || !aliasesIn(aliases).includes(was)) return ''
  return (
    <form class="renamed cluster" method="post" action={routes.bundle.rename.href({ slug })}>
      <p>
        {'Link changed. '}
        <bdi dir="ltr">{escapeHtml(routes.launcher.page.href({ slug: was }))}</bdi>
        {' still leads here.'}
      </p>
      <input type="hidden" name="back" value={attribute(back)} />
      <button type="submit" name="newSlug" value={attribute(was)} class="quiet">
        Undo
      </button>
    </form>
  )
}
