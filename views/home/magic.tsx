/** @jsxImportSource @kitajs/html */

import { Each } from '../parts/each.tsx'
import { markDrawing } from '../parts/mark.ts'

/** The tabs that fan out: a letter, a word that phones leave out, and a hue. */
const TABS = [
  ['W', 'Start', 3],
  ['H', 'Setup', 0],
  ['C', 'Team', 5],
  ['P', 'Who', 7],
  ['V', 'Tour', 4],
  ['G', 'Code', 2],
  ['F', 'Files', 1],
] as const

const FIRST = 108
const PITCH = 52

/** What the service does, as a picture: one link is pressed once, and its tabs fan out of it. */
export function Magic(): JSX.Element {
  return (
    <figure class="magic">
      <svg viewBox="0 0 480 264" role="img" aria-label="One link, pressed once: seven tabs fan out of it.">
        <rect x=".5" y=".5" width="479" height="263" rx="13.5" fill="var(--sheet)" />
        <path d="M.5 46v-32a13.5 13.5 0 0 1 13.5 -13.5h452a13.5 13.5 0 0 1 13.5 13.5v32z" fill="var(--sunk)" />
        <g fill="none" stroke="var(--line)">
          <path d="M.5 46h479" />
          <rect x=".5" y=".5" width="479" height="263" rx="13.5" />
          <path d="M62 46.5v-24a8 8 0 0 1 8 -8h24a8 8 0 0 1 8 8v24" fill="var(--sheet)" />
          <path d="M62.5 46.5h39" stroke="var(--sheet)" />
        </g>
        <Mark x={74} y={22} size={16} />
        <g fill="var(--line-strong)" opacity=".45">
          <circle cx="22" cy="23" r="4" />
          <circle cx="36" cy="23" r="4" />
          <circle cx="50" cy="23" r="4" />
        </g>
        <g class="threads" fill="none" stroke-width="1.5">
          <Each
            of={TABS}
            show={([, , hue], at) => {
              const from = 216 + at * 8
              const to = FIRST + at * PITCH + 25
              return <path pathLength="1" stroke={`var(--h${hue}i)`} d={`M${from} 174C${from} 92 ${to} 122 ${to} 47`} />
            }}
          />
        </g>
        <g class="fan">
          <Each
            of={TABS}
            show={([letter, word, hue], at) => (
              <g>
                <svg x={FIRST + at * PITCH} y="16" width="50" height="30" aria-hidden="true" fill={`var(--h${hue}i)`}>
                  <path d="M0 30v-22a8 8 0 0 1 8 -8h34a8 8 0 0 1 8 8v22z" fill={`var(--h${hue})`} />
                  <text x="25" y="19.5" font-size="9.5" font-weight="700" text-anchor="middle">
                    {letter}
                    <tspan class="word" dx="2.5" font-weight="550">
                      {word}
                    </tspan>
                  </text>
                </svg>
              </g>
            )}
          />
        </g>
        <rect x="68" y="174" width="344" height="60" rx="12" fill="var(--paper)" stroke="var(--line-strong)" />
        <Mark x={82} y={190} size={28} />
        <text x="122" y="200" font-size="13" font-weight="600" fill="var(--ink)">
          First week at Northwind
        </text>
        <text x="122" y="217" font-size="11" font-family="var(--mono)" fill="var(--ink-3)">
          /l/first-week
        </text>
        <g class="press">
          <rect x="314" y="187" width="84" height="34" rx="8" fill="var(--go)" />
          <text x="356" y="208.5" font-size="13" font-weight="600" text-anchor="middle" fill="var(--go-ink)">
            Open all
          </text>
        </g>
        <path
          class="hand"
          d="M386 212l14 8.2-6.3 1.5 3.6 6.6-2.9 1.5-3.5-6.7-4.9 4.4z"
          fill="var(--ink)"
          stroke="var(--paper)"
          stroke-width="1.5"
          stroke-linejoin="round"
        />
      </svg>
      <figcaption>
        <strong>It opens every tab. Really.</strong> And if the browser holds some back, the page walks you through the
        rest, one press each.
      </figcaption>
    </figure>
  )
}

/** The icon of the service. */
function Mark({ x, y, size }: { x: number; y: number; size: number }): JSX.Element {
  return (
    <svg x={x} y={y} width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <MarkDrawing />
    </svg>
  )
}

function MarkDrawing(): JSX.Element {
  return markDrawing()
}
