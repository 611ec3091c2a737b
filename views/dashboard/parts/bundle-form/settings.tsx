/** @jsxImportSource @kitajs/html */

import { NOTHING, scalarsIn, textOf } from '../../../../src/bundles/content/content.ts'
import { routes } from '../../../../src/core/routes.ts'
import type { EditorState } from './bundle-form.ts'
import { Controls, type ControlsProps } from './controls.tsx'
import { isOwnOpen, Own } from './own.tsx'
import { Part } from './part.tsx'

interface SettingsProps extends Omit<ControlsProps, 'names' | 'formId'> {
  /** The link of a saved bundle; null without one. */
  link: { slug: string; asks: boolean } | null
  state: Pick<EditorState, 'focus' | 'step' | 'has'>
}

/** Beside the access, which stands above. */
const SWITCHES = scalarsIn('visibility').filter((name) => name !== 'access')

/** The settings that most bundles leave as they are: open where one is not, and where one is wrong. */
export function Settings({ link, state, ...controls }: SettingsProps): JSX.Element {
  const { form, messageOf } = controls
  const switches = (
    <Part of="div" id="switches" state={state}>
      <Controls names={SWITCHES} {...controls} />
    </Part>
  )
  if (state.step === 'checked') return switches
  const own = form.own === null ? null : { own: form.own, messageOf, state }
  const isSet = SWITCHES.some((name) => form[name] !== textOf(NOTHING[name]))
  return (
    <details class="rest" id="settings" open={isSet || (own !== null && isOwnOpen(own))}>
      <summary>More</summary>
      {switches}
      {link !== null && <QrCode {...link} />}
      {own !== null && <Own {...own} />}
    </details>
  )
}

/** The link as a picture for print; the script makes a PNG of it. */
function QrCode({ slug, asks }: { slug: string; asks: boolean }): JSX.Element {
  const src = routes.launcher.qr.href({ slug })
  return (
    <div class="qr-line">
      <img src={src} alt="QR code of the link" width="84" height="84" />
      <div>
        <p class="hint">{asks ? 'Leads to the form, so print it anywhere.' : 'Opens the bundle. Print it anywhere.'}</p>
        <p class="cluster">
          <a class="button small" href={src} download={`${slug}.svg`}>
            SVG<span class="visually-hidden"> of the QR code</span>
          </a>
          <button type="button" class="small scripted" data-png={src}>
            PNG<span class="visually-hidden"> of the QR code</span>
          </button>
        </p>
      </div>
    </div>
  )
}
