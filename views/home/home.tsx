/** @jsxImportSource @kitajs/html */

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
