/** @jsxImportSource @kitajs/html */

import { escapeHtml, type PropsWithChildren } from '@kitajs/html'

type FieldProps = PropsWithChildren<{
  /** The control's, which is among the children. */
  id: string
  label: string
  /** Shown muted after the label: `optional`. */
  note?: string
  error?: string | undefined
  /** Class for a special layout. */
  kind?: 'json' | 'whole' | 'secret'
}>

/** A control with its label above it, and its error below. */
export function Field({ id, label, note, error, kind, children }: FieldProps): JSX.Element {
  return (
    <div class={['field', kind]}>
      <label for={id}>
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
      {children as 'safe'}
      <FieldError id={id} error={error} />
    </div>
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

/** Attributes that link a field to its error. */
export function described(id: string, error: string | undefined) {
  return error === undefined ? {} : ({ 'aria-invalid': 'true', 'aria-describedby': `${id}-error` } as const)
}

/** A text as the content of a textarea. HTML drops a leading newline, so one is added. */
export function textareaContent(text: string): string {
  return text.startsWith('\n') ? `\n${text}` : text
}
