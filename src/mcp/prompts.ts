import { createBundle, getBundle, updateBundle } from '../bundles/operations.ts'
import { previewPolicy } from '../bundles/policy-operations.ts'
import { getInsights } from '../insights/operations.ts'

/** A prompt that a user can pick to start an agent on a task. */
interface Prompt {
  name: string
  title: string
  description: string
  arguments: { name: string; description: string; required: boolean }[]
  /** The instructions to the agent. */
  text(args: Record<string, string>): string
}

const slug = { name: 'slug', description: 'The bundle: the last part of its link.', required: true }

/** The prompts that the service offers. */
export const prompts: readonly Prompt[] = [
  {
    name: 'make_launch_bundle',
    title: 'Make a launch bundle',
    description: 'Collect links for an occasion and put them behind one link.',
    arguments: [
      { name: 'purpose', description: 'What the links are for, and for whom.', required: true },
      { name: 'links', description: 'The links, one per line; leave it empty to have them found.', required: false },
    ],
    text: ({ purpose = '', links = '' }) =>
      `Make a launch bundle for this purpose:\n\n${purpose}\n\n` +
      (links.trim() === ''
        ? 'Find the links that serve it best; ask me if you are not sure. '
        : `Use these links:\n\n${links}\n\n`) +
      'Put them in reading order, 25 at most. Give the bundle a short title and, if it helps, a description, and each ' +
      'link a note that says what it is for. Set openPolicy to manual for links that are only for reference. ' +
      `Call ${createBundle.name} with dryRun first, show me the list, and create the bundle once I agree. ` +
      'Then give me its link (`url` in the answer).',
  },
  {
    name: 'write_policy',
    title: 'Write a policy for a bundle',
    description: 'Show different viewers of a bundle different tabs.',
    arguments: [slug, { name: 'audience', description: 'Who should see what.', required: true }],
    text: ({ slug = '', audience = '' }) =>
      `Write the policy of the bundle ${slug}: ${audience}\n\n` +
      `Read the bundle with ${getBundle.name} first and keep its existing rules, with their ids, unless they conflict. ` +
      'Rules are tried in order and the first match wins, so put specific rules before general ones. ' +
      `Test the draft with ${previewPolicy.name}: one viewer for each rule, and one who matches none. Fix what its ` +
      `warnings name. Show me what each viewer gets; save it with ${updateBundle.name} once I agree.`,
  },
  {
    name: 'explain_insights',
    title: 'Explain how a bundle is used',
    description: 'Explain the counts of a bundle in plain words.',
    arguments: [slug, { name: 'range', description: '7d, 30d or 90d.', required: false }],
    text: ({ slug = '', range = '30d' }) =>
      `Explain to me how the bundle ${slug} is used. Call ${getInsights.name} with range ${range}, and ${getBundle.name} for ` +
      'its content. Say how many viewed it and how many opened all tabs, how that changed over time and since the ' +
      'period before, where viewers came from, and which rules did well. If the counts are too small to mean much, say so. uniqueViewerDays is the sum of each day’s distinct viewers, ' +
      'so it is not a number of people. End with what I could change.',
  },
]
