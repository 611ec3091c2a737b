import { expect, test } from 'bun:test'
import { readImport } from '../../src/imports/import.ts'

/** A file as another program writes it: what it is, its text, and its bundles: the title of each, and its links. */
type Case = [what: string, text: string, bundles: [title: string | null, ...links: string[]][]]

const [A, B] = ['https://a.example/plan', 'https://b.example/board']
const link = (url: string, title: string, tags = '') => [url, title, tags].filter((text) => text !== '').join(' · ')
const [PLAN, BOARD] = [link(A, 'Plan'), link(B, 'Board')]
const json = (data: unknown) => JSON.stringify(data)

const CASES: Case[] = [
  [
    'Linkwarden, with the name of a person',
    json({
      user: { name: 'Ann' },
      collections: [
        {
          name: 'Tech',
          links: [
            { name: 'Plan', url: A, tags: [{ name: 'dev' }] },
            { name: 'Board', url: B },
          ],
        },
      ],
    }),
    [['Tech', link(A, 'Plan', 'dev'), BOARD]],
  ],
  [
    'Pinboard, whose tags are words',
    json([
      { href: A, description: 'Plan', extended: '', tags: 'dev ops' },
      { href: B, description: 'Board', extended: 'the long one', tags: '' },
    ]),
    [[null, link(A, 'Plan', 'dev,ops'), BOARD]],
  ],
  [
    'Raindrop, with a cover',
    json({ items: [{ title: 'Plan', link: A, cover: 'https://img.example/c.png', tags: ['dev'] }] }),
    [[null, link(A, 'Plan', 'dev')]],
  ],
  [
    'golink, with the owner of each',
    [
      json({ Short: 'plan', Long: A, Owner: 'ada@acme.example' }),
      json({ Short: 'board', Long: B, Owner: 'ada@acme.example' }),
    ].join('\n'),
    [[null, link(A, 'plan'), link(B, 'board')]],
  ],
  [
    'Firefox’s backup, with icons',
    json({
      title: '',
      root: 'placesRoot',
      children: [
        {
          title: 'toolbar',
          children: [
            {
              title: 'Work',
              children: [
                { title: 'Plan', uri: A, iconUri: `fake-favicon-uri:${A}`, tags: 'x,y' },
                { title: 'Board', uri: B, iconUri: 'https://b.example/favicon.ico' },
              ],
            },
          ],
        },
      ],
    }),
    [['Work', link(A, 'Plan', 'x,y'), BOARD]],
  ],
  [
    'Simple Tab Groups',
    json({
      groups: [
        {
          title: 'Work',
          iconUrl: 'https://img.example/i.svg',
          tabs: [{ url: A, title: 'Plan', favIconUrl: `${A}.ico` }],
        },
        { title: 'Home', tabs: [{ url: B, title: 'Board' }] },
      ],
    }),
    [
      ['Work', PLAN],
      ['Home', BOARD],
    ],
  ],
  [
    'Sidebery',
    json({ sidebar: { panels: { p: { name: 'Work' } } }, tabs: [[[{ url: A, title: 'Plan' }]]] }),
    [[null, PLAN]],
  ],
  [
    'Trello, each card once',
    json({
      name: 'Board',
      cards: [{ name: 'Plan', shortUrl: 'https://t.example/c', url: A, attachments: [{ name: 'Board', url: B }] }],
    }),
    [['Board', PLAN, BOARD]],
  ],
  ['a list of addresses', json([A, B]), [[null, A, B]]],
  ['addresses under names', json({ Plan: A, Board: B, icon: 'https://b.example/i.png' }), [[null, PLAN, BOARD]]],
  [
    'a title that is a person’s address, or a page',
    json([
      { url: A, title: 'ada@acme.example' },
      { url: B, title: B },
    ]),
    [[null, A, B]],
  ],
  ['data without a link', json({ name: 'ada', mail: 'ada@acme.example' }), []],
  [
    'Homepage',
    `- Work:\n    - Plan:\n        - abbr: PL\n          href: ${A}\n    - Board:\n        - icon: jira.png\n          href: ${B}\n          description: What to do\n- Social:\n    - Forum:\n        - href: https://f.example/\n`,
    [
      ['Work', PLAN, BOARD],
      ['Social', link('https://f.example/', 'Forum')],
    ],
  ],
  [
    'Homer',
    `title: "Start"\nservices:\n  - name: "Apps"\n    items:\n      - name: "Plan"\n        logo: "a/b.png"\n        url: "${A}"\n`,
    [['Apps', PLAN]],
  ],
  [
    'Glance',
    `- type: bookmarks\n  groups:\n    - title: Work\n      links:\n        - title: Plan\n          url: ${A}\n        - title: Board\n          url: ${B}`,
    [['Work', PLAN, BOARD]],
  ],
  [
    'aliases of YAML',
    `one: &one\n  title: Plan\n  url: ${A}\nlist:\n  - *one\n  - title: Board\n    url: ${B}\n`,
    [[null, PLAN, BOARD]],
  ],
  ['Excel’s own first line', `sep=;\nurl;title\n${A};Plan\n${B};Board\n`, [[null, PLAN, BOARD]]],
  ['its first line with a tab', `sep=\t\r\ntitle\turl\r\nPlan\t${A}\r\n`, [[null, PLAN]]],
  ['two columns and semicolons', `url;title\n${A};Plan\n${B};Board\n`, [[null, PLAN, BOARD]]],
  [
    'German names of columns',
    `Titel;Adresse;Kommentar\nPlan;${A};"gut; sehr"\nBoard;${B};\n`,
    [[null, link(A, 'Plan\ngut; sehr'), BOARD]],
  ],
  ['French names, with accents', `Catégorie;Lien;Titre\nTech;${A};Plan\nTech;${B};Board\n`, [['Tech', PLAN, BOARD]]],
  ['Spanish names', `Título\tDirección\nPlan\t${A}\nBoard\t${B}\n`, [[null, PLAN, BOARD]]],
  ['names that nobody knows', `Tytuł;Adres strony\nPlan;${A}\nBoard;${B}\n`, [[null, PLAN, BOARD]]],
  ['tabs that a program copied, titles above addresses', `Plan\n${A}\n\nBoard\n${B}\n`, [[null, PLAN, BOARD]]],
  ['the same of a chat: who spoke is no title', `Ben Ode  10:03\n${A}\nAda Lo  10:04\n${B}`, [[null, A, B]]],
  ['one line above one address', `Look at this\n${A}`, [[null, A]]],
  ['settings of a program', `export PLAN_URL=${A}\nBOARD_URL=${B}`, [[null, A, B]]],
  ['a command', `curl -X POST '${A}' -H 'x: y'`, [[null, A]]],
  [
    'a wrapping of mail beside another one',
    `https://urldefense.com/v3/__${A}__;!!abc!def$ https://urldefense.com/v3/__${B}__;!!abc!def$`,
    [[null, A, B]],
  ],
  ['semicolons without names', `${A};Plan\n${B};Board\n`, [[null, PLAN, BOARD]]],
  ['an address with a semicolon', `${A};v=1\n${B}`, [[null, `${A};v=1`, B]]],
  [
    'Instapaper’s tags',
    `URL,Title,Folder,Tags\n${A},Plan,Unread,"[""x"",""y""]"\n${B},Board,Unread,[]\n`,
    [['Unread', link(A, 'Plan', 'x,y'), BOARD]],
  ],
  ['Omnivore’s', `url,state,labels\n${A},SUCCEEDED,"[dev,ops]"\n`, [[null, link(A, '', 'dev,ops')]]],
  [
    'OneTab, with names of sites in titles',
    `${A} | asp.net core – first steps\n${B} | see https://c.example in docs\nhttps://d.example/ | next.js vs. nuxt.com | Blog`,
    [
      [
        null,
        link(A, 'asp.net core – first steps'),
        link(B, 'see https://c.example in docs'),
        link('https://d.example/', 'next.js vs. nuxt.com | Blog'),
      ],
    ],
  ],
  [
    'OneTab, with a suspended tab',
    `chrome-extension://klbi/suspended.html#ttl=Plan&pos=0&uri=${A} | Plan\n${B} | Board`,
    [[null, PLAN, BOARD]],
  ],
  [
    'Markdown with brackets in titles, escaped, in pairs and not',
    `- [\\[APP-12\\] Login fails](${A})\n- [[RFC] Board](${B})\n- [a \\* b](https://c.example/)`,
    [[null, link(A, '[APP-12] Login fails'), link(B, '[RFC] Board'), link('https://c.example/', 'A * b')]],
  ],
  [
    'Markdown with a badge, and with code',
    `- [![build](https://ci.example/badge.svg)](${A})\n- [\`npm i\`](${B})`,
    [[null, link(A, 'Build'), link(B, 'npm i')]],
  ],
  ['org', `* Launch\n- [[${A}][Plan]]\n- [[${B}][Board]]`, [['Launch', PLAN, BOARD]]],
  ['BBCode', `[url=${A}]Plan[/url]\n[url]${B}[/url]`, [[null, PLAN, B]]],
  ['MediaWiki', `* [${A} Plan]\n* [${B} Board]`, [[null, PLAN, BOARD]]],
  ['reStructuredText and AsciiDoc', `\`Plan <${A}>\`_\n${B}[Board]`, [[null, PLAN, BOARD]]],
  ['Textile', `"Plan":${A}\n"Board":${B}.`, [[null, PLAN, BOARD]]],
  ['Slack and Jira', `<${A}|Plan>\n[Board|${B}]`, [[null, PLAN, BOARD]]],
  ['brackets of an address', `https://c.example/?a[b]=1&c[]=2\n${A}`, [[null, 'https://c.example/?a[b]=1&c[]=2', A]]],
  ['HTML within a text', `See <a href="${A}">Plan</a> today\nand <a href="${B}">Board</a>.`, [[null, PLAN, BOARD]]],
  [
    'an ampersand as HTML writes it',
    `https://a.example/?a=1&amp;b=2 Plan\nhttps://b.example/?a=1&#38;b=2`,
    [[null, link('https://a.example/?a=1&b=2', 'Plan'), 'https://b.example/?a=1&b=2']],
  ],
  [
    'Chinese and Japanese punctuation',
    `请看${B}，谢谢\n（${A}）を参照\n「https://d.example/y」`.replaceAll('请看', '看 '),
    [[null, link(B, '看'), link(A, 'を参照'), 'https://d.example/y']],
  ],
  [
    'a shortcut of Windows',
    `[InternetShortcut]\nURL=${A}\nIconFile=https://a.example/favicon.ico\nIconIndex=0\n`,
    [[null, A]],
  ],
  [
    'a shortcut of macOS',
    `<?xml version="1.0"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist><dict><key>URL</key><string>${A}</string></dict></plist>`,
    [[null, A]],
  ],
  [
    'feeds in OPML',
    `<?xml version="1.0"?>\n<opml><body><outline text="Work"><outline text="Plan" xmlUrl="https://a.example/feed.xml" htmlUrl="${A}"/></outline></body></opml>`,
    [['Work', PLAN]],
  ],
  [
    'a sitemap',
    `<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${A}</loc></url></urlset>`,
    [[null, A]],
  ],
]

test.each(CASES)(
  'the links of another program’s file, their titles and tags, and nothing else: %s',
  (_, text, bundles) => {
    const read = readImport(text).bundles.map(({ title, links }) => [
      title,
      ...links.map(({ url, metadata: { note = '', tags = [] } }) => link(url, note, tags.join(','))),
    ])
    expect(read).toEqual(bundles)
  },
)
