import { type } from 'arktype'
import { Bundle } from '../bundles/answers.ts'
import { etag, toBundle } from '../bundles/present.ts'
import { signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import { transfer } from './transfer.ts'

const ToOrganization = type({ type: "'organization'", organizationId: '0 < string <= 64', '+': 'reject' })
const ToUser = type({ type: "'user'", userId: '0 < string <= 64', '+': 'reject' })
/** Which of them is meant. */
const Kind = type({ type: "'organization' | 'user'" })

/** What is wrong with a receiver, told of the kind that is meant. */
function wholeReceiver(value: unknown) {
  const { type: kind } = value as { type?: unknown }
  return kind === 'organization' ? ToOrganization(value) : kind === 'user' ? ToUser(value) : Kind(value)
}

/** The body of POST /api/links/:slug/transfer, with the slug of its path. */
const Transfer = type({
  slug: 'string',
  to: ToOrganization.or(ToUser).configure({ named: 'Receiver', whole: wholeReceiver }, 'self'),
  '+': 'reject',
})

/** POST /api/links/:slug/transfer. */
export const transferBundle = implement('transfer_bundle', {
  summary: 'Move a bundle into an organisation, or take it out of one',
  description:
    'Moves a bundle, with its link, versions, counts, rules and proposals. Then only the new ' +
    'owner sees and edits it. Out of an organisation takes an admin.',
  input: Transfer,
  example: { slug: 'launch-day', to: { type: 'organization', organizationId: 'o_27pd' } },
  output: Bundle,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT', 'EXTERNAL_ID_TAKEN', 'VERSION_CONFLICT'],
  present: toBundle,
  headers: { etag },
  run: (input, { service: { store, config }, caller }) => transfer({ store, config, caller: signedIn(caller) }, input),
})
