/** @jsxImportSource @kitajs/html */

import type { REPORT_REASONS } from '../../../db/schema.ts'
import { routes } from '../../../src/core/routes.ts'
import { described, Field, TextArea } from '../../parts/fields.tsx'
import { Each, Page, type Site } from '../../parts/layout.tsx'

export interface ReportForm {
  reason: string
  detail: string
  errors: { reason?: string; detail?: string; form?: string }
}

const REASONS: Record<(typeof REPORT_REASONS)[number], string> = {
  phishing: 'It’s phishing: it asks for passwords or money by pretending to be someone else',
  malware: 'It leads to malware',
  illegal: 'It leads to illegal content',
  spam: 'It’s spam',
  other: 'Something else',
}

/** The page on which a viewer reports a bundle to the operator. */
export function ReportPage({ site, slug, form }: { site: Site; slug: string; form: ReportForm }): JSX.Element {
  const { reason, detail, errors } = form
  return (
    <Page site={site} title={`Report a page · ${site.name}`}>
      <section class="narrow">
        <h1>Report this page</h1>
        <p
          class="lede"
          safe
        >{`Tell the people who run ${site.name} what’s wrong with /l/${slug}. Reports are anonymous.`}</p>
        {errors.form !== undefined && (
          <p class="alert" role="alert" safe>
            {errors.form}
          </p>
        )}
        <form class="card" method="post" action={routes.launcher.report.href({ slug })}>
          <Field id="reason" label="What’s wrong with it?" error={errors.reason}>
            <select id="reason" name="reason" required {...described('reason', errors.reason)}>
              <option value="">Choose…</option>
              <Each
                of={Object.entries(REASONS)}
                show={([value, text]) => (
                  <option value={value} selected={value === reason} safe>
                    {text}
                  </option>
                )}
              />
            </select>
          </Field>
          <TextArea
            id="detail"
            label="What should we look at?"
            note="optional"
            error={errors.detail}
            value={detail}
            rows="4"
            maxlength="1000"
          />
          <div class="send">
            <button type="submit" class="primary">
              Send report
            </button>
          </div>
        </form>
      </section>
    </Page>
  )
}

export function ReportedPage({ site }: { site: Site }): JSX.Element {
  return (
    <Page site={site} title={`Reported · ${site.name}`}>
      <section class="narrow">
        <h1>Thank you</h1>
        <p class="lede">We’ll look into it. Don’t open any link you don’t trust.</p>
        <p>
          <a class="button" href="/" safe>{`Go to ${site.name}`}</a>
        </p>
      </section>
    </Page>
  )
}
