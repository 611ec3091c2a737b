import { isDeepStrictEqual } from 'node:util'
import { BOUNDS } from '../bundles/bounds.ts'
import { type FoundList, type ImportedBundle, type ImportPlan, remark } from './plan.ts'

interface Sharing extends Pick<ImportedBundle, 'links'> {
  unchecked: Pick<ImportedBundle, 'variables'>
}

/** The variables of a list of several, each name once; a remark where a bundle's own is left out. */
export function sharedVariables(groups: readonly Sharing[], plan: ImportPlan): Pick<FoundList, 'variables'> {
  const variables: unknown[] = []
  for (const { unchecked, links } of groups) {
    for (const variable of (unchecked.variables ?? []) as unknown[]) {
      const name = (variable as { name?: unknown } | null)?.name
      const known = variables.find((other) => (other as { name?: unknown } | null)?.name === name)
      if (known === undefined && variables.length < BOUNDS.variables) variables.push(variable)
      else if (links[0] !== undefined && !isDeepStrictEqual(known, variable)) {
        const reason = known === undefined ? PAST_VARIABLES : OTHER_VARIABLE
        remark(plan, 'changed', { ...links[0], text: `{${name}}` }, reason)
      }
    }
  }
  return variables.length === 0 ? {} : { variables }
}

const PAST_VARIABLES = `is beyond the ${BOUNDS.variables} variables of a bundle: its places stay as braces`
const OTHER_VARIABLE = 'is declared otherwise in another bundle of the list, whose label, default and options it gets'
