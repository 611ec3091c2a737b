/** @jsxImportSource @kitajs/html */

import type { LinkHealth } from '../../../src/bundles/health.ts'
import { count } from '../../../src/core/words.ts'
import { destination } from '../../parts/destination.ts'
import { Each } from '../../parts/each.tsx'
import { dayOf } from './relative-time.tsx'

interface HealthNoticeProps {
  /** Undefined if nothing is known. */
  health: readonly LinkHealth[] | undefined
}

/** Says which links of a bundle are broken or have moved; nothing if none is. */
export function HealthNotice({ health = [] }: HealthNoticeProps): JSX.Element {
  const wrong = (['broken', 'moved'] as const).flatMap((state) => health.filter((link) => link.state === state))
  if (wrong.length === 0) return ''
  const broken = wrong.filter(({ state }) => state === 'broken').length
  const parts = [
    ...(broken === 0 ? [] : [`${count(broken, 'link')} broken`]),
    ...(broken === wrong.length ? [] : [`${count(wrong.length - broken, 'link')} moved`]),
  ]
  return (
    <section class="health" id="health" aria-label="Health of links">
      <p safe>{`${parts.join(', ')}.`}</p>
      <ul>
        <Each
          of={wrong}
          show={(link) => (
            <li class={link.state === 'broken' ? 'bad' : undefined}>
              <bdi dir="ltr" safe>
                {shown(link.url)}
              </bdi>
              <span safe>{`: ${link.state} since ${dayOf(Date.parse(link.since))}`}</span>
              {link.finalUrl === undefined ? (
                ''
              ) : (
                <>
                  {', now at '}
                  <bdi dir="ltr" safe>
                    {shown(link.finalUrl)}
                  </bdi>
                </>
              )}
            </li>
          )}
        />
      </ul>
    </section>
  )
}

/** Always in punycode, because a name with look-alike letters reads like another. */
function shown(url: string): string {
  const { host, path } = destination(url)
  return `${host}${path}`
}
