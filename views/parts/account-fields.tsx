/** @jsxImportSource @kitajs/html */

import { described, Field, Hint } from './fields.tsx'
import { Icon } from './icons.tsx'

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

/** A password field, which is never pre-filled; a script shows what is typed. */
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
      {error === undefined ? <Hint text={hint} /> : ''}
    </Field>
  )
}
