import { inline, lines } from '../../views/parts/markdown.ts'
import type { Met, Problem } from '../core/problem.ts'
import { jsonProblem, text } from '../http/respond.ts'
import { FORM_TYPES, type OtherForm } from './asked-form.ts'
import { headingOf } from './problem-page.tsx'

/** An error in the form of a launcher that was asked for. */
export function problemAs(form: OtherForm, request: Request, problem: Problem, met: Met): Response {
  if (form === 'json') return jsonProblem(problem, met)
  const { status, headers, message } = problem
  // Readers of feeds show the text of an error, if anything.
  const type = form === 'feed' ? 'text/plain; charset=utf-8' : FORM_TYPES.markdown
  const body = `# ${inline(headingOf(problem))}\n\n${lines(message).join('  \n')}\n`
  return text(request, body, { type, status, headers })
}
