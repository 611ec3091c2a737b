/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { BOUNDS } from '../../src/bundles/bounds.ts'
import { type AboutName, aboutTextsOf, CONTENT } from '../../src/bundles/content.ts'
import type { Offer } from '../../src/bundles/placeholders.ts'
import type { FoundList } from '../../src/imports/plan.ts'
import { Each } from '../parts/each.tsx'
import { Alert, Field, TextArea, TextField, textareaContent } from '../parts/fields.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'
import { FoundLinks } from './found.tsx'

export interface HomeForm extends Record<AboutName, string> {
  /** The pasted text. */
  text: string
  /** The links found in it; null if it was not read. */
  found: FoundList | null
  /** The variables that it declares, by name. */
  declared: readonly string[]
  /** What in its links could become a variable. */
  offers: readonly Offer[]
  /** Whether only the offers keep the bundle from being made: taking the last of them makes it. */
  isWanted: boolean
  /** How many bundles the list could be split into; 0 or 1 if that is not offered. */
  parts: number
  /** Errors by field; `urls` is for the whole list, `form` for errors of no field. */
  errors: Partial<Record<AboutName | 'urls' | 'form', string>>
  /** The page with the bundles that were made before one was refused; null if none was. */
  made: string | null
  /** Prevents a second bundle on a second press or a reload. */
  idempotencyKey: string
}

interface HomeProps {
  site: Site
  form: HomeForm
  /** Whether creating a bundle requires an account. */
  isGated: boolean
}

interface GatedProps {
  site: Site
  /** Whether there is a sign-up page. */
  hasSignUpPage: boolean
}

/** The home page for signed-out visitors if creating bundles requires an account. */
export function GatedHomePage({ site, hasSignUpPage }: GatedProps): JSX.Element {
  return (
    <HomeFrame site={site}>
      <Hero />
      <section class="card">
        <p>You need an account to create links here.</p>
        <div class="send">
          <a class="button primary" href="/sign-in?next=/">
            Sign in
          </a>
          {hasSignUpPage ? (
            <a class="button" href="/sign-up?next=/">
              Create an account
            </a>
          ) : (
            ''
          )}
        </div>
      </section>
      <Promises />
    </HomeFrame>
  )
}

/** The home page: paste URLs, get a link. */
export function HomePage({ site, form, isGated }: HomeProps): JSX.Element {
  const { errors } = form
  const alert = errors.form ?? errors.urls ?? ''
  return (
    <HomeFrame site={site}>
      <Hero />
      <form class="card" method="post" action="/">
        <Alert text={alert} />
        {form.made === null ? (
          ''
        ) : (
          <p>
            <a href={attribute(form.made)} target="_blank" rel="noopener noreferrer">
              See what’s been created
            </a>{' '}
            and save its links: this page doesn’t keep them.
          </p>
        )}
        <Paste form={form} isFresh={alert === '' && form.text === ''} />
        <Each
          of={aboutTextsOf('one')}
          show={(name) => (
            <TextField
              id={name}
              label={CONTENT[name].label}
              note="optional"
              error={errors[name]}
              value={form[name]}
              autocomplete="off"
            />
          )}
        />
        <Each
          of={aboutTextsOf('many')}
          show={(name) => (
            <details class="more" open={form[name] !== '' || errors[name] !== undefined}>
              <summary safe>{`Add a ${CONTENT[name].label.toLowerCase()}`}</summary>
              <TextArea id={name} label={CONTENT[name].label} error={errors[name]} value={form[name]} rows="3" />
            </details>
          )}
        />
        <input type="hidden" name="idempotencyKey" value={attribute(form.idempotencyKey)} />
        {form.isWanted ? <input type="hidden" name="wanted" value="yes" /> : ''}
        <div class="send">
          <button type="submit" class="primary">
            {form.isWanted ? 'Get the link as it is' : 'Get the link'}
          </button>
          {form.parts > 1 ? (
            <button type="submit" name="do" value="split" safe>
              {`Create ${form.parts} bundles instead`}
            </button>
          ) : (
            ''
          )}
          <p class="hint">
            {site.user || isGated
              ? 'You can edit it from your dashboard.'
              : 'No account needed. You’ll also get a private link to edit it later.'}
          </p>
        </div>
      </form>
      <Promises />
    </HomeFrame>
  )
}

function HomeFrame({ site, children }: PropsWithChildren<{ site: Site }>): JSX.Element {
  return (
    <Page
      site={site}
      title={`${site.name}: one link that opens many tabs`}
      description={`Paste up to ${BOUNDS.urls} links and share one. Anyone with the link opens every tab in one click. No trackers.`}
      kind="wide"
    >
      {children}
    </Page>
  )
}

function Hero(): JSX.Element {
  return (
    <section class="hero">
      <h1>One link that opens them all.</h1>
      <p class="lede">
        Paste up to {BOUNDS.urls} links and share one. Anyone with the link opens every tab in one click.
      </p>
    </section>
  )
}

function Promises(): JSX.Element {
  return (
    <ul class="promises">
      <li>
        <strong>It really opens all of them.</strong> Pop-ups blocked? We’ll step through the tabs one click at a time.
      </li>
      <li>
        <strong>Private.</strong> No cookies, no trackers, nothing loaded from third parties. Views are counted without
        following anyone.
      </li>
      <li>
        <strong>Yours to run.</strong> Open source: one small server and one database file.
      </li>
    </ul>
  )
}

function Paste({ form, isFresh }: { form: HomeForm; isFresh: boolean }): JSX.Element {
  const isWrong = form.errors.urls !== undefined
  return (
    <Field id="urls" label="Paste your links, one per line">
      <textarea
        id="urls"
        name="urls"
        rows="9"
        required
        autofocus={isFresh}
        spellcheck="false"
        autocapitalize="off"
        aria-invalid={isWrong ? 'true' : undefined}
        aria-describedby={`${isWrong ? 'alert ' : ''}urls-hint`}
        data-find-url="/found"
        placeholder={
          'https://example.com/agenda\nTeam notes | https://notes.example.com\n[Design](https://design.example.com)'
        }
        safe
      >
        {textareaContent(form.text)}
      </textarea>
      <div id="found" role="status">
        {form.found === null ? '' : <FoundLinks list={form.found} told={form.errors.urls} offers={form.offers} />}
      </div>
      <Declared names={form.declared} />
      <p class="below" id="urls-hint">
        Any text works: we pick out the links and keep their titles.
      </p>
    </Field>
  )
}

/** The variables that the link will have, each with a way back. */
function Declared({ names }: { names: readonly string[] }): JSX.Element {
  return (
    <Each
      of={names}
      show={(name) => (
        <p class="below declared">
          <input type="hidden" name="declared" value={name} />
          <span>
            Whoever opens the link fills in <code safe>{`{${name}}`}</code>.
          </span>{' '}
          <button type="submit" name="do" value={`leave-${name}`} class="small">
            Leave it as text
          </button>
        </p>
      )}
    />
  )
}
