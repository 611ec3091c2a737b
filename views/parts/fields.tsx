/** @jsxImportSource @kitajs/html */
import { escapeHtml, type PropsWithChildren } from '@kitajs/html'
import { MAX_EMAIL } from '../../src/core/text.ts'
import { Icon } from './icons.tsx'
import { attribute } from './layout.tsx'

type FieldProps = PropsWithChildren<{
  /** The id of the control among the children. */
  id: string
  label: string
  /** Shown muted after the label: `optional`. */
  note?: string
  error?: string | undefined
  /** A class for a special layout. */
  kind?: 'json' | 'whole' | 'secret' | 'name'
  /** Hides a label that repeats the heading above. */
  labelClass?: 'visually-hidden'
}>

/** A control with its label above and its error below. */
export function Field({ id, label, note, error, kind, labelClass, children }: FieldProps): JSX.Element {
  return (
    <div class={['field', kind]}>
      <label for={id} class={labelClass}>
        {escapeHtml(label)}
        {note !== undefined && (
          <>
            {' '}
            <span class="optional" safe>
              {note}
            </span>
          </>
        )}
      </label>
      {children}
      <FieldError id={id} error={error} />
    </div>
  )
}

interface CopyFieldProps {
  id: string
  label: string
  value: string
  /** The title for sharing; without it there is no share button. */
  title?: string
  /** `primary` if copying is the main action of the page. */
  kind?: 'primary'
}

/** A text to copy: with JavaScript it has copy and share buttons; without, it can be selected. */
export function CopyField({ id, label, value, title, kind }: CopyFieldProps): JSX.Element {
  return (
    <Field id={id} label={label}>
      <div class="copy-field">
        <input id={id} readonly value={attribute(value)} autocomplete="off" spellcheck="false" />
        <button type="button" class={['copy', kind]} data-copy={id}>
          Copy
        </button>
        {title !== undefined && (
          <button type="button" class="copy" data-share={attribute(value)} data-title={attribute(title)} hidden>
            Share
          </button>
        )}
      </div>
    </Field>
  )
}

type TextFieldProps = Omit<FieldProps, 'children'> &
  Omit<JSX.HtmlInputTag, 'id' | 'name'> & {
    /** The typed text; never for a password. */
    value?: string
    hint?: string
  }

/** A field of one line; other props are attributes of its input. */
export function TextField(props: TextFieldProps): JSX.Element {
  const { id, value, hint, label, note, error, kind, labelClass, ...attributes } = props
  const typed = value === undefined ? {} : { value: attribute(value) }
  return (
    <Field id={id} label={label} note={note} error={error} kind={kind} labelClass={labelClass}>
      <input id={id} name={id} {...typed} {...attributes} {...described(id, error)} />
      <Hint text={hint} />
    </Field>
  )
}

/** A hint on how to fill in a field. */
export function Hint({ text }: { text: string | undefined }): JSX.Element {
  if (text === undefined) return ''
  return (
    <p class="hint" safe>
      {text}
    </p>
  )
}

/** A field for the name of a person, an organisation or a thing; other props are attributes of its input. */
export function NameField(props: Omit<TextFieldProps, 'id' | 'label'> & { label?: string; value: string }) {
  return <TextField id="name" label="Name" dir="auto" maxlength="100" {...props} />
}

type TextAreaProps = Omit<FieldProps, 'children'> &
  Omit<JSX.HtmlTextAreaTag, 'id' | 'name'> & { value: string; hint?: string }

/** A field of several lines; other props are attributes of its textarea. */
export function TextArea({ id, label, note, error, kind, value, hint, ...attributes }: TextAreaProps): JSX.Element {
  return (
    <Field id={id} label={label} note={note} error={error} kind={kind}>
      <textarea id={id} name={id} {...attributes} {...described(id, error)} safe>
        {textareaContent(value)}
      </textarea>
      <Hint text={hint} />
    </Field>
  )
}

/** An error of the whole page, if there is one. */
export function Alert({ text }: { text: string | null | undefined }): JSX.Element {
  if (!text) return ''
  return (
    <p class="alert" role="alert" id="alert" tabindex="-1" safe>
      {text}
    </p>
  )
}

/** Returns the typed text from a form that was refused as a whole. */
export function TypedText({ text }: { text: string | undefined }): JSX.Element {
  if (text === undefined) return ''
  return (
    <Field id="typed" label="What you typed">
      <textarea id="typed" rows="12" readonly safe>
        {textareaContent(text)}
      </textarea>
    </Field>
  )
}

/** An error below its field. */
export function FieldError({
  id,
  error,
  isHint,
}: {
  id: string
  error: string | undefined
  /** A hint, not an error. */
  isHint?: true | undefined
}): JSX.Element {
  if (error === undefined) return ''
  return (
    <p class={['error', isHint && 'only-hint']} id={`${id}-error`} safe>
      {error}
    </p>
  )
}

/** Attributes that link a field to its error or hint. A hint does not mark the field as invalid. */
export function described(id: string, error: string | undefined, isHint: boolean | undefined = false) {
  if (error === undefined) return {}
  return { ...(isHint ? {} : ({ 'aria-invalid': 'true' } as const)), 'aria-describedby': `${id}-error` }
}

/** The content of a textarea. HTML drops a leading newline, so one is added. */
export function textareaContent(text: string): string {
  return text.startsWith('\n') ? `\n${text}` : text
}

interface PasswordProps {
  /** The name and id of the field; `password` on a page with only one. */
  name?: string
  label?: string
  autocomplete: 'current-password' | 'new-password'
  error: string | undefined
  hint?: string
  /** For a page with no other purpose. */
  autofocus?: true
}

/**
 * Whose password a form has, for password managers: they take it from a text field, which nobody sees or sends, and else from
 * any text field before the password.
 */
export function Username({ name }: { name: string }): JSX.Element {
  return <input type="text" value={attribute(name)} autocomplete="username" readonly hidden />
}

/** A password field, never pre-filled. A script can show the typed text. */
export function PasswordField({ name = 'password', label = 'Password', error, hint, ...attributes }: PasswordProps) {
  return (
    <Field id={name} label={label} error={error}>
      <div class="shown">
        <input
          id={name}
          name={name}
          type="password"
          required
          minlength="8"
          maxlength="128"
          {...attributes}
          {...described(name, error)}
        />
        <button type="button" class="quiet copy" data-show={name} aria-label="Show password" aria-pressed="false">
          <Icon name="eye" />
        </button>
      </div>
      {error === undefined && <Hint text={hint} />}
    </Field>
  )
}

/** A field for an email address, by default the visitor's own, which browsers fill in. */
export function EmailField({
  email,
  error,
  autocomplete = 'email',
  autofocus = false,
}: {
  email: string
  error: string | undefined
  autocomplete?: 'email' | 'off'
  autofocus?: boolean
}) {
  return (
    <TextField
      id="email"
      label="Email address"
      error={error}
      value={email}
      type="email"
      required
      maxlength={String(MAX_EMAIL)}
      autocomplete={autocomplete}
      autofocus={autofocus && email === ''}
    />
  )
}
