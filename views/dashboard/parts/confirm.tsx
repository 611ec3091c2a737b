/** @jsxImportSource @kitajs/html */

import type { Children, PropsWithChildren } from '@kitajs/html'
import { described, FieldError } from '../../parts/fields.tsx'
import { Form, type FormProps } from './panel.tsx'
import { Head } from './shell.tsx'

type ConfirmProps = PropsWithChildren<{
  title: string
  /** Where the form goes. */
  action: string
  /** The button's label; missing if the action is not possible now. */
  button: string | undefined
  /** Where to go instead. */
  back: string
  /** Fields to fill in first. */
  fields?: Children
  boost?: FormProps['boost']
}>

/** A confirmation page; its children say what will happen. */
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
  error: string | undefined
}>

/** A text to be typed before an irreversible action; the child shows it. */
export function ConfirmByTyping({ name, error, children }: ConfirmByTypingProps): JSX.Element {
  return (
    <div class="field">
      <label for={name}>
        {'Type '}
        {children}
        {' to confirm'}
      </label>
      <input id={name} name={name} required autocomplete="off" {...described(name, error)} />
      <FieldError id={name} error={error} />
    </div>
  )
}
