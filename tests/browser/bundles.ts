import type { NewBundle } from '../../src/bundles/content/shapes.ts'

/** A realistic bundle. */
export const ONBOARDING: NewBundle = {
  title: 'Your first week at Northwind',
  description:
    'Everything you need from Monday to Friday. Start at the top; the calendar has your introductions, and nobody minds questions.',
  urls: [
    'https://handbook.northwind.example/start-here',
    'https://calendar.google.com/calendar/u/0/r/week',
    'https://github.com/northwind/storefront',
    'https://www.figma.com/files/team/1184/design-system',
    'https://linear.app/northwind/team/SHOP/active',
    'https://grafana.northwind.example/d/storefront?from=now-24h',
    'https://people.northwind.example/benefits/enrol',
  ],
  urlMetadata: [
    { note: 'Team handbook: how we work', tags: ['read first'] },
    { note: 'Your introductions this week', tags: ['monday'] },
    {
      note: 'Storefront repository\nFollow the README; the shop should run on your machine within ten minutes.',
      tags: ['engineering', 'day one'],
    },
    { note: 'Design system', tags: ['design', 'reference'] },
    { note: 'Current sprint board', tags: ['engineering'] },
    { note: 'Live dashboards', tags: ['engineering', 'reference'] },
    { note: 'Choose your benefits by Friday', tags: ['people'] },
  ],
}

/** A realistic bundle with variables, and a rule on one of them. */
export const CUSTOMER_RULED = {
  title: 'Customer {customer}',
  urls: [
    'https://crm.northwind.example/{region}/customers/{customer}',
    'https://billing.northwind.example/?of={customer}',
  ],
  urlMetadata: [{ note: 'Record of {customer}' }, { note: 'Invoices' }],
  variables: [
    { name: 'customer', label: 'Customer number', example: '4711' },
    { name: 'region', label: 'Region', options: ['eu', 'us'], default: 'us' },
    { name: 'ticket', label: 'Ticket' },
  ],
  resolutionPolicy: {
    version: 1,
    rules: [
      {
        name: 'European customers',
        showBadge: true,
        when: { op: 'startsWith', field: 'query.customer', value: 'EU-' },
        tabs: [
          { url: 'https://eu.crm.northwind.example/{customer}', note: 'Record of {customer}' },
          { url: 'https://desk.northwind.example/{region}/tickets/{ticket}' },
        ],
      },
    ],
  },
} satisfies NewBundle

/** Realistic rules. */
export const RULES: NewBundle['resolutionPolicy'] = {
  version: 1,
  rules: [
    {
      name: 'Our people on the move',
      showBadge: true,
      when: {
        op: 'and',
        of: [
          { op: 'signedIn' },
          {
            op: 'or',
            of: [
              { op: 'equals', field: 'emailDomain', value: 'northwind.example' },
              { op: 'endsWith', field: 'emailDomain', value: '.northwind.example' },
            ],
          },
          { op: 'not', of: [{ op: 'in', field: 'os', values: ['linux', 'chrome os'] }] },
          { op: 'equals', field: 'device', value: 'mobile' },
        ],
      },
      tabs: [
        { url: 'https://app.northwind.example/start', note: 'The app' },
        { url: 'https://handbook.northwind.example/start-here' },
      ],
    },
    {
      name: 'German, in office hours',
      when: {
        op: 'and',
        of: [
          { op: 'startsWith', field: 'language', value: 'de' },
          {
            op: 'timeWindow',
            days: ['mon', 'tue', 'wed', 'thu', 'fri'],
            from: '09:00',
            to: '17:30',
            timeZone: 'Europe/Berlin',
          },
        ],
      },
      tabs: [{ url: 'https://chat.northwind.example/de' }],
    },
    {
      name: 'Partners',
      when: { op: 'endsWith', field: 'emailDomain', value: 'fabrikam.example' },
      tabs: [{ url: 'https://partners.northwind.example/' }],
    },
    {
      name: 'Before the launch',
      when: { op: 'before', field: 'now', value: '2040-12-01T00:00:00Z' },
      tabs: [{ url: 'https://northwind.example/soon' }],
    },
  ],
}

const WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(2)
const ODD_NOTES = [
  '<script>alert(1)</script> <b>not bold</b> & "quoted"',
  'مرحبا بالعالم: جدول الأعمال',
  'שלום עולם: סדר היום',
  'מימין לשמאל, then (1) left to right, ואז בחזרה',
  '👩‍👩‍👧‍👦🏳️‍🌈 emoji and 𝒶𝓈𝓉𝓇𝒶𝓁 letters',
  WORD,
  'W'.repeat(500),
  'First line\nsecond line\n\nfourth line',
]
const ODD_URLS = [
  `https://example.com/${'a'.repeat(2048 - 'https://example.com/'.length)}`,
  'https://münchen.example/straße?q=ü#ö',
  'https://例え.テスト/ページ',
  `https://${'long-label-of-a-host.'.repeat(8)}example.com/`,
  "https://example.com/?q=<script>alert('1')</script>",
  'http://[2001:db8::1]:8080/path',
]

/** The longest and oddest bundle that is allowed: 25 tabs with 10 tags each. */
export const ODD: NewBundle = {
  title: `<script>alert("title")</script> ${WORD} שלום 👋`,
  description: `${ODD_NOTES.join('\n')}\n</main></body>`,
  urls: Array.from({ length: 25 }, (_, index) => ODD_URLS[index] ?? `https://site-${index}.example/page/${index}`),
  urlMetadata: Array.from({ length: 25 }, (_, index) => ({
    note: ODD_NOTES[index % 10] ?? '',
    tags: Array.from({ length: 10 }, (_, tag) => (tag === 0 ? 'T'.repeat(40) : `<i>tag</i> ${tag} תג`)),
    openPolicy: index % 5 === 4 ? 'manual' : 'auto',
  })),
}

/** With variables, one of them with options, and a name that could be one. */
export const CUSTOMER = {
  title: 'Customer {customer}',
  description: 'CRM, billing, tickets and logs of one customer, side by side.',
  urls: [
    'https://crm.northwind.example/accounts/{customer}',
    'https://billing.northwind.example/{customer}/invoices',
    'https://grafana.northwind.example/explore?r={region}&c={customer}',
    'https://app.example/teams/{teamId}/members',
  ],
  urlMetadata: [{ note: 'CRM record' }, { note: 'Invoices of {customer}' }, { note: 'Traces, last hour' }, {}],
  variables: [
    { name: 'customer', label: 'Customer number', example: 'EU-4711' },
    { name: 'region', label: 'Region', options: ['eu', 'us', 'ap'] },
  ],
}
