import { type } from 'arktype'
import { REPORT_REASONS } from '../../db/schema.ts'
import { lines } from '../core/text-shapes.ts'
import { implement } from '../operations/operation.ts'
import { report } from './reports.ts'

/** POST /api/links/:slug/reports: reports a bundle to the operator. */
export const reportBundle = implement('report_bundle', {
  summary: 'Report a bundle to the operator of this server',
  description:
    'Reports to the operator of this server that a bundle is harmful or illegal. Nothing is stored about the reporter, and ' +
    'nothing happens automatically: a person reviews it. An address may send five reports per hour.',
  status: 204,
  input: type({
    slug: 'string',
    reason: type.enumerated(...REPORT_REASONS),
    'detail?': lines(1000),
    '+': 'reject',
  }),
  example: { slug: 'launch-day', reason: 'phishing', detail: 'The third link asks for bank details.' },
  errors: ['NOT_FOUND'],
  async run(input, { service: { store, log } }) {
    await report(store, input)
    log.info({ reason: input.reason }, 'a bundle was reported: run openall admin reports')
  },
})
