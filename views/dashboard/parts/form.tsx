/** @jsxImportSource @kitajs/html */

import type { Children, PropsWithChildren } from '@kitajs/html'
import { Each } from '../../parts/each.tsx'
import { Alert, CopyField, described, FieldError, Hint } from '../../parts/fields.tsx'
import { ROLE_WORDS } from '../../parts/role-words.ts'
import { Form, type FormProps } from './panel.tsx'
import { type DashboardSite, Empty, Head } from './shell.tsx'

/** What is wrong with a submitted form: by field, and `form` for it as a whole. */
export type FormErrors<Name extends string> = Partial<Record<Name | 'form', string>>

/** What a page with one form says of it. */
export interface FormPageProps extends Pick<FormProps, 'action' | 'button' | 'hidden'> {
  title: string
  lede: string
  back: string
}

/** A page with one form, whose fields are the children. */
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
  /** Each value with its label, and what it means if that is not plain. */
  options: readonly [value: string, label: string, meaning?: string][]
  chosen: readonly string[]
  hint?: string
  error: string | undefined
}

/** One or several of a few values. */
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
                {meaning === undefined ? (
                  ''
                ) : (
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
  /** What the secret belongs to. */
  lede: string
  id: string
  label: string
  secret: string
  /** Where to go once it is saved. */
  next: string
  /** Beside that. */
  more?: Children
  /** Between the secret and the way on. */
  below?: Children
}>

/** The only page that shows a secret; the children say what it is for. */
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

/** What members who are not admins read in place of a screen. */
export interface ForAdmins {
  title: string
  /** `manage webhooks`. */
  may: string
  /** A sentence. */
  why: string
  /** Whom to ask, and for what: `ask an admin`. */
  ask: string
}

/** The page of a screen for members who are not admins. */
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
          <a class="button" href={`/dashboard/organizations/${acting?.id ?? ''}`}>
            See who’s an admin
          </a>
        </p>
      </Empty>
    </>
  )
}
