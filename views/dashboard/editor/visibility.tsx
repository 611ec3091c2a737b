/** @jsxImportSource @kitajs/html */

import { CONTENT, scalarsIn } from '../../../src/bundles/content.ts'
import { inWords } from '../../../src/bundles/values.ts'
import { described, Field } from '../../parts/fields.tsx'
import { Controls, type ControlsProps, isUsed } from './controls.tsx'

interface VisibilityProps extends Omit<ControlsProps, 'names'> {
  /** Whether it has a password, which an empty field keeps. */
  hasPassword: boolean
}

const NAMES = scalarsIn('visibility')

/** Who can see the launcher. The password’s field is never filled in; styles hide it while it is of no use. */
export function Visibility({ form, hasPassword, messageOf }: VisibilityProps): JSX.Element {
  const password = messageOf('password')
  const isOpen = isUsed({ names: NAMES, form, messageOf }) || password !== undefined
  return (
    <details class="whole more access" open={isOpen}>
      <summary>
        {CONTENT.access.label}{' '}
        <span class="optional" safe>
          {inWords('access', form.access).toLowerCase()}
        </span>
      </summary>
      <div class="times">
        <Controls names={['access']} form={form} messageOf={messageOf} />
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
        <Controls names={NAMES.filter((name) => name !== 'access')} form={form} messageOf={messageOf} />
        <p class="hint whole">
          Members are the people in the organisation that owns the bundle, or only you if it’s your own. They don’t need
          the password. Only the bundle’s page is protected: anyone who has a link’s own address can still open it.
        </p>
      </div>
    </details>
  )
}
