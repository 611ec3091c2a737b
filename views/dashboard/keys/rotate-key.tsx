/** @jsxImportSource @kitajs/html */

import type { KeyInfo } from '../../../src/keys/shapes.ts'
import { TextField } from '../../parts/fields.tsx'
import { type FormErrors, FormPage } from '../parts/form.tsx'
import { EndField } from './new-key.tsx'

export interface RotateForm {
  graceHours: string
  /** A day; null for a key without an end. */
  expiresAt: string | null
  errors: FormErrors<'graceHours' | 'expiresAt'>
}

/** Asks how a key is to be replaced. */
export function RotateView({ apiKey, form }: { apiKey: KeyInfo; form: RotateForm }): JSX.Element {
  const { id, name, keyPrefix } = apiKey
  const { graceHours, expiresAt, errors } = form
  return (
    <FormPage
      title={`Rotate ${name}?`}
      lede={`You get a new key that may do the same. The old one, ${keyPrefix}…, goes on for a while, so that you can replace it everywhere.`}
      error={errors.form}
      action={`/dashboard/keys/${id}/rotate`}
      button="Rotate API key"
      back="/dashboard/keys"
    >
      <TextField
        id="graceHours"
        label="Hours until the old key ends"
        error={errors.graceHours}
        value={graceHours}
        class="short"
        type="number"
        min="0"
        max="24"
        step="1"
        required
        inputmode="numeric"
        hint="Up to 24. Enter 0 to end it at once, if somebody else may have it."
      />
      {expiresAt === null ? '' : <EndField value={expiresAt} error={errors.expiresAt} />}
    </FormPage>
  )
}
