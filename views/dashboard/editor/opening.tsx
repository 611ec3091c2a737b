/** @jsxImportSource @kitajs/html */

import { scalarsIn, TIME_NAMES } from '../../../src/bundles/content.ts'
import { NOTHING, textOf } from '../../../src/bundles/values.ts'
import { openingState } from '../../parts/exact-time.tsx'
import { Controls, type ControlsProps } from './controls.tsx'

const NAMES = scalarsIn('opening')
const OTHERS = NAMES.filter((name) => !TIME_NAMES.some((time) => time === name))

/** When the bundle opens and closes. */
export function Opening({ form, messageOf }: Omit<ControlsProps, 'names'>): JSX.Element {
  const isUsed = NAMES.some((name) => form[name] !== textOf(NOTHING[name]) || messageOf(name) !== undefined)
  const state = openingState(form)
  return (
    <details class="whole more opening" open={isUsed}>
      <summary>
        {'Opening and closing times '}
        <span class="optional" safe>
          {state === '' ? 'optional' : state}
        </span>
      </summary>
      <div class="times">
        <Controls names={NAMES.filter((name) => !OTHERS.includes(name))} form={form} messageOf={messageOf} />
        <p class="hint whole">
          {'Times are in '}
          <span class="zone">UTC</span>
          {'. Outside them, viewers can’t see the bundle. You still can.'}
        </p>
        <Controls names={OTHERS} form={form} messageOf={messageOf} />
      </div>
    </details>
  )
}
