/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/access.ts'
import { toRule } from '../../../src/policies/draft/draft.ts'
import { attribute } from '../../parts/layout.tsx'
import { FACT_WORDS, FACTS } from './facts.ts'
import { idOf } from './parts.tsx'
import type { RulesEditorState } from './section.tsx'

/** Lists of suggested values for the tester and conditions: the values that the rules use. */
export function Suggestions({
  editor,
  bundle,
}: {
  editor: RulesEditorState | null
  bundle: StoredBundle
}): JSX.Element {
  const lists = [...valuesIn(editor, bundle)].map(([field, values]) => [`known-${field}`, values] as const)
  return (
    <>
      {
        [...lists, ['own', bundle.urls] as const].map(([id, values]) => (
          <datalist id={idOf(id)}>
            {[...new Set(values)].slice(0, 40).map((value) => (
              <option value={attribute(value)} />
            ))}
          </datalist>
        )) as 'safe'[]
      }
      <datalist id="zones">
        <option value="UTC" />
      </datalist>
    </>
  )
}

/** The values that rules compare each field with. */
function valuesIn(editor: RulesEditorState | null, { resolutionPolicy }: StoredBundle): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const fact of FACTS) {
    const { choices, suggestions } = FACT_WORDS[fact]
    if (choices === undefined) found.set(fact, new Set(suggestions))
  }
  const rules =
    editor !== null && 'draft' in editor.source
      ? editor.source.draft.rules.map(toRule)
      : (resolutionPolicy?.rules ?? [])
  const visit = (condition: unknown): void => {
    const { of, field, op, value, values } = (condition ?? {}) as Record<string, unknown>
    if (Array.isArray(of)) for (const part of of) visit(part)
    const texts = op === 'equals' || op === 'startsWith' ? [value] : op === 'in' && Array.isArray(values) ? values : []
    for (const text of texts.slice(0, 20))
      if (typeof text === 'string' && text !== '') found.get(String(field))?.add(text)
  }
  for (const rule of rules) visit((rule as { when?: unknown } | null)?.when)
  return found
}
