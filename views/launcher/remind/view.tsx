/** @jsxImportSource @kitajs/html */

import { labelOf } from '../../../src/bundles/variables/variables.ts'
import { DAYS, type Day, MAX_DAY, type ScheduleErrors } from '../../../src/calendar/schedule.ts'
import { isDated } from '../../../src/core/dates.js'
import { lazy } from '../../../src/core/lazy.ts'
import { routes } from '../../../src/core/routes.ts'
import { capitalised, ordinal } from '../../../src/core/words.ts'
import type { ViewerBundle } from '../../../src/launcher/seen.ts'
import { CopyField, described, Field, FieldError, TextField } from '../../parts/fields.tsx'
import { attribute, Each, Page, type Site } from '../../parts/layout.tsx'

interface RemindForm {
  every: 'week' | 'month'
  days: readonly string[]
  day: string
  at: string
  zone: string
  errors: ScheduleErrors
}

/** A reminder whose days, time and zone are chosen. */
interface Made {
  /** The next times, on the clocks of its zone. */
  next: readonly string[]
  /** The address of its calendar. */
  address: string
}

interface RemindProps {
  site: Site
  slug: string
  /** The address of the launcher, with its values. */
  launcher: string
  title: string
  seen: ViewerBundle
  /** The parameters of the launcher. */
  values: readonly (readonly [name: string, value: string])[]
  form: RemindForm
  made: Made | null
}

/** The page on which viewers choose when a calendar reminds them of a launcher. It stores nothing. */
export function RemindPage({ site, slug, launcher, title, seen, values, form, made }: RemindProps): JSX.Element {
  return (
    <Page site={site} title={`Remind me · ${site.name}`} styles="remind.css" script="remind.js">
      <section class="narrow">
        <h1>Remind me</h1>
        <p class="lede" dir="auto">
          <a href={attribute(launcher)} safe>
            {title}
          </a>
        </p>
        <Values seen={seen} />
        {made !== null && <Ready made={made} zone={form.zone} isProtected={seen.bundle.isProtected} />}
        <form class="card" method="get" action={routes.launcher.remind.href({ slug })}>
          <Each
            of={values}
            show={([name, value]) => <input type="hidden" name={attribute(name)} value={attribute(value)} />}
          />
          <When form={form} />
          <Field id="at" label="Time" error={form.errors.at}>
            <input
              id="at"
              name="at"
              type="time"
              value={attribute(form.at)}
              required
              {...described('at', form.errors.at)}
            />
          </Field>
          <TextField
            id="zone"
            label="Time zone"
            value={form.zone}
            error={form.errors.zone}
            placeholder="Europe/Berlin"
            list="zones"
            required
            autocomplete="off"
            autocapitalize="off"
            spellcheck="false"
          />
          <Zones />
          <div class="send">
            <button type="submit" class={made === null ? 'primary' : undefined}>
              {made === null ? 'Make the reminder' : 'Change the reminder'}
            </button>
          </div>
        </form>
        <p class="hint" safe>
          {`${
            seen.bundle.isProtected
              ? 'Your calendar gets the title and the link.'
              : 'Your calendar gets the title, the link and the titles of its tabs.'
          } ${site.name} stores nothing about your reminder.`}
        </p>
      </section>
    </Page>
  )
}

/** What is filled in when the reminder opens the launcher. */
function Values({ seen: { bundle, filling } }: Pick<RemindProps, 'seen'>): JSX.Element {
  if (bundle.variables.length === 0) return ''
  return (
    <ul class="filled-in">
      <Each
        of={bundle.variables}
        show={(variable) => {
          const { name } = variable
          const isPassing = isDated(variable) && filling.sent[name] === undefined
          return (
            <li>
              <span dir="auto" safe>
                {labelOf(variable)}
              </span>
              {': '}
              <bdi safe>{isPassing ? 'that of the day' : (filling.values[name] ?? 'asked each time')}</bdi>
            </li>
          )
        }}
      />
    </ul>
  )
}

function Ready({ made, zone, isProtected }: { made: Made; zone: string; isProtected: boolean }): JSX.Element {
  const { next, address } = made
  return (
    <section class="card" aria-labelledby="ready">
      <h2 id="ready">Your reminder is ready</h2>
      <p class="next">
        <b>
          <Each
            of={next}
            show={(time, index) => (
              <>
                {index === 0 ? 'Next: ' : ' · '}
                <span safe>{timeText(time)}</span>
              </>
            )}
          />
        </b>
        <span class="hint" safe>
          {zone}
        </span>
      </p>
      <div class="send">
        <a class="button primary" href={attribute(address)} download="">
          Download for a calendar
        </a>
        <a class="button" href={attribute(address.replace(/^https?:/, 'webcal:'))}>
          Subscribe
        </a>
      </div>
      <CopyField id="address" label="Or paste this into a calendar on the web" value={address} />
      <p class="hint">
        {isProtected
          ? 'A subscription shows only the link, because a calendar cannot sign in here.'
          : 'A subscription picks up a new title. A downloaded event stays as it is.'}
      </p>
    </section>
  )
}

/** `Mon 30 Nov, 09:00`, for a time on some clocks. */
function timeText(time: string): string {
  const [, weekday, day, month] = /^(\w+), 0?(\d+) (\w+)/.exec(new Date(`${time}Z`).toUTCString()) ?? []
  return `${weekday} ${day} ${month}, ${time.slice(11)}`
}

/** Days of the week or a day of the month. Without a style for it, both are shown, and the chosen one counts. */
function When({ form: { every, days, day, errors } }: { form: RemindForm }): JSX.Element {
  const error = errors.days ?? errors.day
  return (
    <fieldset class="field when" {...described('when', error)}>
      <legend>When</legend>
      <div class="every">
        <Each
          of={['week', 'month'] as const}
          show={(one) => (
            <label class="choice">
              <input type="radio" name="every" id={`every-${one}`} value={one} checked={one === every} />
              <span>{one === 'week' ? 'Every week' : 'Every month'}</span>
            </label>
          )}
        />
      </div>
      <fieldset class="days">
        <legend class="visually-hidden">Days of the week</legend>
        <Each
          of={Object.keys(DAYS) as Day[]}
          show={(one) => (
            <label>
              <input type="checkbox" name="days" value={one} checked={days.includes(one)} />
              <span safe>{capitalised(one)}</span>
            </label>
          )}
        />
      </fieldset>
      <select class="day" name="day" aria-label="Day of the month">
        <Each
          of={[...Array.from({ length: MAX_DAY }, (_, index) => String(index + 1)), 'last']}
          show={(one) => (
            <option value={one} selected={one === day} safe>
              {one === 'last' ? 'On the last day' : `On the ${ordinal(Number(one))}`}
            </option>
          )}
        />
      </select>
      <FieldError id="when" error={error} />
    </fieldset>
  )
}

/** The names of all zones. */
function Zones(): JSX.Element {
  return zoneOptions()
}

/** Made when first shown: they never change. */
const zoneOptions = lazy(() => (
  <datalist id="zones">
    <Each
      of={['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]}
      show={(zone) => <option value={attribute(zone)} />}
    />
  </datalist>
))
