import { Html } from '@elysiajs/html'

/** An error below the field that it concerns. */
export function FieldError({ id, error }: { id: string; error: string | undefined }): JSX.Element {
  if (error === undefined) return ''
  return (
    <p class="error" id={`${id}-error`} safe>
      {error}
    </p>
  )
}

/** Ties a field to its error. */
export function described(id: string, error: string | undefined) {
  return error === undefined ? {} : ({ 'aria-invalid': 'true', 'aria-describedby': `${id}-error` } as const)
}

/** A text as the content of a textarea. HTML drops one newline at its start; what was typed must stay. */
export function leading(text: string): string {
  return text.startsWith('\n') ? `\n${text}` : text
}
