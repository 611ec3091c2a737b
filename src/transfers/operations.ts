import { type } from 'arktype'
import { Bundle } from '../bundles/answers.ts'
import { etag, toBundle } from '../bundles/present.ts'
import { signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import { transfer } from './transfer.ts'

/** The body of POST /api/links/:slug/transfer, with the slug of its path. */
const Transfer = type({
  slug: 'string',
  to: type({ type: "'organization'", organizationId: '0 < string <= 64', '+': 'reject' }).or({
    type: "'user'",
    userId: '0 < string <= 64',
    '+': 'reject',
  }),
  '+': 'reject',
})

/** POST /api/links/:slug/transfer. */
export const transferBundle = implement('transfer_bundle', {
  summary: 'Move a bundle into an organisation, or take it out of one',
  description:
    'Gives a bundle to an organisation in which you are an editor or admin, or to yourself. Of an organisation’s bundles, ' +
    'only admins can give one away. The bundle keeps its link, versions, counts, rules and proposals, and gets no new ' +
    'version. From then on the new owner’s members see and edit it, and nobody else: that includes a launcher that is ' +
    'for members only. Does nothing if it belongs to them already.',
  input: Transfer,
  example: { slug: 'launch-day', to: { type: 'organization', organizationId: 'o_27pd' } },
  output: Bundle,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT', 'VERSION_CONFLICT'],
  present: toBundle,
  headers: { etag },
  run: (input, { service: { store, config }, caller }) => transfer({ store, config, caller: signedIn(caller) }, input),
})
