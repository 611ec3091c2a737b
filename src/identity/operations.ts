import { type } from 'arktype'
import { operation } from '../operation.ts'
import { signedIn } from './identify.ts'

/** GET /api/me (spec 4.9). */
export const whoAmI = operation({
  name: 'who_am_i',
  summary: 'Tell whom this credential acts for, in which role and with which scopes',
  route: 'GET /me',
  access: 'authenticated',
  input: type({ '+': 'reject' }),
  run: async (_, { caller }) => {
    const { subject, role, scopes } = signedIn(caller)
    return { subject, role, scopes }
  },
})
