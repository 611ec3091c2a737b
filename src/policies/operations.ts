import { type } from 'arktype'
import { loadFor } from '../bundles/access.ts'
import { signedIn } from '../identity/identify.ts'
import { operation } from '../operation.ts'
import { preview } from './preview.ts'
import { identifiedFor } from './rule-ids.ts'
import { Policy } from './shapes.ts'
import { described, SentViewer } from './viewer.ts'

/** POST /api/links/:slug/policy/preview (decisions 6). */
export const previewPolicy = operation({
  name: 'preview_policy',
  summary: 'See which rule of a policy a viewer would match, and why; nothing is saved',
  route: 'POST /links/:slug/policy/preview',
  access: { scope: 'links:read' },
  input: type({
    slug: 'string',
    viewer: SentViewer.default(() => ({})),
    'resolutionPolicy?': Policy.or('null'),
    '+': 'reject',
  }),
  async run({ slug, viewer, resolutionPolicy: draft }, { service: { store }, caller }) {
    const bundle = await loadFor(store.db, signedIn(caller), slug, 'viewer')
    const now = Date.now()
    // A draft's rules get the ids that saving it would give them; new ones are made for this answer alone.
    const policy = draft ? (await identifiedFor(store.db, bundle, draft)).policy : draft
    return preview(policy === undefined ? bundle.resolutionPolicy : policy, bundle, described(viewer, now), now)
  },
})
