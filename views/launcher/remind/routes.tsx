/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { linkOf } from '../../../src/bundles/links/link-fields.ts'
import { calendarOf } from '../../../src/calendar/calendar.ts'
import {
  isSchedule,
  nextOf,
  readSchedule,
  type Schedule,
  scheduleIn,
  scheduleQuery,
} from '../../../src/calendar/schedule.ts'
import { dateOf } from '../../../src/core/dates.js'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { clientNetwork } from '../../../src/http/request.ts'
import { page } from '../../../src/http/respond.ts'
import { queryAt } from '../../../src/launcher/filling.ts'
import { launcherQuery, parameterOf, remindedOf } from '../../../src/launcher/reminders.ts'
import { countForAddress } from '../../../src/limits/rate-limits.ts'
import { siteFor } from '../../parts/visitor.ts'
import { answerForm } from '../parts/forms.ts'
import { RemindPage } from './view.tsx'

/** How many of the next times the page shows. */
const SHOWN = 3

const NOT_KEPT = { 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' }

/** The calendar of a launcher, and the page that makes its address. */
export function remindPages(service: Service) {
  const { config } = service
  const addressOf = (slug: string, schedule: Schedule, values: readonly (readonly [string, string])[]) => {
    const query = scheduleQuery(schedule)
    for (const [name, value] of values) query.append(name, value)
    // Addresses are read and typed in calendars on the web.
    const readable = query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/')
    return `${linkOf(slug, config)}/calendar.ics?${readable}`
  }
  return new Elysia()
    .get(routes.launcher.calendar.path, async ({ request, params: { slug } }) => {
      await countForAddress(service, 'reading', clientNetwork(request), 'calendar ')
      const query = queryAt(request)
      const reminded = await remindedOf(request, query, slug, service)
      const calendar = calendarOf(reminded, scheduleIn(query))
      const headers = {
        'cache-control': reminded.isSame ? 'no-cache' : 'private, no-store',
        'content-disposition': `inline; filename="${slug}.ics"`,
      }
      return answerForm(request, calendar, { type: 'text/calendar; charset=utf-8', headers })
    })
    .get(routes.launcher.remind.path, async ({ request, params: { slug } }) => {
      const sent = queryAt(request)
      const query = askedIn(sent)
      const { title, url, seen } = await remindedOf(request, query, slug, service)
      if (seen instanceof Problem) throw seen
      const values = [...launcherQuery(query)].map(([name, value]) => [parameterOf(name), value] as const)
      const every = everyIn(sent)
      const read = every === null ? {} : readSchedule(query)
      const form = {
        every: every ?? 'week',
        days: every === null ? ['mon'] : sent.getAll('days'),
        day: sent.get('day') ?? '1',
        at: every === null ? '09:00' : (sent.get('at') ?? ''),
        zone: every === null ? '' : (sent.get('zone') ?? ''),
        errors: isSchedule(read) ? {} : read,
      }
      // From today on: a calendar needs no past.
      const made = isSchedule(read) ? { ...read, start: dateOf('=today', read.zone) } : null
      const view = (
        <RemindPage
          site={await siteFor(request, service)}
          slug={slug}
          launcher={url}
          title={title}
          seen={seen}
          values={values}
          form={form}
          made={made && { next: nextOf(made, SHOWN), address: addressOf(slug, made, values) }}
        />
      )
      return page(view, made === null && every !== null ? 400 : 200, NOT_KEPT)
    })
}

/** How often the form on the page is to remind; null before it is sent. */
function everyIn(sent: URLSearchParams): 'week' | 'month' | null {
  const every = sent.get('every')
  return every === 'week' || every === 'month' ? every : null
}

/** The query of a calendar: the form sends both days; a launcher leads here with parameters that are all its own. */
function askedIn(sent: URLSearchParams): URLSearchParams {
  const every = everyIn(sent)
  const other = every === 'week' ? 'day' : 'days'
  return new URLSearchParams(
    every === null
      ? [...sent].map(([name, value]) => [parameterOf(name), value])
      : [...sent].filter(([name]) => name !== other && name !== 'start'),
  )
}
