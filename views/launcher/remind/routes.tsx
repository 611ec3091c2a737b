/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { calendarOf } from '../../../src/calendar/calendar.ts'
import { scheduleIn } from '../../../src/calendar/schedule.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { clientNetwork } from '../../../src/http/request.ts'
import { queryAt } from '../../../src/launcher/filling.ts'
import { remindedOf } from '../../../src/launcher/reminders.ts'
import { countForAddress } from '../../../src/limits/rate-limits.ts'
import { answerForm } from '../parts/forms.ts'

/** The calendar of a launcher, and the page that makes its address. */
export function remindPages(service: Service) {
  return new Elysia().get(routes.launcher.calendar.path, async ({ request, params: { slug } }) => {
    await countForAddress(service, 'reading', clientNetwork(request), 'calendar ')
    const reminded = await remindedOf(request, slug, service)
    const calendar = calendarOf(reminded, scheduleIn(queryAt(request)))
    const headers = {
      'cache-control': reminded.isSame ? 'no-cache' : 'private, no-store',
      'content-disposition': `inline; filename="${slug}.ics"`,
    }
    return answerForm(request, calendar, { type: 'text/calendar; charset=utf-8', headers })
  })
}
