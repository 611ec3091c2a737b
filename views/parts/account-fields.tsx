/** @jsxImportSource @kitajs/html */

import { TextField } from './fields.tsx'

interface PasswordProps {
  /** Also its id; `password` on a page with only one. */
  name?: string
  label?: string
  autocomplete: 'current-password' | 'new-password'
  error: string | undefined
  hint?: string
  /** For a page that is about nothing else. */
  autofocus?: true
}

/** A password field, which is never pre-filled. */
export function PasswordField({ name = 'password', label = 'Password', error, hint, ...attributes }: PasswordProps) {
  return (
    <TextField
      id={name}
      label={label}
      error={error}
      type="password"
      required
      minlength="8"
      maxlength="128"
      {...attributes}
      {...(error === undefined ? { hint } : {})}
    />
  )
}
