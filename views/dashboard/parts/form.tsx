/** @jsxImportSource @kitajs/html */
import { type Children, Html, type PropsWithChildren } from '@kitajs/html'
import type { OwnedData } from '../../../src/accounts/deletion.ts'
import { besideField } from '../../../src/core/field-words.ts'
import type { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { count, inSentence } from '../../../src/core/words.ts'
import { Alert, CopyField, described, FieldError, Hint } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { ROLE_WORDS } from '../../parts/role-words.ts'
import { Form, type FormProps, Panel } from './panel.tsx'
import { type DashboardSite, Empty, Head } from './shell.tsx'

/** The errors of a submitted form by field; `form` is for the form as a whole. */
export type FormErrors<Name extends string> = Partial<Record<Name | 'form', string>>

/** The texts of a page with one form. */
export interface FormPageProps extends Pick<FormProps, 'action' | 'button' | 'hidden'> {
  title: string
  lede: string
  back: string
}

/** A page with one form; its fields are the children. */
export function FormPage(props: PropsWithChildren<FormPageProps & { error: string | undefined }>): JSX.Element {
  const { title, lede, error, ...form } = props
  return (
    <>
      <Head title={title} lede={lede} />
      <Alert text={error} />
      <Form kind="panel slim" look="primary" {...form} />
    </>
  )
}

interface ChoicesProps {
  name: string
  legend: string
  type: 'radio' | 'checkbox'
  /** Each value with its label, and an explanation if that is not obvious. */
  options: readonly [value: string, label: string, meaning?: string][]
  chosen: readonly string[]
  hint?: string
  error: string | undefined
}

/** A choice of one or several values from a short list. */
export function Choices({ name, legend, type, options, chosen, hint, error }: ChoicesProps): JSX.Element {
  return (
    <fieldset class="field" {...described(name, error)}>
      <legend safe>{legend}</legend>
      <div class="choices">
        <Each
          of={options}
          show={([value, label, meaning]) => (
            <label class="choice">
              <input
                type={type}
                name={name}
                value={value}
                checked={chosen.includes(value)}
                required={type === 'radio'}
              />
              <span>
                <strong safe>{label}</strong> <code safe>{value}</code>
                {meaning !== undefined && (
                  <span class="hint" safe>
                    {meaning}
                  </span>
                )}
              </span>
            </label>
          )}
        />
      </div>
      <Hint text={hint} />
      <FieldError id={name} error={error} />
    </fieldset>
  )
}

type SecretPageProps = PropsWithChildren<{
  title: string
  /** Names the owner of the secret. */
  lede: string
  id: string
  label: string
  secret: string
  /** The destination after saving the secret. */
  next: string
  /** Content beside that link. */
  more?: Children
  /** Content between the secret and that link. */
  below?: Children
}>

/** The only page that shows a secret; the children explain its purpose. */
export function SecretPage(props: SecretPageProps): JSX.Element {
  const { title, lede, id, label, secret, next, more, below, children } = props
  return (
    <>
      <Head title={title} lede={lede} />
      <section class="panel caution">
        <div class="words">
          <p>{children}</p>
        </div>
        <CopyField id={id} label={label} value={secret} kind="primary" />
      </section>
      {below}
      <p class="actions">
        <a class="button" href={next}>
          I’ve saved it
        </a>
        {more}
      </p>
    </>
  )
}

/** The texts in place of a screen, for members who are not admins. */
export interface ForAdmins {
  title: string
  /** `manage webhooks`. */
  may: string
  /** A sentence. */
  why: string
  /** Whom to ask for what: `ask an admin`. */
  ask: string
}

/** The page in place of a screen, for members who are not admins. */
export function ForAdminsView({ site, title, may, why, ask }: ForAdmins & { site: DashboardSite }): JSX.Element {
  const { acting, role } = site.user
  return (
    <>
      <Head title={title} />
      <Empty
        heading={`Only admins of ${acting?.name ?? 'this organisation'} can ${may}`}
        text={`${why} You’re ${ROLE_WORDS[role].one}: ${ask}, or switch to your personal workspace to create your own.`}
      >
        <p class="actions">
          <a class="button" href={routes.organizations.organization.href({ id: acting?.id ?? '' })}>
            See who’s an admin
          </a>
        </p>
      </Empty>
    </>
  )
}

type ConfirmProps = PropsWithChildren<{
  title: string
  /** The address to which the form posts. */
  action: string
  /** The button's label; missing if the action is currently impossible. */
  button: string | undefined
  /** The alternative destination. */
  back: string
  /** Required fields. */
  fields?: Children
  boost?: FormProps['boost']
}>

/** A confirmation page; its children explain the effects. */
export function Confirm({ title, action, button, back, fields, boost, children }: ConfirmProps): JSX.Element {
  const message = <div class="words">{children}</div>
  if (button === undefined) {
    return (
      <>
        <Head title={title} />
        <section class="panel slim">
          {message}
          <p>
            <a class="button" href={back}>
              Back
            </a>
          </p>
        </section>
      </>
    )
  }
  return (
    <>
      <Head title={title} />
      <Form kind="panel slim" action={action} button={button} look="primary danger" back={back} boost={boost}>
        {message}
        {fields}
      </Form>
    </>
  )
}

type ConfirmByTypingProps = PropsWithChildren<{
  name: string
  /** The text that was refused, or belongs to a refused form. */
  value: string
  error: string | undefined
}>

/** A field in which a text must be typed before an irreversible action; the child shows the text. */
export function ConfirmByTyping({ name, value, error, children }: ConfirmByTypingProps): JSX.Element {
  return (
    <div class="field">
      <label for={name}>
        {'Type '}
        {children}
        {' to confirm'}
      </label>
      <input id={name} name={name} value={attribute(value)} required autocomplete="off" {...described(name, error)} />
      <FieldError id={name} error={error} />
    </div>
  )
}

/** The errors of a refusal beside the fields with these names; if it concerns none of them, an error of the whole form. */
export function formErrors<Name extends string>(problem: Problem, names: readonly Name[]): FormErrors<Name> {
  const errors: FormErrors<Name> = {}
  for (const name of names) {
    const issue = problem.issues.find(({ path }) => path[0] === name)
    if (issue !== undefined) errors[name] = besideField(issue.reason)
  }
  if (Object.keys(errors).length === 0) errors.form = problem.userMessage
  return errors
}

/** An owner's switch for checks of saved links, in a `PanelsForm`. */
export function ChecksPanel({ isOn }: { isOn: boolean }): JSX.Element {
  return (
    <Panel id="checks" heading="Link checks">
      <div class="stack">
        <input type="hidden" name="change" value="checks" />
        <label class="choice">
          <input type="checkbox" name="checkLinks" value="yes" checked={isOn} />
          <span>Check every three days whether saved links still work</span>
        </label>
        <p class="hint">
          Broken links show in the dashboard, never to viewers. You can leave out single links in the editor.{' '}
          <a href={routes.docs.guide.href({ guide: 'checks' })}>How we check</a>
        </p>
      </div>
    </Panel>
  )
}

/** The data that would be lost, as list items; zero counts are left out. `whose` follows “3 bundles”. */
export function OwnedDataItems({ bundles, keys, whose = '' }: OwnedData & { whose?: string }): JSX.Element {
  const lost = `${count(bundles, 'bundle')}${whose}, with all versions and insights. Their links stop working`
  return (
    <>
      {bundles !== 0 && <li safe>{lost}</li>}
      {keys !== 0 && <li safe>{count(keys, 'API key')}</li>}
    </>
  )
}

// For actions that require more proof of identity than a session.

/** The address for signing in again, which leads back to a page. */
export function toSignIn(back: string): string {
  return `${routes.account.signIn.href()}?as=again&next=${encodeURIComponent(back)}`
}

interface ExportLinkProps {
  site: DashboardSite
  /** The organisation to export; omitted for personal data. */
  organizationId?: string
  label: string
  /** The page with this link. */
  back: string
  /** A link within a sentence instead of a button. */
  isPlain?: true
}

/** The download of all data; requires a sign-in within the last day. */
export function ExportLink({ site, organizationId, label, back, isPlain }: ExportLinkProps): JSX.Element {
  const look = isPlain ? undefined : 'button'
  if (!site.user.hasRecentSignIn) {
    return (
      <a class={look} href={attribute(toSignIn(back))} hx-boost="false" safe>
        {`Sign in again to ${inSentence(label)}`}
      </a>
    )
  }
  const query = organizationId === undefined ? '' : `?organizationId=${encodeURIComponent(organizationId)}`
  return (
    <a class={look} href={attribute(`/api/me/export${query}`)} download="">
      {!isPlain && <Icon name="download" />}
      {Html.escapeHtml(label)}
    </a>
  )
}

/** Why an action needs proof: the beginning of a sentence, and a whole one. */
interface WhyProof {
  unconfirmed: string
  old: string
}

/** Replaces a form that requires a confirmed address and a sign-in within the last day; null if both are given. */
export function missingProof(site: DashboardSite, title: string, back: string, why: WhyProof): JSX.Element | null {
  const { email, emailVerified } = site.user
  if (!emailVerified) {
    return (
      <>
        <Head title={title} />
        <Empty
          heading="Confirm your address first"
          text={`${why.unconfirmed}, so we need to know that ${email} is yours. Open the link we sent you, or use the button above to get another.`}
        />
      </>
    )
  }
  return oldSignIn(site, title, back, why.old)
}

/** Replaces a form that requires a sign-in within the last day; null if there was one. */
export function oldSignIn(site: DashboardSite, title: string, back: string, why: string): JSX.Element | null {
  if (site.user.hasRecentSignIn) return null
  return (
    <>
      <Head title={title} />
      <Empty heading="Sign in again first" text={why}>
        <p class="actions">
          <a class="button primary" href={attribute(toSignIn(back))} hx-boost="false">
            Sign in again
          </a>
        </p>
      </Empty>
    </>
  )
}
