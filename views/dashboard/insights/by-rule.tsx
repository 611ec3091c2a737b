/** @jsxImportSource @kitajs/html */

import type { Insights } from '../../../src/insights/shapes.ts'
import { CardHead } from './card-head.tsx'
import { CountsTable } from './counts-table.tsx'
import type { Shown } from './days.ts'

/** Views and clicks by rule, and without any. */
export function ByRule({ insights, shown }: { insights: Insights; shown: Shown }): JSX.Element {
  const { byRule, totals } = insights
  const { slug, days } = shown
  return (
    <section aria-labelledby="rules-heading">
      <CardHead
        shown={shown}
        table="rules"
        heading="By rule"
        hint="The first rule that a viewer matches is counted, with what they did next."
        hasFile={byRule.length > 1}
      />
      {byRule.length === 1 ? (
        <p class="hint">
          Everyone sees the same links. With <a href={`/dashboard/links/${slug}/policy`}>rules</a>, different viewers
          get different ones, and each rule is counted here.
        </p>
      ) : (
        <CountsTable
          caption="Views and clicks on Open all by rule"
          heading="Rule"
          rows={byRule}
          shareOf={({ views }) => (totals.views === 0 ? 0 : views / totals.views)}
          show={({ ruleId, ruleName, views }) => (
            <>
              <RuleName ruleId={ruleId} ruleName={ruleName} />
              {views === 0 && ruleId !== null ? (
                <a class="never" href={`/dashboard/links/${slug}/policy`} safe>
                  {days === 1 ? 'nobody on this day' : `nobody in ${days} days`}
                </a>
              ) : (
                ''
              )}
            </>
          )}
        />
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
