/** @jsxImportSource @kitajs/html */

import type { CreatedBundle } from '../../src/bundles/answers.ts'
import { BOUNDS } from '../../src/bundles/bounds.ts'
import { Alert, described, Field, FieldError, leading } from '../parts/fields.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'

/** The form as it was sent, and what is wrong with it. */
export interface HomeForm {
  title: string
  description: string
  /** The text of the one large field, while no line of it is wrong. */
  text: string
  /** Where a line is wrong, every line is shown in a field of its own, with its error beside it. */
  lines: { text: string; error: string | null }[]
  /** What is wrong beside the lines, by field; `urls` is the list as a whole, `form` what no field is to blame for. */
  errors: { title?: string; description?: string; urls?: string; form?: string }
  /** So that a second press or a reload makes no second bundle. */
  idempotencyKey: string
}

/** The home page: paste URLs, get a link. */
export function HomePage({ site, form }: { site: Site; form: HomeForm }): JSX.Element {
  const { errors, lines } = form
  const wrong = lines.filter(({ error }) => error !== null).length
  const alert =
    errors.form ??
    errors.urls ??
    (wrong > 0 ? `${wrong === 1 ? 'One line needs' : `${wrong} lines need`} a change. Nothing is lost.` : '')
  const isFresh = alert === '' && form.text === ''
  return (
    <Page site={site} title={`${site.name}: one link that opens many tabs`} kind="wide">
      <section class="hero">
        <h1>One link that opens them all.</h1>
        <p class="lede">Paste up to {BOUNDS.urls} links. Share one. Whoever opens it gets every tab with one press.</p>
      </section>
      <form class="card" method="post" action="/">
        <Alert text={alert} />
        {lines.length > 0 ? (
          <Lines lines={lines} />
        ) : (
          <Paste text={form.text} isFresh={isFresh} isWrong={errors.urls !== undefined} />
        )}
        <Field id="title" label="Title" note="optional" error={errors.title}>
          <input
            id="title"
            name="title"
            value={attribute(form.title)}
            autocomplete="off"
            {...described('title', errors.title)}
          />
        </Field>
        <details class="more" open={form.description !== '' || errors.description !== undefined}>
          <summary>Add a description</summary>
          <Field id="description" label="Description" error={errors.description}>
            <textarea
              id="description"
              name="description"
              rows="3"
              {...described('description', errors.description)}
              safe
            >
              {leading(form.description)}
            </textarea>
          </Field>
        </details>
        <input type="hidden" name="idempotencyKey" value={form.idempotencyKey} />
        <div class="send">
          <button type="submit" class="primary">
            Get the link
          </button>
          <p class="hint">
            {site.viewer ? 'It will be yours to edit.' : 'No account needed. A claim link lets you edit it later.'}
          </p>
        </div>
      </form>
      <ul class="promises">
        <li>
          <strong>Really opens all.</strong> Where a browser blocks the rest, the page says so and opens the next tab
          with each press.
        </li>
        <li>
          <strong>Private.</strong> No cookies, no trackers, nothing loaded from anyone else. Views are counted without
          following viewers.
        </li>
        <li>
          <strong>Yours.</strong> Open source; one small server and one file on your own machine.
        </li>
      </ul>
    </Page>
  )
}

function Paste({ text, isFresh, isWrong }: { text: string; isFresh: boolean; isWrong: boolean }): JSX.Element {
  return (
    <Field id="urls" label="Links, one a line">
      <textarea
        id="urls"
        name="urls"
        rows="9"
        required
        autofocus={isFresh}
        spellcheck="false"
        autocapitalize="off"
        aria-invalid={isWrong ? 'true' : undefined}
        aria-describedby={`${isWrong ? 'alert ' : ''}urls-hint urls-count`}
        data-max={String(BOUNDS.urls)}
        placeholder={
          'https://example.com/agenda\nTeam notes | https://notes.example.com\n[Design](https://design.example.com)'
        }
        safe
      >
        {leading(text)}
      </textarea>
      <p class="below">
        <span id="urls-hint">Bullets, “title | url”, Markdown and OneTab lists are fine.</span>
        <span id="urls-count" class="count" aria-live="polite"></span>
      </p>
    </Field>
  )
}

function Lines({ lines }: Pick<HomeForm, 'lines'>): JSX.Element {
  return (
    <fieldset class="field lines">
      <legend>Links, one a line</legend>
      <ol>
        {
          lines.map(({ text, error }, index) => {
            const id = `line-${index + 1}`
            return (
              <li class={error === null ? undefined : 'wrong'}>
                <input
                  id={id}
                  name="urls"
                  value={attribute(text)}
                  aria-label={`Link ${index + 1}`}
                  spellcheck="false"
                  autocapitalize="off"
                  autocomplete="off"
                  {...described(id, error ?? undefined)}
                />
                <FieldError id={id} error={error ?? undefined} />
              </li>
            )
          }) as 'safe'[]
        }
      </ol>
      <label for="urls">More links</label>
      <textarea id="urls" name="urls" rows="2" spellcheck="false" autocapitalize="off"></textarea>
      <p class="below">Empty a line to leave it out.</p>
    </fieldset>
  )
}

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
