/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import { headingOf } from '../../launcher/parts/launcher.tsx'
import { described, FieldError, Hint } from '../../parts/fields.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import type { Receiver } from '../parts/bundle-frame.tsx'
import { FormPage } from '../parts/form.tsx'
import { Empty, Head } from '../parts/shell.tsx'

/** The effects of moving several bundles, explained beforehand. */
const OF_SEVERAL = 'Their links, versions, counts and rules stay as they are.'
/** The same for one bundle. */
const OF_ONE = 'Its link, versions, counts and rules stay as they are.'
/** A further effect for a launcher that only members can open. */
const NOBODY_ELSE = 'Nobody else can open it.'
/** A further effect for an editor of the organisation. */
const FINAL = 'You’re an editor there: only its admins can move it out again.'

interface HandsProps {
  /** The new owner: the name of an organisation, or null for the visitor. */
  name: string | null
  isOne: boolean
}

/** What the new owner's people can do with moved bundles. */
function newHands({ name, isOne }: HandsProps): string {
  const moved = isOne ? 'it' : 'them'
  return name === null
    ? `Only you can edit ${moved}.`
    : `Everyone in ${name} can see ${moved}; editors can edit ${moved}.`
}

interface MoveProps {
  /** A bundle; or those selected in the list, which the form sends, with the query of that list. */
  what: StoredBundle | { slugs: readonly string[]; query: string }
  receivers: readonly Receiver[]
  action: string
  back: string
  /** The chosen receiver’s value; null before a choice. */
  chosenReceiver: string | null
  error: string | undefined
}

/** The title of the page that moves a bundle or several. */
export function moveTitle(what: MoveProps['what']): string {
  return 'slugs' in what ? `Move ${count(what.slugs.length, 'bundle')}` : `Move “${headingOf(what)}”`
}

/** Asks for the new owner of bundles. */
export function MoveView({ what, receivers, action, back, chosenReceiver, error }: MoveProps): JSX.Element {
  const title = moveTitle(what)
  if (receivers.length === 0) return <NowhereToMove title={title} />
  const chosen = 'slugs' in what ? what : null
  const lede = chosen === null ? OF_ONE : OF_SEVERAL
  const isClosed = !('slugs' in what) && what.access === 'members'
  return (
    <FormPage title={title} lede={lede} error={undefined} action={action} button="Move" back={back}>
      {chosen !== null && <input type="hidden" name="back" value={attribute(chosen.query)} />}
      <Each of={chosen?.slugs ?? []} show={(slug) => <input type="hidden" name="slug" value={attribute(slug)} />} />
      <Hint text={chosen === null ? undefined : linksOf(chosen.slugs)} />
      <fieldset class="field" {...described('to', error)}>
        <legend>Move to</legend>
        <Each
          of={receivers}
          show={({ value, name, subject, isFinal }) => (
            <label class="choice">
              <input
                type="radio"
                name="to"
                value={attribute(value)}
                required
                checked={receivers.length === 1 || value === chosenReceiver}
              />
              <span>
                <strong dir="auto" safe>
                  {name}
                </strong>
                <span class="hint" safe>
                  {[
                    newHands({ name: subject.type === 'user' ? null : name, isOne: chosen === null }),
                    ...(isClosed ? [NOBODY_ELSE] : []),
                    ...(isFinal ? [FINAL] : []),
                  ].join(' ')}
                </span>
              </span>
            </label>
          )}
        />
        <FieldError id="to" error={error} />
      </fieldset>
    </FormPage>
  )
}

const SHOWN = 5

/** The first few links of bundles, and the number of the others. */
function linksOf(slugs: readonly string[]): string {
  const links = slugs.slice(0, SHOWN).map((slug) => routes.launcher.page.href({ slug }))
  return slugs.length > SHOWN ? `${links.join(', ')} and ${slugs.length - SHOWN} more` : links.join(', ')
}

function NowhereToMove({ title }: { title: string }): JSX.Element {
  return (
    <>
      <Head title={title} />
      <Empty
        heading="There’s nowhere to move it yet"
        text="Create an organisation first, or ask to become an editor of one."
      >
        <p class="actions">
          <a class="button" href={routes.organizations.list.href()}>
            Go to organisations
          </a>
        </p>
      </Empty>
    </>
  )
}

interface MoveInProps {
  organization: { id: string; name: string }
  /** The visitor’s own bundles. */
  bundles: readonly StoredBundle[]
  hasMore: boolean
  error: string | undefined
}

/** Asks which of the visitor's own bundles move into an organisation. */
export function MoveInView({ organization: { id, name }, bundles, hasMore, error }: MoveInProps): JSX.Element {
  const title = `Move bundles to ${name}`
  const back = routes.organizations.organization.href({ id })
  if (bundles.length === 0) return <NothingToMove title={title} back={back} />
  return (
    <FormPage
      title={title}
      lede={`${OF_SEVERAL} ${newHands({ name, isOne: false })}`}
      error={undefined}
      action={routes.organizations.move.href({ id })}
      button="Move selected bundles"
      back={back}
    >
      <fieldset class="field" {...described('slug', error)}>
        <legend>Your personal bundles</legend>
        <Each
          of={bundles}
          show={(bundle) => (
            <label class="choice">
              <input type="checkbox" name="slug" value={attribute(bundle.slug)} />
              <span>
                <strong dir="auto" safe>
                  {headingOf(bundle)}
                </strong>{' '}
                <code safe>{routes.launcher.page.href({ slug: bundle.slug })}</code>
              </span>
            </label>
          )}
        />
        <FieldError id="slug" error={error} />
        {hasMore && <p class="hint" safe>{`These are the newest ${count(bundles.length, 'bundle')}.`}</p>}
      </fieldset>
    </FormPage>
  )
}

function NothingToMove({ title, back }: { title: string; back: string }): JSX.Element {
  return (
    <>
      <Head title={title} />
      <Empty heading="You have no personal bundles" text="Move an organisation’s bundle from its own menu.">
        <p class="actions">
          <a class="button" href={attribute(back)}>
            Back to the organisation
          </a>
        </p>
      </Empty>
    </>
  )
}
