import type { NewBundle } from './shapes.ts'

/** Example bundles that new users copy and fill with their own links. */
export const EXAMPLES = {
  onboarding: {
    title: 'Your first week',
    description: 'Everything a new colleague needs from Monday to Friday. Replace these links with your own.',
    urls: [
      'https://handbook.gitlab.com/handbook/',
      'https://calendar.google.com/',
      'https://slack.com/signin',
      'https://github.com/',
      'https://www.atlassian.com/team-playbook',
    ],
    urlMetadata: [
      { note: 'Team handbook: how we work', tags: ['day one'] },
      { note: 'Calendar: your introductions this week', tags: ['day one'] },
      { note: 'Chat: say hello in #general', tags: ['day one'] },
      { note: 'Code: clone the main repository and run the tests', tags: ['engineering'] },
      { note: 'Read later: how other teams work together', openPolicy: 'manual' },
    ],
  },
  incident: {
    title: 'Incident runbook',
    description: '1. Say in chat that you’re on it. 2. Check our providers. 3. Write down what happened.',
    urls: [
      'https://www.githubstatus.com/',
      'https://health.aws.amazon.com/health/status',
      'https://status.cloud.google.com/',
      'https://www.cloudflarestatus.com/',
      'https://sre.google/sre-book/example-postmortem/',
    ],
    urlMetadata: [
      { note: 'GitHub status', tags: ['providers'] },
      { note: 'AWS status', tags: ['providers'] },
      { note: 'Google Cloud status', tags: ['providers'] },
      { note: 'Cloudflare status', tags: ['providers'] },
      { note: 'Afterwards: an example of a good postmortem', openPolicy: 'manual' },
    ],
  },
  reading: {
    title: 'Weekly reading',
    description: 'Our reading for the week. Add what you liked, and share it on Friday.',
    urls: [
      'https://news.ycombinator.com/best',
      'https://www.quantamagazine.org/',
      'https://www.nngroup.com/articles/',
      'https://ourworldindata.org/',
    ],
    urlMetadata: [
      { note: 'The week’s best on Hacker News', tags: ['tech'] },
      { note: 'Quanta: mathematics and science', tags: ['science'] },
      { note: 'Nielsen Norman Group: design', tags: ['design'] },
      { note: 'Our World in Data: one chart to talk about', tags: ['data'] },
    ],
  },
} satisfies Record<string, NewBundle>
