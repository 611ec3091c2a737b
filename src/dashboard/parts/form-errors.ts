import type { FormErrors } from '../../../views/dashboard/parts/form.tsx'
import { besideField } from '../../core/field-words.ts'
import type { Problem } from '../../core/problem.ts'

/** What a refusal says beside the fields of these names; if it is about none of them, about the form as a whole. */
export function formErrors<Name extends string>(problem: Problem, names: readonly Name[]): FormErrors<Name> {
  const errors: FormErrors<Name> = {}
  for (const name of names) {
    const issue = problem.issues.find(({ path }) => path[0] === name)
    if (issue !== undefined) errors[name] = besideField(issue.reason)
  }
  if (Object.keys(errors).length === 0) errors.form = problem.userMessage
  return errors
}
