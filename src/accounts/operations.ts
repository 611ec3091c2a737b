import { type } from 'arktype'
import { Me } from '../identity/answers.ts'
import { signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'

/** GET /api/me. */
export const whoAmI = implement('who_am_i', {
  summary: 'Show whom this credential acts for, with which role and scopes',
  description: 'Returns whose bundles this credential can access, its role there, and its scopes.',
  // Ignores query parameters, which links may carry (utm_source) and which cannot change the answer.
  input: type({ '+': 'delete' }),
  output: Me,
  run: async (_, { caller }) => {
    const { subject, role, scopes } = signedIn(caller)
    return { subject, role, scopes: [...scopes] }
  },
})
