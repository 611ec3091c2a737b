/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { Each } from '../../parts/each.tsx'
import { attribute } from '../../parts/layout.tsx'

/** A part of a page with a heading of its own. @param id the heading's. */
export function Panel({ id, heading, children }: PropsWithChildren<{ id: string; heading: string }>): JSX.Element {
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id} safe>
        {heading}
      </h2>
      {children}
    </section>
  )
}

export type FormProps = PropsWithChildren<{
  /** Its class: fields beside each other, below each other, or a panel that is the form; missing for a button alone. */
  kind?: 'inline' | 'stack' | 'panel slim'
  action: string
  /** `false` if the response is not a dashboard page. */
  boost?: 'false' | undefined
  /** Sent beside the fields; with an `idempotencyKey`, a form that is submitted twice creates one thing. */
  hidden?: Readonly<Record<string, string>>
  /** The button's label. */
  button: string
  /** The button's class. */
  look?: string | undefined
  /** What the button sends. */
  name?: string
  value?: string
  /** What the button does, for whoever does not see what it is beside. */
  label?: string
  /** Where to go instead, for a form that is all of a page. */
  back?: string
}>

/** A form with one button; its fields, if any, are the children. */
export function Form(props: FormProps): JSX.Element {
  const { kind, action, boost, hidden = {}, button, look, name, value, label, back, children } = props
  const spoken = label === undefined ? undefined : attribute(label)
  const submit = (
    <button type="submit" class={look} name={name} value={value} aria-label={spoken} safe>
      {button}
    </button>
  )
  return (
    <form class={kind} method="post" action={attribute(action)} hx-boost={boost}>
      <Each
        of={Object.entries(hidden)}
        show={([field, sent]) => <input type="hidden" name={field} value={attribute(sent)} />}
      />
      {children}
      {kind === undefined || kind === 'inline' ? (
        submit
      ) : (
        <div class="actions">
          {submit}
          {back === undefined ? (
            ''
          ) : (
            <a class="button" href={attribute(back)}>
              Cancel
            </a>
          )}
        </div>
      )}
    </form>
  )
}
