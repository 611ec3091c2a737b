/** @jsxImportSource @kitajs/html */

import { fieldName } from '../../../src/activity/sentence.ts'
import { routes } from '../../../src/core/routes.ts'
import { asSentence } from '../../../src/core/words.ts'
import type { LoggedEvent } from '../../../src/events/shapes.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { Pager } from '../parts/lists.tsx'
import { TabbedSheet } from '../parts/panel.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import { Empty, Head } from '../parts/shell.tsx'
import { KINDS, kindOf, PERIODS, Sentence } from './sentence.tsx'

/** The filters of the list, as in the page’s address; empty for none. */
export interface ActivityFilter {
  type: string
  actor: string
  target: string
  days: string
}

export interface ActivityProps {
  /** The page’s path. */
  path: string
  /** The path of the same list as CSV. */
  table: string
  lede: string
  /** The title and the tabs of the owner's pages. */
  title: string
  pages: readonly { href: string; name: string }[]
  /** The id of the reader. */
  userId: string
  /** People to filter by, if there are others than the reader. */
  people: { userId: string; name: string }[]
  filter: ActivityFilter
  events: LoggedEvent[]
  /** The cursors of this page and the next; undefined for the first or after the last. */
  cursor: string | undefined
  nextCursor: string | undefined
}

/** Events of a person or an organisation, newest first. */
export function ActivityView(props: ActivityProps): JSX.Element {
  const { path, lede, title, pages, userId, filter, events, cursor, nextCursor } = props
  const isFiltered = Object.values(filter).some((value) => value !== '')
  return (
    <>
      <Head title={title} lede={lede} />
      <TabbedSheet label={title} pages={pages} at={path}>
        <Filter {...props} />
        {events.length === 0 ? (
          <Nothing path={path} isFiltered={isFiltered || cursor !== undefined} />
        ) : (
          <Each
            of={daysOf(events)}
            show={([day, rows]) => (
              <section>
                <h2 class="group" safe>
                  {day}
                </h2>
                <ul class="rows" aria-label={`What happened: ${day}`}>
                  <Each of={rows} show={(event) => <EventRow event={event} userId={userId} />} />
                </ul>
              </section>
            )}
          />
        )}
        {(cursor !== undefined || nextCursor !== undefined) && (
          <Pager
            text=""
            previous={cursor === undefined ? null : addressOf(path, filter)}
            next={nextCursor === undefined ? null : addressOf(path, filter, nextCursor)}
            names={{ previous: 'Newest', next: 'Older' }}
          />
        )}
      </TabbedSheet>
    </>
  )
}

const dayOf = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })

/** The events by UTC day. */
function daysOf(events: readonly LoggedEvent[]): [day: string, events: LoggedEvent[]][] {
  return [...Map.groupBy(events, ({ createdAt }) => dayOf.format(Date.parse(createdAt)))]
}

function addressOf(path: string, filter: ActivityFilter, cursor?: string): string {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''))
  if (cursor !== undefined) query.set('cursor', cursor)
  return query.size === 0 ? path : `${path}?${query}`
}

function Filter({ path, table, people, filter }: ActivityProps): JSX.Element {
  const kinds = Object.entries(KINDS).map(([kind, { name }]) => [kind, name] as const)
  const periods = Object.entries(PERIODS)
  const names = people.map(({ userId, name }) => [userId, name] as const)
  return (
    <search>
      <form class="asked" method="get" action={attribute(path)}>
        {filter.target !== '' && <input type="hidden" name="target" value={attribute(filter.target)} />}
        <Choice name="type" label="What" all="Everything" options={kinds} chosen={filter.type} />
        {names.length >= 2 && <Choice name="actor" label="Who" all="Everybody" options={names} chosen={filter.actor} />}
        <Choice name="days" label="When" all="All the time" options={periods} chosen={filter.days} />
        <button type="submit">Show</button>
        <a class="quiet" href={attribute(addressOf(table, filter))} hx-boost="false" download="">
          <Icon name="download" />
          Download CSV
        </a>
      </form>
      {filter.target !== '' && (
        <p class="filter hint">
          {'About '}
          <span class="tag" dir="auto" safe>
            {filter.target}
          </span>
          <a class="quiet" href={attribute(addressOf(path, { ...filter, target: '' }))}>
            Show everything
          </a>
        </p>
      )}
    </search>
  )
}

interface ChoiceProps {
  name: string
  label: string
  /** The label for no filter. */
  all: string
  options: readonly (readonly [value: string, name: string])[]
  chosen: string
}

function Choice({ name, label, all, options, chosen }: ChoiceProps): JSX.Element {
  return (
    <select name={name} aria-label={label}>
      <option value="" safe>
        {all}
      </option>
      <Each
        of={options}
        show={([value, text]) => (
          <option value={attribute(value)} selected={value === chosen} safe>
            {text}
          </option>
        )}
      />
    </select>
  )
}

function Nothing({ path, isFiltered }: { path: string; isFiltered: boolean }): JSX.Element {
  if (isFiltered) {
    return (
      <Empty heading="No such activity" text="Try another filter or a longer period.">
        <p class="actions">
          <a class="button" href={attribute(path)}>
            Show everything
          </a>
        </p>
      </Empty>
    )
  }
  return (
    <Empty
      heading="Nothing has happened yet"
      text="When someone creates or edits a bundle, makes a key or joins, you see it here: who, when, and what changed. Nothing about viewers is ever listed."
    >
      <p class="actions">
        <a class="button" href={routes.docs.guide.href({ guide: 'activity' })} hx-boost="false">
          Read what is listed
        </a>
      </p>
    </Empty>
  )
}

function EventRow({ event, userId }: { event: LoggedEvent; userId: string }): JSX.Element {
  const { actor, createdAt } = event
  const details = (event.changes ?? []).map(detailOf).filter((text) => text !== null)
  return (
    <li class="row happened">
      <div class="what">
        <span class="tile">
          <Icon name={KINDS[kindOf(event)].icon} />
        </span>
        <p>
          <Sentence event={event} userId={userId} />
        </p>
        <Each
          of={details}
          show={(text) => (
            <p class="hint" dir="auto" safe>
              {text}
            </p>
          )}
        />
      </div>
      <div class="facts hint">
        {actor.keyName !== undefined && (
          <span>
            {actor.type === 'app' ? 'with the app ' : 'with the API key '}
            <bdi safe>{actor.keyName}</bdi>
          </span>
        )}
        <RelativeTime at={Date.parse(createdAt)} />
      </div>
    </li>
  )
}

/** The old and new value of a field, if the event has both: `The title: “Launch” → “Launch day”`. */
function detailOf(change: NonNullable<LoggedEvent['changes']>[number]): string | null {
  if (!('from' in change && 'to' in change)) return null
  return `${asSentence(fieldName(change.field))}: ${inWords(change.from)} → ${inWords(change.to)}`
}

function inWords(value: unknown): string {
  if (value === null || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return Array.isArray(value) ? value.join(', ') : `“${value}”`
}
