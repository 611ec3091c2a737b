import { type Type, type } from 'arktype'
import { previewPolicy } from '../../bundles/policy-operations.ts'
import { type Issue, Problem } from '../../core/problem.ts'
import { issuesOf } from '../../operations/validate.ts'
import type { TestResult } from '../../policies/draft/findings.ts'
import { type TestViewer, viewerInput } from '../../policies/draft/test-viewer.ts'
import { RULE_PARTS } from '../../policies/shapes.ts'
import { resultOrProblem, run, type Visit } from '../parts/visit.ts'

/**
 * The result of a policy for a viewer, and the policy's errors. Incomplete rules are left out, so
 * that the others can be tested while one is being edited.
 * @param policy undefined for the saved one.
 * @param unfinished further errors of its rules (`unfinished.ts`).
 */
export async function testRules(
  visit: Visit,
  policy: unknown,
  viewer: TestViewer,
  unfinished: readonly Issue[],
): Promise<TestResult> {
  const { slug } = visit.params
  const input = (policy: unknown, who: object) => ({
    slug,
    viewer: who,
    ...(policy === undefined ? {} : { resolutionPolicy: policy }),
  })
  const who = viewerInput(viewer)
  const attempt = (policy: unknown, who: object) => resultOrProblem(() => run(visit, previewPolicy, input(policy, who)))
  const whole = await attempt(policy, who)
  if (!(whole instanceof Problem) && unfinished.length === 0) {
    return { preview: whole, places: whole.trace.map((_, index) => index), issues: [], message: null }
  }
  const [message, found] = whole instanceof Problem ? [whole.message, whole.issues] : [null, []]
  const issues = [...found, ...issuesInParts(rulesOf(policy)), ...unfinished]
  const leftOut = new Set(issues.filter(({ path }) => path[1] === 'rules').map(({ path }) => path[2]))
  const rules = rulesOf(policy)
  const places = rules.map((_, index) => index).filter((index) => !leftOut.has(index))
  const finished = rules.filter((_, index) => !leftOut.has(index))
  const wrongFacts = new Set(issues.filter(({ path }) => path[0] === 'viewer').map(({ path }) => String(path[1])))
  const known = Object.fromEntries(Object.entries(who).filter(([name]) => !wrongFacts.has(name)))
  if (finished.length === rules.length && wrongFacts.size === 0) return { preview: null, places: [], issues, message }
  const rest = await attempt(policy === undefined ? undefined : { version: 1, rules: finished }, known)
  return rest instanceof Problem
    ? { preview: null, places: [], issues, message: rest.message }
    : {
        preview: rest,
        places: policy === undefined ? rest.trace.map((_, index) => index) : places,
        issues,
        message: null,
      }
}

/** Validates each part of a rule separately: the whole schema checks conditions only once names and lists are valid. */
const PARTS = Object.entries(RULE_PARTS).map(([name, schema]) => type({ [name]: schema as Type }))

function issuesInParts(rules: readonly unknown[]): Issue[] {
  return rules.slice(0, MAX_CHECKED).flatMap((rule, at) =>
    PARTS.flatMap((part) => {
      const read: unknown = part(rule ?? {})
      if (!(read instanceof type.errors)) return []
      return issuesOf(read).map((issue) => ({ ...issue, path: ['resolutionPolicy', 'rules', at, ...issue.path] }))
    }),
  )
}

/** How many rules are checked: a policy's maximum and some beyond it. */
const MAX_CHECKED = 60

function rulesOf(policy: unknown): unknown[] {
  const { rules } = (policy ?? {}) as { rules?: unknown }
  return Array.isArray(rules) ? rules : []
}
