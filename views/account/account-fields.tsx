/** @jsxImportSource @kitajs/html */

import { described, Field } from '../parts/fields.tsx'
import { attribute } from '../parts/layout.tsx'

/** A field for the address of an account. */
export function EmailField({
  email,
  error,
  autofocus = false,
}: {
  email: string
  error: string | undefined
  autofocus?: boolean
}) {
  return (
    <Field id="email" label="E-mail address" error={error}>
      <input
        id="email"
        name="email"
        type="email"
        required
        maxlength="254"
        autocomplete="email"
        autofocus={autofocus && email === ''}
        value={attribute(email)}
        {...described('email', error)}
      />
    </Field>
  )
}

interface PasswordProps {
  /** Also its id; `password` where a page asks for one alone. */
  name?: string
  label?: string
  autocomplete: 'current-password' | 'new-password'
  error: string | undefined
  hint?: string
}

/** A field for a password, which never comes back filled. */
export function PasswordField({ name = 'password', label = 'Password', autocomplete, error, hint }: PasswordProps) {
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
