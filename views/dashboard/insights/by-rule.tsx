/** @jsxImportSource @kitajs/html */

import type { Insights } from '../../../src/insights/shapes.ts'
import { Share } from '../../parts/charts.tsx'
import { Each } from '../../parts/each.tsx'
import { formatInteger, rate } from '../../parts/numbers.ts'
import { CardHead } from './card-head.tsx'

/** Views and clicks by rule, and without any. */
export function ByRule({ slug, insights }: { slug: string; insights: Insights }): JSX.Element {
  const { byRule, totals, series } = insights
  return (
    <section class="card" aria-labelledby="rules-heading">
      <CardHead slug={slug} days={series.length} table="rules" heading="By rule" hasFile={byRule.length > 1} />
      {byRule.length === 1 ? (
        <p class="hint">
          Everyone sees the same links. With <a href={`/dashboard/links/${slug}/policy`}>rules</a>, different viewers
          get different ones, and each rule is counted here.
        </p>
      ) : (
        <table class="by-rule">
          <caption class="visually-hidden">Views and clicks on Open all by rule</caption>
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col" class="number">
                Views
              </th>
              <th scope="col" class="number">
                Open all
              </th>
              <th scope="col" class="number">
                Open rate
              </th>
            </tr>
          </thead>
          <tbody>
            <Each
              of={byRule}
              show={({ ruleId, ruleName, views, openAllClicks, openAllRate }) => (
                <tr>
                  <th scope="row">
                    <RuleName ruleId={ruleId} ruleName={ruleName} />
                    <Share share={totals.views === 0 ? 0 : views / totals.views} />
                  </th>
                  <td class="number" safe>
                    {formatInteger(views)}
                  </td>
                  <td class="number" safe>
                    {formatInteger(openAllClicks)}
                  </td>
                  <td class="number" safe>
                    {rate(openAllRate)}
                  </td>
                </tr>
              )}
            />
          </tbody>
        </table>
      )}
    </section>
  )
}

/** Removed rules are distinguished by id; Fallthrough is explained in words. */
function RuleName({ ruleId, ruleName }: Pick<Insights['byRule'][number], 'ruleId' | 'ruleName'>): JSX.Element {
  if (ruleId === null) return <span>No rule matched</span>
  return (
    <>
      <span dir="auto" safe>
        {ruleName}
      </span>
      {ruleName === '(removed rule)' ? <span class="hint" safe>{` ${ruleId}`}</span> : ''}
    </>
  )
}
