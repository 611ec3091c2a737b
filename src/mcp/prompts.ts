import { createBundle, getBundle, updateBundle } from '../bundles/operations.ts'
import { getInsights } from '../insights/operations.ts'
import { previewPolicy } from '../policies/operations.ts'

/** A prompt that a user can pick to start an agent on a task. */
export interface Prompt {
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
      { name: 'links', description: 'Links that you have, one a line; none to have them looked for.', required: false },
    ],
    text: ({ purpose = '', links = '' }) =>
      `Make a launch bundle for this purpose:\n\n${purpose}\n\n` +
      (links.trim() === ''
        ? 'Find the links that serve it best; ask me where you are not sure. '
        : `Use these links:\n\n${links}\n\n`) +
      'Put them in the order in which they are to be read, 25 at most. Give the bundle a short title and, where it helps, ' +
      'a description, and each link a note that says what it is for. Mark what is only to look up as openPolicy manual. ' +
      `Call ${createBundle.name} with dryRun first, show me the list, and make the bundle once I agree. ` +
      'Then give me its link (`url` of the answer).',
  },
  {
    name: 'write_policy',
    title: 'Write a policy for a bundle',
    description: 'Show different viewers of a bundle different tabs.',
    arguments: [slug, { name: 'audience', description: 'Who is to see what.', required: true }],
    text: ({ slug = '', audience = '' }) =>
      `Write the policy of the bundle ${slug}: ${audience}\n\n` +
      `Read the bundle with ${getBundle.name} first and keep the rules that it has, with their ids, unless they are in the ` +
      'way. Rules are tried in order and the first that holds wins, so put the narrow ones before the wide ones. ' +
      `Try the draft with ${previewPolicy.name} on one viewer for each rule and on one whom no rule is for, and mend what ` +
      `its warnings name. Show me what each of them gets; save it with ${updateBundle.name} once I agree.`,
  },
  {
    name: 'explain_insights',
    title: 'Explain how a bundle is used',
    description: 'Say in plain words what the counts of a bundle tell.',
    arguments: [slug, { name: 'range', description: '7d, 30d or 90d.', required: false }],
    text: ({ slug = '', range = '30d' }) =>
      `Explain to me how the bundle ${slug} is used. Call ${getInsights.name} with range ${range}, and ${getBundle.name} for ` +
      'what is in it. Say how many looked and how many opened all tabs, how that went over the days, and which rules did ' +
      'well. Counts of a handful say little: say so where that is so. uniqueViewerDays adds up the distinct viewers of each ' +
      'day, so it is no number of people. End with what I could change.',
  },
]
