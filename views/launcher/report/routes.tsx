/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { reportBundle } from '../../../src/abuse/reports.ts'
import { besideField } from '../../../src/core/field-words.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { RAW, readForm } from '../../../src/http/body.ts'
import { callContext } from '../../../src/http/request.ts'
import { page } from '../../../src/http/respond.ts'
import { noBundle } from '../../../src/launcher/seen.ts'
import { find } from '../../../src/launcher/served.ts'
import { execute } from '../../../src/operations/execute.ts'
import { siteFor } from '../../parts/visitor.ts'
import { ReportedPage, type ReportForm, ReportPage } from './view.tsx'

const EMPTY: ReportForm = { reason: '', detail: '', errors: {} }

/** The form with which viewers report a bundle to the operator. */
export function reportPages(service: Service) {
  const form = async (request: Request, slug: string, fields: ReportForm, problem?: Problem) => {
    const bundle = (await find(service.store.db, slug)) ?? noBundle()
    const view = <ReportPage site={await siteFor(request, service)} slug={bundle.slug} form={fields} />
    return page(view, problem?.status ?? 200, problem?.headers)
  }
  return new Elysia()
    .get(routes.launcher.report.path, ({ request, params }) => form(request, params.slug, EMPTY))
    .post(
      routes.launcher.report.path,
      async ({ request, params: { slug } }) => {
        const fields = await readForm(request)
        const reason = fields.get('reason') ?? ''
        const detail = fields.get('detail')?.replaceAll('\r\n', '\n').trim() ?? ''
        const input = { slug, reason, ...(detail === '' ? {} : { detail }) }
        try {
          await execute(reportBundle, () => input, await callContext(request, service), service)
          return page(<ReportedPage site={await siteFor(request, service)} />)
        } catch (error) {
          if (!(error instanceof Problem) || error.code === 'NOT_FOUND') throw error
          return form(request, slug, { reason, detail, errors: explain(error) }, error)
        }
      },
      RAW,
    )
}

function explain({ issues, message }: Problem): ReportForm['errors'] {
  const errors: ReportForm['errors'] = {}
  for (const { path, reason } of issues) {
    if (path[0] === 'reason') errors.reason = 'Choose what’s wrong with it.'
    else if (path[0] === 'detail') errors.detail = besideField(reason)
  }
  return issues.length === 0 ? { form: message } : errors
}
