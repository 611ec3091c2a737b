import { type } from 'arktype'
import { Bundle } from '../bundles/answers.ts'
import { etag, toBundle } from '../bundles/present.ts'
import { signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import { transfer } from './transfer.ts'

/** The body of POST /api/links/:slug/transfer, with the slug of its path. */
const Transfer = type({
  slug: 'string',
  to: type({ type: "'organization'", organizationId: '0 < string <= 64', '+': 'reject' })
    .or({ type: "'user'", userId: '0 < string <= 64', '+': 'reject' })
    .configure({ named: 'Receiver' }, 'self'),
  '+': 'reject',
})

/** POST /api/links/:slug/transfer. */
export const transferBundle = implement('transfer_bundle', {
  summary: 'Move a bundle into an organisation, or take it out of one',
  description:
    'Moves a bundle, with its link, versions, counts, rules and proposals, and makes no new version. From then on only the ' +
    'new owner sees and edits it, an organisation with its members. Moving an organisation’s bundle takes an admin.',
  input: Transfer,
  example: { slug: 'launch-day', to: { type: 'organization', organizationId: 'o_27pd' } },
  output: Bundle,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT', 'VERSION_CONFLICT'],
  present: toBundle,
  headers: { etag },
  run: (input, { service: { store, config }, caller }) => transfer({ store, config, caller: signedIn(caller) }, input),
})
