import { type GuardedName, PROPOSABLE_NAMES, pick } from '../../bundles/content.ts'
import type { FormContent, FormInput } from '../editor/bundle-form.ts'

/** What of a form can be proposed: who may see or copy a bundle is for its editors to decide, on its own page. */
export function proposable(input: FormInput): Omit<FormContent, GuardedName> {
  return pick(['urls', 'urlMetadata', 'variables', ...PROPOSABLE_NAMES], input)
}
