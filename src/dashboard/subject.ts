import { authenticate } from '../api/auth.ts'
import { Problem } from '../core/problem.ts'
import { seeOther } from '../http/respond.ts'
import type { Screen } from './parts/screens.tsx'

/** Switches the subject that the visitor acts for: an organisation or, with an empty id, themselves. */
export const subjectScreens: readonly Screen[] = [
  {
    path: '/dashboard/subject',
    async post({ request, service }, form) {
      const organizationId = form.get('organizationId') || null
      const answer = await authenticate(request, service, '/organization/set-active', () => ({ organizationId }))
      if (!answer.ok) throw new Problem('FORBIDDEN', 'You’re no longer a member of this organisation.')
      return seeOther('/dashboard', answer)
    },
  },
]
