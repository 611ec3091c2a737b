import { GUARDED_NAMES, type GuardedName, NAMES, pick } from '../../bundles/content.ts'
import type { FormContent, FormInput } from '../editor/bundle-form.ts'

/** What of a form can be proposed: who may see or copy a bundle is for its editors to decide, on its own page. */
export function proposable({ password: _, ...content }: FormInput): Omit<FormContent, GuardedName> {
  const names = NAMES.filter((name) => name in content && !GUARDED_NAMES.some((guarded) => guarded === name))
  return pick(names as Exclude<keyof FormContent, GuardedName>[], content)
}
