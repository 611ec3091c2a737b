/** @jsxImportSource @kitajs/html */

import { each } from '../../../src/bundles/content/content.ts'
import { isSame } from '../../../src/bundles/content/diff.ts'
import { LINK_FIELDS } from '../../../src/bundles/links/link-fields.ts'
import { asSentence } from '../../../src/core/words.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import type { Conflict } from '../../../src/proposals/merge.ts'
import type { ProposalInFull } from '../../../src/proposals/present.ts'
import { Each } from '../../parts/layout.tsx'
import { Diff } from '../parts/diff/diff.tsx'
import { type Effort, newEffort, TextDiff } from '../parts/diff/text-diff.tsx'
import { conditionWords } from '../parts/rules/words.ts'

/** The effects of accepting a proposal; nothing if all of it is in conflict. */
export function EffectDiff({
  effect,
  conflicts,
  named,
  icons,
}: Pick<ProposalInFull, 'effect' | 'conflicts' | 'named'> & { icons: SiteIcons }): JSX.Element {
  return isSame(effect) && conflicts.length > 0 ? '' : <Diff diff={effect} named={named} icons={icons} />
}

/** Changes by both a proposal and the latest version, side by side. */
export function Conflicts({ conflicts, named }: Pick<ProposalInFull, 'conflicts' | 'named'>): JSX.Element {
  const effort = newEffort()
  return (
    <ul class="clashes">
      <Each
        of={conflicts}
        show={(conflict) => {
          const { base, newest, proposed } = textsOf(conflict, named)
          const { field, path } = conflict
          const isStressed = field === 'description' || (field === 'links' && path.endsWith(LINK_FIELDS.note.label))
          return (
            <li>
              <h3 dir="auto" safe>
                {conflict.path}
              </h3>
              <div class="sides">
                <Side name="Now" from={base} to={newest} effort={effort} isStressed={isStressed} />
                <Side name="Suggested" from={base} to={proposed} effort={effort} isStressed={isStressed} />
              </div>
            </li>
          )
        }}
      />
    </ul>
  )
}

function textsOf(
  { conditions, ...texts }: Conflict,
  named: ProposalInFull['named'],
): Pick<Conflict, 'base' | 'newest' | 'proposed'> {
  if (conditions === undefined) return texts
  return each(['base', 'newest', 'proposed'], (side) => asSentence(conditionWords(conditions[side], named)))
}

interface SideProps {
  name: string
  from: string | null
  to: string | null
  effort: Effort
  isStressed: boolean
}

function Side({ name, from, to, effort, isStressed }: SideProps): JSX.Element {
  return (
    <div class="diff">
      <p class="hint" safe>
        {name}
      </p>
      <p>
        <TextDiff from={from ?? ''} to={to ?? ''} effort={effort} isStressed={isStressed} />
        {to === null && <span class="hint"> None</span>}
      </p>
    </div>
  )
}
