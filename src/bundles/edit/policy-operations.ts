import { withDates } from '../../core/dates.js'
import { Slug } from '../../core/fields.ts'
import { object, says } from '../../core/shape.ts'
import { readValues } from '../../core/template.js'
import { signedIn } from '../../identity/caller.ts'
import { implement } from '../../operations/operation.ts'
import { Preview } from '../../policies/answers.ts'
import { refuseEmptiedRules } from '../../policies/base.ts'
import { warningsOf } from '../../policies/lint.ts'
import { launcherTabs, preview, type Tried } from '../../policies/preview.ts'
import { withStoredRuleIds } from '../../policies/rule-ids.ts'
import { PolicyOrNone } from '../../policies/shapes.ts'
import { describedViewer, SentViewer } from '../../policies/viewer.ts'
import { refuseUnfitTemplates } from '../variables/placeholders.ts'
import { valuesIn } from '../variables/variables.ts'
import { loadFor } from './bundles.ts'

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
  input: object({
    slug: Slug,
    viewer: says(SentViewer, 'The viewer to simulate; omitted fields are unknown.', {
      emailDomain: 'acme.com',
      language: 'de',
    }).default(() => ({})),
    'resolutionPolicy?': PolicyOrNone,
  }),
  async run({ slug, viewer, resolutionPolicy: draft }, { service: { store }, caller }) {
    const bundle = await loadFor(store.db, signedIn(caller), slug, 'viewer')
    const now = Date.now()
    // Rules in a draft get the ids that saving would give them; new ids exist only in this answer.
    const policy = draft ? (await withStoredRuleIds(store.db, bundle, draft)).policy : draft
    if (policy) {
      refuseUnfitTemplates({ ...bundle, resolutionPolicy: policy })
      refuseEmptiedRules(policy, bundle.urls)
    }
    const { query = {} } = viewer
    const sent = (name: string) => (Object.hasOwn(query, name) ? query[name] : null)
    const filling = readValues(withDates(bundle.variables, sent('tz'), now), sent)
    const described = describedViewer(viewer, now, valuesIn(filling))
    return preview(policy === undefined ? bundle.resolutionPolicy : policy, bundle, described, filling, now)
  },
})
