/** @jsxImportSource @kitajs/html */

import { CONTENT, SWITCH_TEXTS } from '../../../src/bundles/content.ts'
import { described, Field } from '../../parts/fields.tsx'
import { CHOICES, inWords } from '../parts/values.ts'
import type { BundleForm, FormError } from './bundle-form.ts'

interface AccessProps {
  form: BundleForm
  /** Whether it has a password, which an empty field keeps. */
  hasPassword: boolean
  /** The error of a field. */
  messageOf(field: FormError['field']): string | undefined
}

/** Who can see the launcher. The password’s field is never filled in; styles hide it while it is of no use. */
export function Access({ form, hasPassword, messageOf }: AccessProps): JSX.Element {
  const [access, password] = [messageOf('access'), messageOf('password')]
  const isUsed =
    form.access !== 'link' || form.copyable === SWITCH_TEXTS.on || access !== undefined || password !== undefined
  return (
    <details class="whole more access" open={isUsed}>
      <summary>
        {`${CONTENT.access.label} ` as 'safe'}
        <span class="optional" safe>
          {inWords('access', form.access).toLowerCase()}
        </span>
      </summary>
      <div class="times">
        <Field id="access" label={CONTENT.access.label} error={access}>
          <select id="access" name="access" {...described('access', access)}>
            {
              CONTENT.access.options.map((option) => (
                <option value={option} selected={option === form.access}>
                  {CHOICES.access[option] as 'safe'}
                </option>
              )) as 'safe'[]
            }
          </select>
        </Field>
        <Field
          id="password"
          kind="secret"
          label="Password"
          note={hasPassword ? 'leave empty to keep it' : '8 characters or more'}
          error={password}
        >
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="new-password"
            {...described('password', password)}
          />
        </Field>
        <p class="whole copies">
          <label class="choice">
            <input
              type="checkbox"
              name="copyable"
              value={SWITCH_TEXTS.on}
              checked={form.copyable === SWITCH_TEXTS.on}
            />{' '}
            Viewers can make a copy of what they see
          </label>
        </p>
        <p class="hint whole">
          Members are the people in the organisation that owns the bundle, or only you if it’s your own. They don’t need
          the password. Only the bundle’s page is protected: anyone who has a link’s own address can still open it.
        </p>
      </div>
    </details>
  )
}
