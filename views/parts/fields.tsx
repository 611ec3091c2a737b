/** @jsxImportSource @kitajs/html */

import { escapeHtml, type PropsWithChildren } from '@kitajs/html'
import { attribute } from './layout.tsx'

type FieldProps = PropsWithChildren<{
  /** The control's, which is among the children. */
  id: string
  label: string
  /** Shown muted after the label: `optional`. */
  note?: string
  error?: string | undefined
  /** Class for a special layout. */
  kind?: 'json' | 'whole' | 'secret' | 'name'
  /** For a label that the heading above repeats. */
  labelClass?: 'visually-hidden'
}>

/** A control with its label above it, and its error below. */
export function Field({ id, label, note, error, kind, labelClass, children }: FieldProps): JSX.Element {
  return (
    <div class={['field', kind]}>
      <label for={id} class={labelClass}>
        {escapeHtml(label)}
        {note === undefined ? (
          ''
        ) : (
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
  /** The title to share it with; missing if it has no share button. */
  title?: string
  /** `primary` if copying is the page's main action. */
  kind?: 'primary'
}

/** A text to copy: selectable without JavaScript, with copy and share buttons otherwise. */
export function CopyField({ id, label, value, title, kind }: CopyFieldProps): JSX.Element {
  return (
    <Field id={id} label={label}>
      <div class="copy-field">
        <input id={id} readonly value={attribute(value)} autocomplete="off" spellcheck="false" />
        <button type="button" class={['copy', kind]} data-copy={id}>
          Copy
        </button>
        {title === undefined ? (
          ''
        ) : (
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
    /** As typed; never for a password. */
    value?: string
    hint?: string
  }

/** A field of one line; what else is given are attributes of its input. */
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

/** What helps to fill in a field. */
export function Hint({ text }: { text: string | undefined }): JSX.Element {
  if (text === undefined) return ''
  return (
    <p class="hint" safe>
      {text}
    </p>
  )
}

/** The name of a person, an organisation or a thing, as typed; what else is given are attributes of its input. */
export function NameField(props: Omit<TextFieldProps, 'id' | 'label'> & { label?: string; value: string }) {
  return <TextField id="name" label="Name" dir="auto" maxlength="100" {...props} />
}

type TextAreaProps = Omit<FieldProps, 'children'> &
  Omit<JSX.HtmlTextAreaTag, 'id' | 'name'> & { value: string; hint?: string }

/** A field of several lines; what else is given are attributes of its textarea. */
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

/** An error of the page as a whole, if any. */
export function Alert({ text }: { text: string | null | undefined }): JSX.Element {
  if (!text) return ''
  return (
    <p class="alert" role="alert" id="alert" tabindex="-1" safe>
      {text}
    </p>
  )
}

/** Returns the typed text of a form that was refused as a whole. */
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

/** An error below the field that it concerns. */
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

/** Attributes that link a field to its error, or to a hint, with which nothing is wrong. */
export function described(id: string, error: string | undefined, isHint: boolean | undefined = false) {
  if (error === undefined) return {}
  return { ...(isHint ? {} : ({ 'aria-invalid': 'true' } as const)), 'aria-describedby': `${id}-error` }
}

/** A text as the content of a textarea. HTML drops a leading newline, so one is added. */
export function textareaContent(text: string): string {
  return text.startsWith('\n') ? `\n${text}` : text
}
