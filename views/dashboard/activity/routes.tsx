/** @jsxImportSource @kitajs/html */

import { noOrganization, organizationFor } from '../../../src/accounts/organizations.ts'
import { routes } from '../../../src/core/routes.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { listEvents } from '../../../src/events/events.ts'
import { csvAnswer } from '../../../src/http/csv.ts'
import { requireRole, type SignedIn, type Subject } from '../../../src/identity/caller.ts'
import { personName } from '../../parts/tile.tsx'
import { organizationPages, SETTINGS_PAGES } from '../parts/panel.tsx'
import { answerTo, type Screen, type ScreenPage, type Visit } from '../parts/screens.tsx'
import { PERIODS } from './sentence.tsx'
import { type ActivityFilter, type ActivityProps, ActivityView } from './view.tsx'

const PAGE = 50

/** The subject and texts of an activity page. */
interface Log extends Pick<ScreenPage, 'section'> {
  subject: Subject
  path: string
  /** The path of the same list as CSV. */
  table: string
  lede: string
  title: string
  pages: ActivityProps['pages']
  people: { userId: string; name: string }[]
}

/** The activity log of a person and of each organisation that they administer, independent of the workspace. */
export const activityScreens: readonly Screen[] = [
  ...screensOf(routes.settings.activity.path, routes.settings.activityTable.path, async ({ session: { userId } }) => ({
    section: 'settings',
    subject: { type: 'user', userId },
    path: routes.settings.activity.href(),
    table: routes.settings.activityTable.href(),
    lede: 'What happened to your own bundles, keys and account in the last 90 days.',
    title: 'Settings',
    pages: SETTINGS_PAGES,
    people: [],
  })),
  ...screensOf(
    routes.organizations.activity.path,
    routes.organizations.activityTable.path,
    async ({ service, session, params }) => {
      const found = await organizationFor(service.store, session.userId, params.id ?? '')
      if (found === null) throw noOrganization()
      requireRole(found.role, 'admin')
      const { id, name, members } = found
      return {
        section: 'organizations',
        subject: { type: 'organization', organizationId: id },
        path: routes.organizations.activity.href({ id }),
        table: routes.organizations.activityTable.href({ id }),
        lede: `What happened in ${name} in the last 400 days.`,
        title: name,
        pages: organizationPages(id),
        people: members.map((member) => ({ userId: member.userId, name: personName(member) })),
      }
    },
  ),
]

function screensOf(path: Screen['path'], table: Screen['path'], logOf: (visit: Visit) => Promise<Log>): Screen[] {
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
      path: table,
      async get(visit) {
        const { subject } = await logOf(visit)
        const { file } = await answered(visit, subject, filterIn(visit), {})
        if (file === undefined) throw new Error('list_events has a CSV')
        return csvAnswer(visit.request, file, {}, (error) =>
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

/** Lists events of a subject in which the visitor has the highest role. */
function answered(visit: Visit, subject: Subject, { days, ...filter }: ActivityFilter, page: object) {
  const caller: SignedIn = { ...(visit.context.caller as SignedIn), subject, role: 'admin' }
  const chosen = Object.entries(filter).filter(([, value]) => value !== '')
  const since = days === '' ? {} : { since: new Date(Date.now() - Number(days) * DAY_MS).toISOString() }
  const acting = { ...visit, context: { ...visit.context, caller } }
  return answerTo(acting, listEvents, { ...Object.fromEntries(chosen), ...since, ...page }, {})
}
