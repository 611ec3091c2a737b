/** @jsxImportSource @kitajs/html */

import type { REPORT_REASONS } from '../../db/schema.ts'
import { described, Field } from '../parts/fields.tsx'
import { Page, type Site } from '../parts/layout.tsx'

/** What was chosen and typed so far, and what is wrong with it. */
export interface ReportForm {
  reason: string
  detail: string
  errors: { reason?: string; detail?: string; form?: string }
}

const REASONS: Record<(typeof REPORT_REASONS)[number], string> = {
  phishing: 'It asks for passwords or money under a false name',
  malware: 'It leads to harmful software',
  illegal: 'It leads to something unlawful',
  spam: 'It is unwanted advertising',
  other: 'Something else',
}

/** The page on which a viewer reports a bundle to the operator. */
export function ReportPage({ site, slug, form }: { site: Site; slug: string; form: ReportForm }): JSX.Element {
  const { reason, detail, errors } = form
  return (
    <Page site={site} title={`Report a list · ${site.name}`}>
      <section class="narrow">
        <h1>Report this list</h1>
        <p
          class="lede"
          safe
        >{`Tell whoever runs ${site.name} what is wrong with /l/${slug}. Nobody learns who you are.`}</p>
        {errors.form === undefined ? (
          ''
        ) : (
          <p class="alert" role="alert" safe>
            {errors.form}
          </p>
        )}
        <form class="card" method="post" action={`/l/${slug}/report`}>
          <Field id="reason" label="What is wrong with it" error={errors.reason}>
            <select id="reason" name="reason" required {...described('reason', errors.reason)}>
              <option value="">Choose…</option>
              {
                Object.entries(REASONS).map(([value, text]) => (
                  <option value={value} selected={value === reason} safe>
                    {text}
                  </option>
                )) as 'safe'[]
              }
            </select>
          </Field>
          <Field id="detail" label="What to look at" note="optional" error={errors.detail}>
            <textarea id="detail" name="detail" rows="4" maxlength="1000" {...described('detail', errors.detail)} safe>
              {detail}
            </textarea>
          </Field>
          <div class="send">
            <button type="submit" class="primary">
              Send the report
            </button>
          </div>
        </form>
      </section>
    </Page>
  )
}

/** After a report. */
export function ReportedPage({ site }: { site: Site }): JSX.Element {
  return (
    <Page site={site} title={`Reported · ${site.name}`}>
      <section class="narrow">
        <h1>Thank you</h1>
        <p class="lede">Somebody will look at this list. Do not open anything in it that you do not trust.</p>
        <p>
          <a class="button" href="/" safe>{`To ${site.name}`}</a>
        </p>
      </section>
    </Page>
  )
}
