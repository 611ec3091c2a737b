/** @jsxImportSource @kitajs/html */

import type { Children } from '@kitajs/html'
import { aboutTextsOf, CONTENT } from '../../../src/bundles/content/content.ts'
import { routes } from '../../../src/core/routes.ts'
import { Alert, Field, TextArea, TextField, textareaContent } from '../fields.tsx'
import { SuggestedTitles } from '../found.tsx'
import { attribute, Each } from '../layout.tsx'
import type { PasteForm } from './form.ts'
import { Gauge, List, publishText } from './list.tsx'

interface BuilderProps {
  form: PasteForm
  /** The address to which it posts. */
  action: string
  /** Prevents a second bundle after another press or a reload. */
  idempotencyKey: string
  /** Whether page titles are suggested. */
  suggests: boolean
  /** A text about later editing. */
  later: string
  /** Content of the empty form. */
  tries?: Children
  /** Further fields below the description. */
  more?: Children
}

/** The form for a new bundle: the links in a pasted text are listed, edited and published. */
export function Builder(props: BuilderProps): JSX.Element {
  const { form, action, idempotencyKey, suggests, later, tries, more } = props
  const { errors, isWanted } = form
  const alert = errors.form ?? errors.urls ?? ''
  const isFresh = alert === '' && form.text === ''
  return (
    <form class="builder" method="post" action={action} aria-labelledby="builder-name" data-list={routes.found.href()}>
      {/* The default button for Enter; without it, that would be the first button, which removes a link. */}
      <button type="submit" hidden></button>
      <Gauge listing={form.listing} />
      <div class="sheet">
        <Alert text={alert} />
        {form.made !== null && (
          <p>
            <a href={attribute(form.made)} target="_blank" rel="noopener noreferrer">
              See what’s been created
            </a>{' '}
            and save its links: this page doesn’t keep them.
          </p>
        )}
        <div class="pasted">
          <Paste form={form} isFresh={isFresh} />
        </div>
        {isFresh && tries}
        <Each
          of={aboutTextsOf('one')}
          show={(name) => (
            <div class="about">
              <TextField
                id={name}
                label={CONTENT[name].label}
                note="optional"
                kind="name"
                error={errors[name]}
                value={form[name]}
                placeholder="Name your links"
                dir="auto"
                autocomplete="off"
              />
            </div>
          )}
        />
        {suggests ? <SuggestedTitles /> : ''}
        <List form={form} />
        <Each
          of={aboutTextsOf('many')}
          show={(name) => (
            <details class="more about" open={form[name] !== '' || errors[name] !== undefined}>
              <summary safe>{`Add a ${CONTENT[name].label.toLowerCase()}`}</summary>
              <TextArea id={name} label={CONTENT[name].label} error={errors[name]} value={form[name]} rows="3" />
            </details>
          )}
        />
        {more}
        <input type="hidden" name="idempotencyKey" value={attribute(idempotencyKey)} />
        {isWanted && <input type="hidden" name="wanted" value="yes" />}
        <div class="send">
          <button type="submit" class="primary" safe>
            {publishText(form)}
          </button>
        </div>
        <p class="hint later" safe>
          {later}
        </p>
      </div>
    </form>
  )
}

function Paste({ form, isFresh }: { form: PasteForm; isFresh: boolean }): JSX.Element {
  const isWrong = form.errors.urls !== undefined
  return (
    <Field id="urls" label="Paste your links" labelClass="visually-hidden">
      <textarea
        id="urls"
        name="urls"
        data-rich=""
        rows="7"
        required
        autofocus={isFresh}
        spellcheck="false"
        autocapitalize="off"
        dir="auto"
        aria-invalid={isWrong ? 'true' : undefined}
        aria-describedby={isWrong ? 'alert' : undefined}
        placeholder={'Paste anything: a chat, an email, a list.\nWe find the links.'}
        safe
      >
        {textareaContent(form.text)}
      </textarea>
    </Field>
  )
}
