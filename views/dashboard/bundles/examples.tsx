/** @jsxImportSource @kitajs/html */

import { EXAMPLES } from '../../../src/bundles/examples.ts'
import { count } from '../../../src/core/words.ts'

/** Example bundles to start with: one click copies a bundle and opens it. */
export function Examples({ idempotencyKey }: { idempotencyKey: string }): JSX.Element {
  return (
    <section class="examples stack" aria-labelledby="examples">
      <h2 id="examples">Or start with an example</h2>
      <ul>
        {
          Object.entries(EXAMPLES).map(([name, { title, urls, urlMetadata }]) => (
            <li class="card">
              <h3 safe>{title}</h3>
              <p class="hint" safe>
                {count(urls.length, 'link')}
              </p>
              <ol>
                {
                  urlMetadata.slice(0, SHOWN).map(({ note }) => (
                    <li>
                      <span safe>{note}</span>
                    </li>
                  )) as 'safe'[]
                }
              </ol>
              <form method="post" action="/dashboard/links/examples">
                <input type="hidden" name="idempotencyKey" value={`${idempotencyKey}-${name}`} />
                <button type="submit" name="example" value={name} aria-label={`Use this example: ${title}`}>
                  Use this example
                </button>
              </form>
            </li>
          )) as 'safe'[]
        }
      </ul>
    </section>
  )
}

/** Maximum links on an example's card. */
const SHOWN = 3
