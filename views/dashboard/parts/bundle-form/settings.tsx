/** @jsxImportSource @kitajs/html */

import { BOUNDS, NOTHING, scalarsIn, textOf } from '../../../../src/bundles/content/content.ts'
import { routes } from '../../../../src/core/routes.ts'
import { allowsRole } from '../../../../src/identity/caller.ts'
import type { OwnOrganization } from '../../../../src/identity/members.ts'
import { TextField } from '../../../parts/fields.tsx'
import { type EditorState, OWN_NAMES } from './bundle-form.ts'
import { Controls, type ControlsProps } from './controls.tsx'
import { isOwnOpen, Own } from './own.tsx'
import { Part } from './part.tsx'

interface SettingsProps extends Omit<ControlsProps, 'names' | 'formId'> {
  /** The link of a saved bundle; null without one. */
  link: { slug: string; asks: boolean } | null
  state: Pick<EditorState, 'focus' | 'step' | 'has'>
  /** The organisation of the bundle, which may list it; null for a personal bundle, which no start page lists. */
  team: OwnOrganization | null
}

/** Beside the access, which stands above. */
const SWITCHES = scalarsIn('visibility').filter((name) => name !== 'access')

const LISTED = 'listed'

/** The settings that most bundles leave as they are: open where one is not, and where one is wrong. */
export function Settings({ link, state, team, ...controls }: SettingsProps): JSX.Element {
  const { form, messageOf } = controls
  const aliases = form.own === null || link === null ? null : form.own.aliases
  const switches = (
    <Part of="div" id="switches" state={state}>
      {aliases !== null && (
        <TextField
          id={OWN_NAMES.aliases}
          label="Also at"
          placeholder="Nowhere else"
          value={aliases}
          error={messageOf('aliases')}
          hint={`Up to ${BOUNDS.aliases} other endings for its link, separated by spaces. Anyone can take an ending that you remove.`}
          dir="ltr"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
        />
      )}
      <Controls names={SWITCHES.filter((name) => name !== LISTED)} {...controls} />
      {team !== null && (
        <>
          <Controls names={[LISTED]} {...controls} />
          <StartPageHint team={team} />
        </>
      )}
    </Part>
  )
  if (state.step === 'checked') return switches
  const own = form.own === null ? null : { own: form.own, messageOf, state }
  const isSet = SWITCHES.filter((name) => team !== null || name !== LISTED).some(
    (name) => form[name] !== textOf(NOTHING[name]),
  )
  const hasAliases = (aliases ?? '') !== '' || messageOf('aliases') !== undefined
  return (
    <details class="rest" id="settings" open={isSet || hasAliases || (own !== null && isOwnOpen(own))}>
      <summary>More</summary>
      {switches}
      {link !== null && <QrCode {...link} />}
      {own !== null && <Own {...own} />}
    </details>
  )
}

/** Where a listed bundle appears; without a start page, who can make one. */
function StartPageHint({ team: { id, handle, role } }: { team: OwnOrganization }): JSX.Element {
  if (handle !== null) {
    const href = routes.startPage.page.href({ handle })
    return (
      <p class="hint">
        {'The start page is '}
        <a href={href} safe>
          {href}
        </a>
        .
      </p>
    )
  }
  return allowsRole(role, 'admin') ? (
    <p class="hint">
      {'There is no start page yet. '}
      <a href={`${routes.organizations.organization.href({ id })}#handle`}>Choose its address</a>
    </p>
  ) : (
    <p class="hint">There is no start page yet. An admin can choose its address.</p>
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
