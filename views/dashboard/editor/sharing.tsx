/** @jsxImportSource @kitajs/html */

import { scalarsIn, TIME_NAMES } from '../../../src/bundles/content.ts'
import { described, Field, FieldError } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Controls, type ControlsProps } from './controls.tsx'

interface SharingProps extends Omit<ControlsProps, 'names'> {
  /** Of a new bundle, whose link can be chosen; of a saved one, by its slug; null where neither is to be decided. */
  link: 'new' | { slug: string; asks: boolean } | null
  /** Whether who may see it can be changed: nobody may propose that. */
  isDecided: boolean
  /** Whether it has a password, which an empty field keeps. */
  hasPassword: boolean
}

const VISIBILITY = scalarsIn('visibility')
const OPENING = scalarsIn('opening')
const TIMES = OPENING.filter((name) => TIME_NAMES.some((time) => time === name))

/** Who can see the launcher, and when, and its link. The password’s field is never filled in; styles hide what is of no use. */
export function Sharing({ link, isDecided, hasPassword, ...controls }: SharingProps): JSX.Element {
  const { form, messageOf } = controls
  const password = messageOf('password')
  return (
    <section class="sharing about" aria-labelledby="sharing-heading">
      <h2 id="sharing-heading">Sharing</h2>
      {isDecided ? (
        <>
          <Controls names={['access']} {...controls} />
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
          <p class="hint gated">
            Members are the people in the organisation that owns the bundle, or only you if it’s your own: they need no
            password. The page is protected, not the links on it.
          </p>
        </>
      ) : (
        ''
      )}
      <Controls names={TIMES} {...controls} />
      <Controls names={OPENING.filter((name) => !TIMES.includes(name))} {...controls} />
      <p class="hint timed">
        {'Times are in '}
        <span class="zone">UTC</span>
        {'. Outside them, viewers can’t see the bundle. You still can.'}
      </p>
      {isDecided ? <Controls names={VISIBILITY.filter((name) => name !== 'access')} {...controls} /> : ''}
      {link === 'new' ? <SlugField slug={form.slug} error={messageOf('slug')} /> : ''}
      {link !== null && link !== 'new' ? <QrCode {...link} /> : ''}
    </section>
  )
}

function SlugField({ slug, error }: { slug: string; error: string | undefined }): JSX.Element {
  return (
    <div class="field">
      <label for="slug">Custom link</label>
      <div class="slug-field">
        <span aria-hidden="true">/l/</span>
        <input
          id="slug"
          name="slug"
          value={attribute(slug)}
          placeholder="chosen for you"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          {...described('slug', error)}
        />
      </div>
      <FieldError id="slug" error={error} />
      <p class="hint">Can’t be changed later</p>
    </div>
  )
}

/** The link as a picture, to be printed; the script makes a PNG of it. */
function QrCode({ slug, asks }: { slug: string; asks: boolean }): JSX.Element {
  const src = `/l/${slug}/qr.svg`
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
