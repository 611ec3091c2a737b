/** @jsxImportSource @kitajs/html */

import { described, Field } from './fields.tsx'

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
export function PasswordField({
  name = 'password',
  label = 'Password',
  autocomplete,
  error,
  hint,
  autofocus,
}: PasswordProps) {
  return (
    <Field id={name} label={label} error={error}>
      <input
        id={name}
        name={name}
        type="password"
        required
        minlength="8"
        maxlength="128"
        autocomplete={autocomplete}
        autofocus={autofocus}
        {...described(name, error)}
      />
      {hint === undefined || error !== undefined ? (
        ''
      ) : (
        <p class="hint" safe>
          {hint}
        </p>
      )}
    </Field>
  )
}
