/** @jsxImportSource @kitajs/html */

import type { Problem } from '../../../src/core/problem.ts'
import { count } from '../../../src/core/words.ts'
import { attribute } from '../../parts/layout.tsx'
import { Head } from '../parts/shell.tsx'

/** A bundle that was left as it is, and why. */
export interface Left {
  slug: string
  problem: Problem
}

interface LeftProps {
  title: string
  left: readonly Left[]
  /** How many others it was done to. */
  done: number
}

/** What came of a form for several bundles where some refused. */
export function LeftView({ title, left, done }: LeftProps): JSX.Element {
  const others = done === 0 ? 'No other bundle was changed.' : `${count(done, 'other bundle')} worked.`
  return (
    <>
      <Head title={title} lede={`${count(left.length, 'bundle')} left as before. ${others}`} />
      <ul class="rows" id="left">
        {
          left.map(({ slug, problem }) => (
            <li class="row">
              <div class="what">
                <a class="name" href={attribute(`/dashboard/links/${encodeURIComponent(slug)}`)} safe>
                  {`/l/${slug}`}
                </a>
                <span class="hint" safe>
                  {problem.userMessage}
                </span>
              </div>
            </li>
          )) as 'safe'[]
        }
      </ul>
      <p class="actions">
        <a class="button" href="/dashboard">
          Go to your bundles
        </a>
      </p>
    </>
  )
}
