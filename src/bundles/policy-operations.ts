import { type } from 'arktype'
import { readValues } from '../core/template.js'
import { signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import { Preview } from '../policies/answers.ts'
import { describedViewer, SentViewer } from '../policies/described.ts'
import { warningsOf } from '../policies/lint-words.ts'
import { launcherTabs, preview, type Tried } from '../policies/preview.ts'
import { withStoredRuleIds } from '../policies/rule-ids.ts'
import { PolicyOrNone } from '../policies/shapes.ts'
import { refuseUnfitTemplates } from './merge.ts'
import { loadFor } from './roles.ts'
import { valuesIn } from './variables.ts'

/** POST /api/links/:slug/policy/preview. */
export const previewPolicy = implement('preview_policy', {
  summary: 'See which rule of a policy a viewer would match, and why, without saving anything',
  description:
    'Tries a policy on a viewer whom you describe: which rule wins, their tabs, and which conditions match. Without ' +
    '`resolutionPolicy` it tries the saved one. Variables: `viewer.query`, else their defaults.',
  output: Preview,
  present: ({ filling, warnings, tabs, ...tried }: Tried) => ({
    ...tried,
    tabs: launcherTabs({ tabs, filling }),
    warnings: warningsOf(warnings),
  }),
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  example: { slug: 'launch-day', viewer: { emailDomain: 'acme.com', language: 'de', device: 'mobile' } },
  input: type({
    slug: 'string',
    viewer: SentViewer.default(() => ({})),
    'resolutionPolicy?': PolicyOrNone,
    '+': 'reject',
  }),
  async run({ slug, viewer, resolutionPolicy: draft }, { service: { store }, caller }) {
    const bundle = await loadFor(store.db, signedIn(caller), slug, 'viewer')
    const now = Date.now()
    // A draft’s rules get the ids that saving would give them; new ids are only for this answer.
    const policy = draft ? (await withStoredRuleIds(store.db, bundle, draft)).policy : draft
    if (policy) refuseUnfitTemplates({ ...bundle, resolutionPolicy: policy })
    const { query = {} } = viewer
    const filling = readValues(bundle.variables, (name) => (Object.hasOwn(query, name) ? query[name] : null))
    const described = describedViewer(viewer, now, valuesIn(filling))
    return preview(policy === undefined ? bundle.resolutionPolicy : policy, bundle, described, filling, now)
  },
})
