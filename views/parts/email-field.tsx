/** @jsxImportSource @kitajs/html */

import { MAX_EMAIL } from '../../src/core/text.ts'
import { TextField } from './fields.tsx'

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
