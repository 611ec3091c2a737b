/** @jsxImportSource @kitajs/html */

import { type ActivityFilter, type ActivityProps, ActivityView } from '../../../views/dashboard/activity/activity.tsx'
import { PERIODS } from '../../../views/dashboard/activity/words.ts'
import { organizationPages } from '../../../views/dashboard/organizations/organization.tsx'
import { personName } from '../../../views/dashboard/parts/person.tsx'
import { SETTINGS_PAGES } from '../../../views/dashboard/settings/settings.tsx'
import { noOrganization, organizationFor } from '../../accounts/organizations.ts'
import { DAY_MS } from '../../core/time.ts'
import { listEvents } from '../../events/operations.ts'
import { streamParts } from '../../http/respond.ts'
import type { SignedIn, Subject } from '../../identity/caller.ts'
import { requireRole } from '../../identity/roles.ts'
import type { Screen, ScreenPage } from '../parts/screens.tsx'
import { answerTo, type Visit } from '../parts/visit.ts'

const PAGE = 50

/** What a page of activity is about, besides its events. */
interface Log extends Pick<ScreenPage, 'section'> {
  subject: Subject
  path: string
  lede: string
  title: string
  pages: ActivityProps['pages']
  people: { userId: string; name: string }[]
}

/** The log of a person, and of each organisation that they administer; whichever workspace they are in. */
export const activityScreens: readonly Screen[] = [
  ...screensOf('/dashboard/settings/activity', async ({ session: { userId } }) => ({
    section: 'settings',
    subject: { type: 'user', userId },
    path: '/dashboard/settings/activity',
    lede: 'What happened to your own bundles, keys and account in the last 90 days.',
    title: 'Settings',
    pages: SETTINGS_PAGES,
    people: [],
  })),
  ...screensOf('/dashboard/organizations/:id/activity', async ({ service, session, params }) => {
    const found = await organizationFor(service.store, session.userId, params.id ?? '')
    if (found === null) throw noOrganization()
    requireRole(found.role, 'admin')
    const { id, name, members } = found
    return {
      section: 'organizations',
      subject: { type: 'organization', organizationId: id },
      path: `/dashboard/organizations/${id}/activity`,
      lede: `What happened in ${name} in the last 400 days.`,
      title: name,
      pages: organizationPages(id),
      people: members.map((member) => ({ userId: member.userId, name: personName(member) })),
    }
  }),
]

function screensOf(path: Screen['path'], logOf: (visit: Visit) => Promise<Log>): Screen[] {
  return [
    {
      path,
      async get(visit) {
        const { section, subject, ...about } = await logOf(visit)
        const filter = filterIn(visit)
        const cursor = visit.query.get('cursor') ?? undefined
        const { output } = await answered(visit, subject, filter, { limit: PAGE, ...(cursor ? { cursor } : {}) })
        const { events, nextCursor } = output
        const rest = { ...about, userId: visit.session.userId, filter, events, cursor, nextCursor }
        return { section, title: 'Activity', view: <ActivityView {...rest} /> }
      },
    },
    {
      path: `${path}.csv`,
      async get(visit) {
        const { subject } = await logOf(visit)
        const { file } = await answered(visit, subject, filterIn(visit), {})
        const csv = file?.()
        if (csv === undefined || !('parts' in csv)) throw new Error('list_events has a CSV that is sent in parts')
        return streamParts(csv, { 'content-type': 'text/csv; charset=utf-8' }, (error) =>
          visit.service.log.error({ err: error }, 'a download failed midway'),
        )
      },
    },
  ]
}

function filterIn({ query }: Visit): ActivityFilter {
  const of = (name: string) => query.get(name) ?? ''
  const days = of('days')
  return { type: of('type'), actor: of('actor'), target: of('target'), days: Object.hasOwn(PERIODS, days) ? days : '' }
}

/** Lists events of a subject of the visitor’s, who has its highest role. */
function answered(visit: Visit, subject: Subject, { days, ...filter }: ActivityFilter, page: object) {
  const caller: SignedIn = { ...(visit.context.caller as SignedIn), subject, role: 'admin' }
  const chosen = Object.entries(filter).filter(([, value]) => value !== '')
  const since = days === '' ? {} : { since: new Date(Date.now() - Number(days) * DAY_MS).toISOString() }
  const acting = { ...visit, context: { ...visit.context, caller } }
  return answerTo(acting, listEvents, { ...Object.fromEntries(chosen), ...since, ...page }, {})
}
