/** @jsxImportSource @kitajs/html */

import type { OptionalMail } from '../../../db/schema.ts'
import { deletionEffects } from '../../../src/accounts/deletion.ts'
import { localPath } from '../../../src/accounts/mailed-links.ts'
import { parseUserAgent } from '../../../src/audience/user-agent.ts'
import { setChecks, wantsChecks } from '../../../src/bundles/links/health.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { page, seeOther } from '../../../src/http/respond.ts'
import { besidePassword } from '../../../src/identity/password-rules.ts'
import { hasPassword } from '../../../src/identity/passwords.ts'
import { isRecent } from '../../../src/identity/proof.ts'
import { sessionsOf, tokenOf } from '../../../src/identity/sessions.ts'
import { OPTIONAL_MAILS, readerOf, setSwitches } from '../../../src/mail/switches.ts'
import { withFlash } from '../../parts/messages.ts'
import { NoticePage } from '../../parts/notice.tsx'
import { formErrors } from '../parts/form.tsx'
import { callAuth, mustCallAuth, type Outcome, type Screen, type Visit } from '../parts/screens.tsx'
import type { Browser } from './browsers.tsx'
import type { SettingsErrors } from './password-panel.tsx'
import { DeleteAccountView, SettingsView } from './view.tsx'

const SETTINGS = routes.settings.page.path

/** A person's own account. */
export const settingsScreens: readonly Screen[] = [
  {
    path: SETTINGS,
    get: (visit) => settingsPage(visit),
    async post(visit, form) {
      const [asked = '', ...more] = form.getAll('change')
      if (isSection(asked) && more.every(isSection)) return save(visit, form, new Set([asked, ...more]))
      const action = ACTIONS.get(asked)
      if (action === undefined || more.length > 0) throw outOfDate()
      return action(visit, form)
    },
  },
  {
    path: routes.settings.endSession.path,
    async post(visit) {
      const { service, session, params } = visit
      const token = await tokenOf(service.store, session.userId, params.id ?? '')
      // A session that has already ended is the desired result.
      if (token !== null && params.id !== session.id) await mustCallAuth(visit, '/revoke-session', { token })
      return { to: withFlash(SETTINGS, 'sessionEnded') }
    },
  },
  {
    path: routes.settings.endSessions.path,
    async post(visit) {
      await mustCallAuth(visit, '/revoke-other-sessions', {})
      return { to: withFlash(SETTINGS, 'sessionsEnded') }
    },
  },
  {
    path: routes.settings.delete.path,
    get: (visit) => deletion(visit, '', {}),
    post: deleteAccount,
  },
]

/** The parts of the page that its one Save stores. */
const SECTIONS = ['name', 'mails', 'checks'] as const
type Section = (typeof SECTIONS)[number]

function isSection(name: string): name is Section {
  return (SECTIONS as readonly string[]).includes(name)
}

const NO_NAME = 'Enter a name.'

/** Stores the sent sections: all of them, or none if the name is refused. */
async function save(visit: Visit, form: URLSearchParams, sent: ReadonlySet<Section>): Promise<Outcome> {
  const { service, session } = visit
  const { userId } = session
  const name = form.get('name')?.trim() ?? ''
  const mails = Object.fromEntries(OPTIONAL_MAILS.map((kind) => [kind, form.has(kind)])) as Mails
  const isChecked = form.has('checkLinks')
  const refuse = (errors: SettingsErrors, problem: Problem) => {
    const typed = { name, ...(sent.has('mails') && { mails }), ...(sent.has('checks') && { isChecked }) }
    return settingsPage(visit, { ...typed, errors }, problem)
  }
  const isRenamed = sent.has('name') && name !== session.name
  if (isRenamed && name === '') return refuse({ name: NO_NAME }, new Problem('BAD_REQUEST', NO_NAME))
  const answer = isRenamed ? await callAuth(visit, '/update-user', { name }) : null
  if (answer instanceof Problem) return refuse(formErrors(answer, ['name']), answer)
  if (sent.has('mails')) await setSwitches(service.store, userId, mails)
  if (sent.has('checks')) await setChecks(service.store, userId, { type: 'user', userId }, isChecked)
  return seeOther(withFlash(SETTINGS, 'settingsSaved'), answer ?? undefined)
}

function outOfDate(): Problem {
  return new Problem('BAD_REQUEST', 'This page is out of date. Reload it and try again.')
}

type Action = (visit: Visit, form: URLSearchParams) => Promise<Outcome>

/** The forms of the page with an effect of their own, by the name that each sends. */
const ACTIONS = new Map<string, Action>(
  Object.entries({
    async verification(visit, form) {
      const { email } = visit.session
      const callbackURL = localPath(form.get('next') ?? SETTINGS)
      const answer = await callAuth(visit, '/send-verification-email', { email, callbackURL })
      if (!(answer instanceof Response)) return settingsPage(visit, { errors: { form: answer.userMessage } }, answer)
      // Other pages cannot show this error.
      const back = callbackURL.startsWith(routes.bundles.list.href()) ? callbackURL : SETTINGS
      return { to: withFlash(back, 'verificationSent') }
    },
    async password(visit, form) {
      const [currentPassword, newPassword] = [form.get('currentPassword') ?? '', form.get('newPassword') ?? '']
      const answer = await callAuth(visit, '/change-password', { currentPassword, newPassword })
      if (!(answer instanceof Response)) {
        return settingsPage(visit, { errors: explain(answer) }, answer)
      }
      return { to: withFlash(SETTINGS, 'passwordChanged') }
    },
    async passwordMail(visit) {
      const answer = await callAuth(visit, '/request-password-reset', { email: visit.session.email })
      if (answer instanceof Response) return { to: withFlash(SETTINGS, 'passwordMailSent') }
      return settingsPage(visit, { errors: { form: answer.userMessage } }, answer)
    },
  } satisfies Record<string, Action>),
)

const WRONG_PASSWORD = 'Wrong password.'

function explain(problem: Problem): SettingsErrors {
  if (problem.code === 'INVALID_PASSWORD') return { currentPassword: WRONG_PASSWORD }
  const newPassword = besidePassword(problem)
  return newPassword === null ? { form: problem.userMessage } : { newPassword }
}

type Mails = Record<OptionalMail, boolean>

/** The page after a refusal: what was typed, and why it was refused. */
interface Refused {
  name?: string
  mails?: Mails
  isChecked?: boolean
  errors?: SettingsErrors
}

async function settingsPage(visit: Visit, refused: Refused = {}, problem?: Problem): Promise<Outcome> {
  const { service, session, site } = visit
  const { name = session.name, errors = {} } = refused
  const [sessions, isWithPassword, reader, isChecked, { hasDeveloperTools }] = await Promise.all([
    sessionsOf(service.store, session.userId),
    usesPassword(service, session.userId),
    readerOf(service.store, session.userId),
    wantsChecks(service.store, { type: 'user', userId: session.userId }),
    site.badges(),
  ])
  const browsers = sessions.map(({ id, userAgent, createdAt }): Browser => {
    return { id, createdAt, isThis: id === session.id, ...parseUserAgent(userAgent ?? '') }
  })
  const view = (
    <SettingsView
      site={site}
      name={name}
      errors={errors}
      browsers={browsers}
      mails={service.mailer.isConfigured && reader !== null ? (refused.mails ?? reader.mails) : null}
      isChecked={service.config.linkChecks ? (refused.isChecked ?? isChecked) : null}
      hasDeveloperTools={hasDeveloperTools}
      password={!service.config.passwordSignIn ? 'off' : isWithPassword ? 'set' : 'none'}
    />
  )
  return { section: 'settings', title: 'Settings', view, problem }
}

/** Whether the owner confirms deletion with a password; not if the operator has turned passwords off. */
async function usesPassword({ config, store }: Visit['service'], userId: string): Promise<boolean> {
  return config.passwordSignIn && (await hasPassword(store, userId))
}

/** @param typedEmail what the owner has typed to confirm. */
async function deletion(
  visit: Visit,
  typedEmail: string,
  errors: { email?: string; password?: string; form?: string },
  problem?: Problem,
): Promise<Outcome> {
  const { service, session, site } = visit
  const [takes, needsPassword] = await Promise.all([
    deletionEffects(service.store, session.userId),
    usesPassword(service, session.userId),
  ])
  const proof = needsPassword ? 'password' : isRecent(session.signedInAt) ? 'none' : 'signInAgain'
  const view = <DeleteAccountView site={site} takes={takes} proof={proof} typedEmail={typedEmail} errors={errors} />
  const isHeld = proof === 'signInAgain' || takes.organizations.some(({ effect }) => effect === 'blocks')
  return { section: 'settings', title: 'Delete account', view, problem, ...(isHeld ? { notices: 'within' } : {}) }
}

async function deleteAccount(visit: Visit, form: URLSearchParams): Promise<Outcome> {
  const { service, session } = visit
  const email = form.get('email')?.trim() ?? ''
  if (email.toLowerCase() !== session.email.toLowerCase()) {
    const error = 'This doesn’t match your email address.'
    return deletion(visit, email, { email: error }, new Problem('BAD_REQUEST', error))
  }
  const password = form.get('password')
  const isProven = !(await usesPassword(service, session.userId)) || (password !== null && password !== '')
  if (!isProven) {
    const error = 'Enter your password.'
    return deletion(visit, email, { password: error }, new Problem('BAD_REQUEST', error))
  }
  const answer = await callAuth(visit, '/delete-user', password === null || password === '' ? {} : { password })
  if (!(answer instanceof Response)) {
    const errors = answer.code === 'INVALID_PASSWORD' ? { password: WRONG_PASSWORD } : { form: answer.userMessage }
    return deletion(visit, email, errors, answer)
  }
  const { name, origin, shortPaths } = service.config
  const text = 'Everything in it is gone. You’re welcome back any time, with the same address if you like.'
  const view = <NoticePage site={{ name, origin, shortPaths }} heading="Account deleted" text={text} />
  return page(view, 200, {}, answer)
}
