/** @jsxImportSource @kitajs/html */

import type { CreatedBundle } from '../../src/bundles/answers.ts'
import { Field } from '../parts/fields.tsx'
import { Page, type Site } from '../parts/layout.tsx'

interface CreatedProps {
  site: Site
  bundle: CreatedBundle
  heading: string
}

/** What a person sees once the bundle is made; the claim link is told here and never again. */
export function CreatedPage({ site, bundle, heading }: CreatedProps): JSX.Element {
  const { slug, url, claimUrl, claimExpiresAt } = bundle
  return (
    <Page site={site} title={`Your link is ready · ${site.name}`}>
      <section class="hero">
        <h1>Your link is ready.</h1>
        <p class="lede" dir="auto" safe>
          {heading}
        </p>
      </section>
      <section class="card">
        <CopyField id="link" label="Share this link" value={url} kind="primary" />
        <div class="with-qr">
          <img src={`/l/${slug}/qr.svg`} alt={`QR code of ${url}`} width="148" height="148" />
          <div class="choices">
            <a class="button" href={url}>
              Open the launcher
            </a>
            <a class="button" href={`/l/${slug}/qr.svg`} download={`${slug}.svg`}>
              Download the QR code
            </a>
            <a class="button" href="/">
              Make another
            </a>
          </div>
        </div>
      </section>
      {claimUrl === undefined || claimExpiresAt === undefined ? (
        ''
      ) : (
        <ClaimCard claimUrl={claimUrl} claimExpiresAt={claimExpiresAt} />
      )}
    </Page>
  )
}

function ClaimCard({ claimUrl, claimExpiresAt }: { claimUrl: string; claimExpiresAt: string }): JSX.Element {
  const until = new Date(claimExpiresAt).toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' })
  return (
    <section class="card caution">
      <h2>Keep the claim link</h2>
      <p>
        It is shown <strong>only this once</strong>. With it you can take the bundle into an account to edit it; without
        it nobody can. It works until{' '}
        <time datetime={claimExpiresAt} safe>
          {until}
        </time>
        .
      </p>
      <CopyField id="claim" label="Claim link, for you alone" value={claimUrl} />
    </section>
  )
}

interface CopyFieldProps {
  id: string
  label: string
  value: string
  /** `primary` where copying is what the page is for. */
  kind?: 'primary'
}

/** A text to take along: selectable without JavaScript, with a copy button where there is. */
function CopyField({ id, label, value, kind }: CopyFieldProps): JSX.Element {
  return (
    <Field id={id} label={label}>
      <div class="copy-field">
        <input id={id} value={value} readonly />
        <button type="button" class={['copy', kind]} data-copy={id} aria-live="polite">
          Copy
        </button>
      </div>
    </Field>
  )
}
