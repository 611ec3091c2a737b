import type { NewBundle } from '../../src/bundles/content/shapes.ts'

/** As many links as a bundle may have, such as people have them: each with a note, every second one with tags. */
const ORDINARY_LINKS: [url: string, note: string, ...tags: string[]][] = [
  ['https://github.com/northwind/website/pull/1423', 'The pull request with the new home page', 'engineering', 'money'],
  ['https://linear.app/northwind/issue/WEB-218/launch-checklist', 'Everything left to do before Friday'],
  [
    'https://docs.google.com/document/d/1aB3xY7kQ9mN5pR2sT8uV4wZ6cD0eF1gH/edit',
    'Press release, second draft',
    'planning',
  ],
  [
    'https://docs.google.com/spreadsheets/d/1zY9xW8vU7tS6rQ5pO4nM3lK2jI1hG0fE/edit#gid=0',
    'Budget by channel, updated every morning',
  ],
  [
    'https://www.figma.com/file/Ab12Cd34Ef56/Landing-page?node-id=12%3A340',
    'Landing page, final designs',
    'press',
    'chat',
  ],
  ['https://northwind.slack.com/archives/C01ABCDEF23/p1699999999000100', 'The thread where we decided on the date'],
  ['https://calendar.google.com/calendar/u/0/r/week', 'Who is on call this week', 'money'],
  ['https://www.notion.so/northwind/Team-handbook-4f8b2c1d9e7a4b6c8d0e1f2a3b4c5d6e', 'Team handbook: how we launch'],
  [
    'https://grafana.northwind.com/d/abc123/website?orgId=1&from=now-24h&to=now',
    'Traffic of the last day',
    'design',
    'reading',
  ],
  ['https://sentry.io/organizations/northwind/issues/?project=4501', 'Errors since the release'],
  ['https://console.cloud.google.com/run?project=northwind-web', 'The services behind the site', 'chat'],
  ['https://app.datadoghq.com/dashboard/x7f-2ab-9qd/web-latency', 'Latency by country'],
  ['https://en.wikipedia.org/wiki/Product_launch', 'What others mean by a launch', 'people', 'planning'],
  ['https://news.ycombinator.com/item?id=38312345', 'How the last announcement was received'],
  ['https://developer.mozilla.org/en-US/docs/Web/API/Window/open', 'How the browser opens a window', 'reading'],
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ', 'The teaser, 40 seconds'],
  [
    'https://medium.com/@jane/what-we-learned-launching-twelve-products-7c1b2d3e4f5a',
    'What we learned from the last twelve',
    'engineering',
    'money',
  ],
  ['https://twitter.com/northwind/status/1723456789012345678', 'The announcement, to be shared'],
  ['https://www.linkedin.com/company/northwind/posts/', 'Our page, with the new banner', 'planning'],
  ['https://www.producthunt.com/posts/northwind-launch', 'Vote and answer questions here'],
  ['https://stripe.com/docs/payments/checkout', 'How checkout works', 'press', 'chat'],
  ['https://dashboard.stripe.com/payments?status=successful', 'Payments that came in'],
  ['https://mail.google.com/mail/u/0/#label/launch', 'Questions from customers', 'money'],
  ['https://zoom.us/j/98765432101?pwd=QWxhZGRpbjpvcGVu', 'The call at nine'],
  ['https://status.northwind.com/incidents', 'What is down, if anything is', 'design', 'reading'],
]
export const ORDINARY: NewBundle = {
  title: 'Launch day',
  description: 'Everything we look at on the morning of the launch. Open it all at nine, and keep it open until noon.',
  urls: ORDINARY_LINKS.map(([url]) => url),
  urlMetadata: ORDINARY_LINKS.map(([, note, ...tags]) => (tags.length === 0 ? { note } : { note, tags })),
}
