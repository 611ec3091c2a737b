/** @jsxImportSource @kitajs/html */

import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import type { Browser } from '../../../views/dashboard/settings/browsers.tsx'
import { DeleteAccountView } from '../../../views/dashboard/settings/delete-account.tsx'
import type { SettingsErrors } from '../../../views/dashboard/settings/errors.ts'
import { SettingsView } from '../../../views/dashboard/settings/settings.tsx'
import { NoticePage } from '../../../views/parts/notice.tsx'
import { Problem } from '../../core/problem.ts'
import { besideField } from '../../core/words.ts'
import { page, seeOther } from '../../http/respond.ts'
import { consequences } from '../../identity/holdings.ts'
import { localPath } from '../../identity/links.ts'
import { hasPassword } from '../../identity/passwords.ts'
import { isRecent } from '../../identity/proof.ts'
import { sessionsOf, tokenOf } from '../../identity/sessions.ts'
import { withCookies } from '../../pages/account-forms.ts'
import { agentOf } from '../../policies/agents.ts'
import { ask, demand } from '../identity.ts'
import type { Outcome, Screen } from '../screens.tsx'
import type { Visit } from '../visit.ts'

const SETTINGS = '/dashboard/settings'

/** What a person can do about their own account (decisions 11). */
export const settingsScreens: readonly Screen[] = [
  {
    path: SETTINGS,
    get: (visit) => shown(visit),
    async post(visit, form) {
      const change = CHANGES.get(form.get('change') ?? '')
      if (change === undefined) throw new Problem('BAD_REQUEST', 'This form is of another version. Load the page anew.')
      return change(visit, form)
    },
  },
  {
    path: '/dashboard/settings/sessions/:id/end',
    async post(visit) {
      const { service, session, params } = visit
      const token = await tokenOf(service.store, session.userId, params.id ?? '')
      // One that has ended in the meantime is what was asked for.
      if (token !== null && params.id !== session.id) await demand(visit, '/revoke-session', { token })
      return { to: withFlash(SETTINGS, 'sessionEnded') }
    },
  },
  {
    path: '/dashboard/settings/sessions/end',
    async post(visit) {
      await demand(visit, '/revoke-other-sessions', {})
      return { to: withFlash(SETTINGS, 'sessionsEnded') }
    },
  },
  {
    path: '/dashboard/settings/delete',
    get: (visit) => deletion(visit, {}),
    post: deleteAccount,
  },
]

type Change = (visit: Visit, form: URLSearchParams) => Promise<Outcome>

/** The forms of the page, by the name that each sends. */
const CHANGES = new Map<string, Change>(
  Object.entries({
    async name(visit, form) {
      const name = form.get('name')?.trim() ?? ''
      const answer = await ask(visit, '/update-user', { name })
      if (answer instanceof Response) return seeOther(withFlash(SETTINGS, 'nameSaved'), answer)
      return shown(visit, { name, errors: { name: besideField(answer.problem.message) } }, answer.problem)
    },
    async verification(visit, form) {
      const { email } = visit.session
      const callbackURL = localPath(form.get('next') ?? SETTINGS)
      const answer = await ask(visit, '/send-verification-email', { email, callbackURL })
      if (answer instanceof Response) return { to: withFlash(SETTINGS, 'verificationSent') }
      return shown(visit, { errors: { form: answer.problem.message } }, answer.problem)
    },
    async password(visit, form) {
      const [currentPassword, newPassword] = [form.get('currentPassword') ?? '', form.get('newPassword') ?? '']
      const answer = await ask(visit, '/change-password', { currentPassword, newPassword })
      if (!(answer instanceof Response)) {
        return shown(visit, { errors: explain(answer.code, answer.problem.message) }, answer.problem)
      }
      return { to: withFlash(SETTINGS, 'passwordChanged') }
    },
    async passwordMail(visit) {
      const answer = await ask(visit, '/request-password-reset', { email: visit.session.email })
      if (answer instanceof Response) return { to: withFlash(SETTINGS, 'passwordMailSent') }
      return shown(visit, { errors: { form: answer.problem.message } }, answer.problem)
    },
  } satisfies Record<string, Change>),
)

function explain(code: string, message: string): SettingsErrors {
  if (code === 'INVALID_PASSWORD') return { currentPassword: 'This is not your password.' }
  if (code.startsWith('PASSWORD_')) return { newPassword: besideField(message) }
  return { form: message }
}

async function shown(
  visit: Visit,
  { name, errors = {} }: { name?: string; errors?: SettingsErrors } = {},
  problem?: Problem,
): Promise<Outcome> {
  const { service, session, site } = visit
  const [sessions, isWithPassword] = await Promise.all([
    sessionsOf(service.store, session.userId),
    hasPassword(service.store, session.userId),
  ])
  const browsers = sessions.map(({ id, userAgent, createdAt }): Browser => {
    return { id, createdAt, isThis: id === session.id, ...agentOf(userAgent ?? '') }
  })
  const view = (
    <SettingsView
      site={site}
      name={name ?? session.name}
      errors={errors}
      browsers={browsers}
      hasPassword={isWithPassword}
    />
  )
  return { section: 'settings', title: 'Settings', view, problem }
}

async function deletion(
  visit: Visit,
  errors: { email?: string; password?: string; form?: string },
  problem?: Problem,
): Promise<Outcome> {
  const { service, session, site } = visit
  const [takes, needsPassword] = await Promise.all([
    consequences(service.store, session.userId),
    hasPassword(service.store, session.userId),
  ])
  const proof = needsPassword ? 'password' : isRecent(session.signedInAt) ? 'none' : 'signInAgain'
  const view = <DeleteAccountView site={site} takes={takes} proof={proof} errors={errors} />
  return { section: 'settings', title: 'Delete your account', view, problem }
}

async function deleteAccount(visit: Visit, form: URLSearchParams): Promise<Outcome> {
  const { request, service, session } = visit
  if (form.get('email')?.trim().toLowerCase() !== session.email.toLowerCase()) {
    const error = 'This is not the address of your account.'
    return deletion(visit, { email: error }, new Problem('BAD_REQUEST', error))
  }
  const password = form.get('password')
  const isProven = !(await hasPassword(service.store, session.userId)) || (password !== null && password !== '')
  if (!isProven) {
    const error = 'This must be your password.'
    return deletion(visit, { password: error }, new Problem('BAD_REQUEST', error))
  }
  const answer = await ask(visit, '/delete-user', password === null || password === '' ? {} : { password })
  if (!(answer instanceof Response)) {
    const { code, problem } = answer
    const errors = code === 'INVALID_PASSWORD' ? { password: 'This is not your password.' } : { form: problem.message }
    return deletion(visit, errors, problem)
  }
  const { name, origin } = service.config
  const text = 'Everything that was yours is deleted. You can make a new account with the same address at any time.'
  const view = <NoticePage site={{ name, origin }} heading="Your account is deleted" text={text} />
  return withCookies(page(request, view), answer)
}
