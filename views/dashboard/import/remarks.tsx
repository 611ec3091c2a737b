/** @jsxImportSource @kitajs/html */

import { count } from '../../../src/core/words.ts'
import type { ImportPlan, Remark } from '../../../src/imports/plan.ts'
import { Each } from '../../parts/layout.tsx'

/** The lines that were left out or changed, with the reasons. */
export function Remarks({ plan: { skipped, changed, counts } }: { plan: ImportPlan }): JSX.Element {
  return (
    <>
      <RemarkList id="left-out" name="Left out" remarks={skipped} total={counts.skipped} />
      <RemarkList id="cut" name="Cut to fit" remarks={changed} total={counts.changed} />
    </>
  )
}

interface RemarksProps {
  id: string
  name: string
  remarks: Remark[]
  total: number
}

function RemarkList({ id, name, remarks, total }: RemarksProps): JSX.Element {
  if (total === 0) return ''
  return (
    <section class="remarks" id={id}>
      <h2 safe>{`${name}: ${count(total, 'line')}`}</h2>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                Line
              </th>
              <th scope="col">What it says</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            <Each
              of={remarks}
              show={({ line, text, reason }) => (
                <tr>
                  <td class="number">{line}</td>
                  <td dir="auto" safe>
                    {text}
                  </td>
                  <td safe>{`It ${reason}.`}</td>
                </tr>
              )}
            />
          </tbody>
        </table>
      </div>
      {total > remarks.length && <p class="hint" safe>{`And ${total - remarks.length} more.`}</p>}
    </section>
  )
}
