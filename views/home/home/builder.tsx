/** @jsxImportSource @kitajs/html */

import { aboutTextsOf, CONTENT } from '../../../src/bundles/content/content.ts'
import { routes } from '../../../src/core/routes.ts'
import { Alert, Field, TextArea, TextField, textareaContent } from '../../parts/fields.tsx'
import { SuggestedTitles } from '../../parts/found.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import type { HomeForm } from './form.ts'
import { Gauge, List, publishText } from './list.tsx'

interface BuilderProps {
  form: HomeForm
  /** Prevents a second bundle after another press or a reload. */
  idempotencyKey: string
  /** Whether page titles are suggested. */
  suggests: boolean
  /** A text about later editing. */
  later: string
}

/** The form of the home page: the links in a pasted text are listed, edited and published. */
export function Builder({ form, idempotencyKey, suggests, later }: BuilderProps): JSX.Element {
  const { errors, isWanted } = form
  const alert = errors.form ?? errors.urls ?? ''
  const isFresh = alert === '' && form.text === ''
  return (
    <form class="builder" method="post" action="/" aria-labelledby="builder-name" data-list={routes.found.href()}>
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
        {isFresh && <Tries />}
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

function Paste({ form, isFresh }: { form: HomeForm; isFresh: boolean }): JSX.Element {
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

/** Example texts to paste, by purpose. */
const TEXTS = {
  'Onboarding week': `First week at Northwind:
Your first five days https://wiki.northwind.example/start
Set up your laptop https://help.northwind.example/laptop
Team calendar https://calendar.google.com/
Who does what https://people.northwind.example/
The code https://github.com/northwind`,
  Incident: `Incident in {service}:
Dashboards https://grafana.northwind.example/d/{service}
Last deploys https://deploys.northwind.example/?app={service}
Runbook https://runbooks.northwind.example/{service}
Status page https://status.northwind.example/`,
  'Reading list': `Coral reefs, week six:
How reefs remember https://journal.example/reefs
The bleaching atlas https://atlas.example/bleaching
Hand in by Friday https://moodle.example/hand-in`,
}

/** Examples that fill the paste field: links to the page with their text, from which its script takes the text. */
function Tries(): JSX.Element {
  return (
    <p class="hint tries">
      <span>
        Or try{' '}
        <Each
          of={Object.entries(TEXTS)}
          show={([name, text]) => (
            <a href={attribute(`/?${new URLSearchParams({ text })}`)} rel="nofollow" safe>
              {name}
            </a>
          )}
        />
      </span>
    </p>
  )
}
