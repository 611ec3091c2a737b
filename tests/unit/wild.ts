/** A text as somebody pastes or exports it: what it is, and the links it holds: address, title, and what is said of each. */
export type Wild = readonly [
  what: string,
  text: string,
  ...links: (readonly [url: string, title: string, ...reasons: string[]])[],
]

const [A, B] = ['https://a.example/plan', 'https://b.example/board']
const [PLAN, BOARD] = [
  [A, 'Plan'],
  [B, 'Board'],
] as const
const coded = encodeURIComponent(A)

const wrapped = (what: string, address: string, url = A): Wild => [what, `Plan: ${address}`, [url, 'Plan', 'unwrapped']]

/** Addresses in those of other programs. */
export const WRAPPED: readonly Wild[] = [
  wrapped(
    'Safe Links',
    `https://eur01.safelinks.protection.outlook.com/?url=${coded}&data=05%7C02%7Cada%40acme.example%7C0&sdata=Ab%3D&reserved=0`,
  ),
  wrapped(
    'Safe Links of Teams',
    `https://statics.teams.cdn.office.net/evergreen-assets/safelinks/2/atp-safelinks.html?url=${coded}&locale=en`,
  ),
  wrapped('Google', `https://www.google.com/url?q=${A}&sa=D&source=docs&ust=1767225600000000&usg=AOv`),
  wrapped('Google’s results elsewhere', `https://www.google.co.uk/url?sa=t&rct=j&url=${coded}&usg=x`),
  wrapped('Facebook', `https://l.facebook.com/l.php?u=${coded}%3Ffbclid%3Dx&h=AT0`, `${A}?fbclid=x`),
  wrapped('Facebook on phones', `https://lm.facebook.com/l.php?u=${coded}&h=AT0`),
  wrapped('Instagram', `https://l.instagram.com/?u=${coded}&e=AT0`),
  wrapped('Slack', `https://slack-redir.net/link?url=${coded}&v=3`),
  wrapped('Teams', `https://teams.microsoft.com/dl/launcher?url=${coded}&type=x`),
  wrapped('Reddit', `https://out.reddit.com/t3_1?url=${coded}&token=AQ&app_name=web`),
  wrapped('YouTube', `https://www.youtube.com/redirect?event=video&redir_token=QU&q=${coded}&v=1`),
  wrapped('Tumblr', `https://t.umblr.com/redirect?z=${coded}&t=x`),
  wrapped('SoundCloud', `https://exit.sc/?url=${coded}`),
  wrapped('Steam', `https://steamcommunity.com/linkfilter/?u=${coded}`),
  wrapped('URL Defense 2', 'https://urldefense.proofpoint.com/v2/url?u=https-3A__a.example_plan&d=DwMFaQ&c=x'),
  wrapped('URL Defense 3', `https://urldefense.com/v3/__${A}__;!!AbCd!Ef$`),
  wrapped('URL Defense 3 with one slash', 'https://urldefense.com/v3/__https:/a.example/plan__;!!AbCd!Ef$'),
  wrapped('a reading view', `about:reader?url=${coded}`),
  wrapped('a view of the source', `view-source:${A}`),
  wrapped(
    'one in another',
    `https://eur01.safelinks.protection.outlook.com/?url=${encodeURIComponent(`https://www.google.com/url?q=${coded}&sa=D`)}&data=x`,
  ),
  ['a suspended tab', `chrome-extension://klbi/suspended.html#ttl=Plan&pos=0&uri=${A}`, [A, 'Plan', 'unwrapped']],
  [
    'a suspended tab, whose page has a query',
    `chrome-extension://klbi/suspended.html#ttl=Plan&pos=0&uri=${A}?a=1&b=2#c`,
    [`${A}?a=1&b=2#c`, 'Plan', 'unwrapped'],
  ],
  ['a parked tab', `chrome-extension://fiab/park.html?title=Plan&url=${coded}&tabId=7`, [A, 'Plan', 'unwrapped']],
  ['a document in an extension', `chrome-extension://efai/${A}.pdf Plan`, [`${A}.pdf`, 'Plan', 'unwrapped']],
  [
    'a suspended tab in OneTab',
    `moz-extension://1-2/suspended.html#ttl=x&uri=${A} | Plan\n${B} | Board`,
    [A, 'Plan', 'unwrapped'],
    BOARD,
  ],
  [
    'a bookmark',
    `<DL><DT><A HREF="https://l.facebook.com/l.php?u=${coded}&amp;h=x">Plan</A></DL>`,
    [A, 'Plan', 'unwrapped'],
  ],
  ['a table', `title,url\nPlan,https://www.google.com/url?q=${coded}\n`, [A, 'Plan', 'unwrapped']],
  ['data', `[{"title":"Plan","url":"https://slack-redir.net/link?url=${coded}"}]`, [A, 'Plan', 'unwrapped']],
  ['Markdown', `[Plan](https://out.reddit.com/t3?url=${coded})`, [A, 'Plan', 'unwrapped']],
  [
    'a page of the same site',
    'https://www.google.com/search?q=https://a.example Plan',
    ['https://www.google.com/search?q=https://a.example', 'Plan'],
  ],
  ['an archive', `https://web.archive.org/web/2026/${A} Plan`, [`https://web.archive.org/web/2026/${A}`, 'Plan']],
  [
    'a target that is no web address',
    'https://www.google.com/url?q=javascript:alert(1) Plan',
    ['https://www.google.com/url?q=javascript:alert(1)', 'Plan'],
  ],
  [
    'the same under another host',
    `https://l.facebook.com.evil.example/l.php?u=${coded} Plan`,
    [`https://l.facebook.com.evil.example/l.php?u=${coded}`, 'Plan'],
  ],
]

/** Messages, with who wrote them and when. */
const chat = (what: string, before: string): Wild => [
  `a message: ${what}`,
  `${before}Board plan ${A}`,
  [A, 'Board plan'],
]

export const CHATS: readonly Wild[] = [
  ...(
    [
      ['time, name', '10:03 Ben Ode: '],
      ['time with AM, name', '10:03 AM Ben Ode: '],
      ['time, first name', '10:03 Ben: '],
      ['name, time', 'Ben Ode, 10:03: '],
      ['name, time, without a colon', 'Ben Ode, 10:03 '],
      ['name and time apart', 'Ben Ode  10:03 '],
      ['name and time, tab', 'Ben Ode\t10:03\t'],
      ['bracketed time', '[10:03] Ben: '],
      ['bracketed time, full name', '[10:03 PM] Ben Ode: '],
      ['a name of three words', '10:03 Ben van der Ode: '],
      ['family name first', 'Ode, Ben, 10:03: '],
      ['a guest', 'Ben Ode (Guest), 10:03: '],
      ['a day', 'Ben Ode, Yesterday 10:03 AM: '],
      ['a weekday', 'Ben Ode, Thu 10:03 AM: '],
      ['Discord', 'Ben Ode — Today at 10:03 AM '],
      ['Discord with a date', 'Ben — 12/03/2026 10:03 '],
      ['Telegram', 'Ben Ode, [12.03.26 10:03] '],
      ['Telegram in words', 'Ben Ode, [12 Mar 2026 at 10:03:22]: '],
      ['an export of Discord', '[12-Mar-26 10:03 AM] ben#1234: '],
      ['WhatsApp, iPhone', '[12/03/2026, 10:03:11] ~ Ben Ode: '],
      ['WhatsApp, Spanish', '12/3/26, 10:03 p. m. - Ben Ode: '],
      ['WhatsApp, German', '12.03.26, 10:03 - Ben Ode: '],
      ['Teams with a date', 'Ben Ode 3/12 10:03 AM '],
      ['Zoom', '10:03:22 From Ben Ode to Everyone: '],
      ['IRC', '10:03 <@ben> '],
      ['French hours', 'Ben Ode, 10h03: '],
      ['German hours', 'Ben Ode, 10:03 Uhr: '],
      ['quoted', '> [10:03] Ben: '],
      ['quoted twice', '>> Ben Ode, 10:03: '],
      ['a bullet', '- '],
      ['a box', '- [ ] '],
      ['a ticked box', '* [x] '],
      ['a box of its own', '☐ '],
      ['a ticked one', '✅ '],
      ['a number', '3) '],
      ['a letter', 'b) '],
      ['a number in brackets', '[3] '],
      ['two marks', '• ☑ '],
    ] as const
  ).map(([what, before]) => chat(what, before)),
  ['a name alone before the link', `10:03 Ben Ode: ${A}`, [A, '']],
  ['the same in brackets', `[10:03] Ben Ode ${A}`, [A, '']],
  ['an agenda', `10:00 Standup: ${A}`, [A, '10:00 Standup']],
  ['a line that only says who and when', `Ben Ode  10:03\n${A}\nAda, 10:04\n${B}`, [A, ''], [B, '']],
  ['who and when before a list', `10:03 Ben Ode:\n${A}`, [A, '']],
]

/** Notations of documents. */
export const NOTATED: readonly Wild[] = [
  ['an image of Markdown', `![chart](https://img.example/c.png)\n[Plan](${A})`, PLAN],
  ['an image beside a link', `![chart](https://img.example/c.png) [Plan](${A})`, PLAN],
  ['an image in a link', `[![Plan](https://img.example/c.png)](${A})`, PLAN],
  ['an image of HTML in a text', `The <img src="https://img.example/c.png"> Plan: ${A}`, [A, 'The Plan']],
  ['an image in a link of HTML', `See: <a href="${A}"><img src="https://img.example/c.png" alt="Plan"></a>`, PLAN],
  ['an image of BBCode', `[img]https://img.example/c.png[/img] [url=${A}]Plan[/url]`, PLAN],
  ['an image of reStructuredText', `.. image:: https://img.example/c.png\n\`Plan <${A}>\`__`, PLAN],
  ['an image of AsciiDoc', `image::https://img.example/c.png[chart]\n${A}[Plan]`, PLAN],
  ['brackets around an address with spaces', '[a (b)](<https://a.example/x y>)', ['https://a.example/x%20y', 'A (b)']],
  ['code in a title', `[\`npm i\` today](${A})`, [A, 'npm i today']],
  ['bold in a title', `[**Plan**](${A}) and [_Board_](${B})`, PLAN, BOARD],
  ['bold around a link', `**[Plan](${A})**`, PLAN],
  ['bold around a title', `**Plan**: ${A}`, PLAN],
  ['brackets in a title', `[\\[APP-12\\] Login](${A})`, [A, '[APP-12] Login']],
  ['a name in single quotes', `[Plan](${A} 'hover')`, PLAN],
  ['references', `[Plan][1]\n[Board][2]\n\n[1]: ${A} "The plan"\n[2]: ${B}`, PLAN, BOARD],
  ['references by their title', `[Plan][]\n[Board]\n\n[plan]: ${A}\n[board]: <${B}>`, PLAN, BOARD],
  [
    'references in a sentence',
    `Read [the plan][p] and [Board][b].\n[p]: ${A}\n[b]: ${B} (hover)`,
    [A, 'The plan'],
    BOARD,
  ],
  ['definitions that nothing refers to', `[Plan]: ${A}\n[2]: ${B} "Board"`, PLAN, BOARD],
  ['footnotes', `The plan[^1].\n\n[^1]: ${A}`, [A, '']],
  ['targets of reStructuredText', `See \`Plan\`_.\n\n.. _Plan: ${A}`, PLAN],
  ['a heading that is a link', `## [Plan](${A})\n- [Board](${B})`, PLAN, BOARD],
  ['BBCode with bold', `[url="${A}"][b]Plan[/b][/url]`, PLAN],
  ['DokuWiki', `[[${A}|Plan]]`, PLAN],
  ['Slack within bold', `*<${A}|Plan>*`, PLAN],
  ['Jira with a hint', `[Plan|${A}|smart-link]`, PLAN],
  ['AsciiDoc’s macro', `link:${A}[Plan]`, PLAN],
  ['tags around the title of an anchor', `See <a class="x" href="${A}"><b>Plan</b></a> today`, PLAN],
  ['markup without an anchor', `<b>Plan</b>: ${A}`, PLAN],
  ['an ampersand of HTML', `Plan &amp; budget ${A}`, [A, 'Plan & budget']],
  ['a kind of document', `Plan <!DOCTYPE html PUBLIC "x" "http://www.w3.org/TR/html4/strict.dtd"> ${A}`, PLAN],
  ['a schema', `Plan xmlns="http://www.w3.org/1999/xhtml" ${A}`, PLAN],
]

/** Titles that have signs of notations, and are titles. */
export const TITLES: readonly Wild[] = [
  ['brackets after a colon', `Re: [EXT] Plan ${A}`, [A, 'Re: [EXT] Plan']],
  ['a blank', `{customer} page ${A}`, [A, '{customer} page']],
  ['a path', `C:\\Users\\ada plan ${A}`, [A, 'C:\\Users\\ada plan']],
  ['a quotation', `Title: "Plan" ${A}`, [A, 'Title: "Plan"']],
  ['signs of mathematics', `f(x) = y < 5 ${A}`, [A, 'f(x) = y < 5']],
]

/** Mails. */
export const MAILS: readonly Wild[] = [
  [
    'an address broken in brackets',
    '<https://a.example/teams/launch/2026/the-very-long-plan\n-for-the-launch>',
    ['https://a.example/teams/launch/2026/the-very-long-plan-for-the-launch', '', 'joined'],
  ],
  [
    'one broken twice',
    'Plan: <https://a.example/teams/launch/2026/\nthe-very-long-plan/for\n-the-launch> today',
    ['https://a.example/teams/launch/2026/the-very-long-plan/for-the-launch', 'Plan', 'joined'],
  ],
  [
    'one broken in a quotation',
    '> <https://a.example/teams/launch/2026/the-\n> plan>',
    ['https://a.example/teams/launch/2026/the-plan', '', 'joined'],
  ],
  [
    'one broken behind a dash',
    'https://b.example/boards/teams/launch/2026/the-very-\nlong-board?view=week',
    ['https://b.example/boards/teams/launch/2026/the-very-long-board?view=week', '', 'joined'],
  ],
  [
    'one broken behind a slash',
    'https://b.example/boards/teams/launch/documents/quarter-four/\nthe-board?view=week',
    ['https://b.example/boards/teams/launch/documents/quarter-four/the-board?view=week', '', 'joined'],
  ],
  [
    'a list of addresses that end in slashes',
    'https://a.example/boards/teams/launch/documents/quarter-four/\nhttps://b.example/\nc.example/x',
    ['https://a.example/boards/teams/launch/documents/quarter-four/', ''],
    ['https://b.example/', ''],
    ['https://c.example/x', ''],
  ],
  [
    'words below an address',
    'https://a.example/boards/teams/launch/documents/quarter-four/\nThanks',
    ['https://a.example/boards/teams/launch/documents/quarter-four/', ''],
  ],
  ['what a mail’s source writes', `Plan: ${A}?id=3D1&am=\np;b=3D2 f=C3=BCr\n`, [`${A}?id=1&b=2`, 'Plan']],
  ['signs of a query as mails write them', `Plan: ${A}?id=3D1&b=3D2`, [`${A}?id=1&b=2`, 'Plan', 'mended']],
  ['one of these alone', `Plan: ${A}?view=3D`, [`${A}?view=3D`, 'Plan']],
  ['somebody’s address', `Ada Lovelace <ada@acme.example>: ${A}`, [A, 'Ada Lovelace']],
  ['somebody’s address alone', `ada@acme.example ${A}`, [A, '']],
]

/** What is typed or copied a little wrong. */
export const MISTYPED: readonly Wild[] = [
  ['two schemes', 'https://https://a.example/plan', [A, '', 'mended']],
  ['two different ones', 'http://https://a.example/plan', [A, '', 'mended']],
  ['two, one without its colon', 'http://http//a.example/plan', ['http://a.example/plan', '', 'mended']],
  ['three slashes', 'https:///a.example/plan', [A, '', 'mended']],
  ['no colon', 'https//a.example/plan', [A, '', 'mended']],
  ['two glued by a comma', `${A},${B}`, [A, ''], [B, '']],
  ['two glued by a semicolon', `${A};${B}`, [A, ''], [B, '']],
  ['two glued', `${A}${B}`, [A, '', 'guessed'], [B, '']],
  ['a list within a query', `https://c.example/?urls=${A},${B}`, [`https://c.example/?urls=${A},${B}`, '']],
  ['a place that is not there', 'hxxps://d[.]example/x\nttps://e.example/'],
  ['an escaped underscore', 'https://a.example/the\\_plan', ['https://a.example/the_plan', '']],
  ['HTML that is shown', `&lt;a href=&quot;${A}&quot;&gt;Plan&lt;/a&gt;`, PLAN],
  ['HTML that is shown in part', `href=&quot;${A}&quot;`, [A, '']],
  [
    'a folder with spaces',
    'Budget: https://acme.sharepoint.com/sites/launch/Shared Documents/Budget 2026.xlsx',
    ['https://acme.sharepoint.com/sites/launch/Shared%20Documents/Budget%202026.xlsx', 'Budget', 'joined'],
  ],
  [
    'a file with spaces',
    'https://acme-my.sharepoint.com/personal/ada/Documents/Plan of 2026.docx today',
    ['https://acme-my.sharepoint.com/personal/ada/Documents/Plan%20of%202026.docx', 'Today', 'joined'],
  ],
  ['a file beside an address', 'https://b.example/plan Budget.xlsx', ['https://b.example/plan', 'Budget.xlsx']],
  ['a keyword', 'https://w.example/search?q=%s Wiki', ['https://w.example/search?q=%s', 'Wiki', 'keyword']],
  ['an encoded sign', 'https://w.example/?q=%20s Wiki', ['https://w.example/?q=%20s', 'Wiki']],
  ['punycode', 'пример.xn--p1ai', ['https://пример.xn--p1ai', '']],
  ['punycode in a sentence', 'see xn--e1afmkfd.xn--p1ai/x', ['https://xn--e1afmkfd.xn--p1ai/x', '']],
]

/** Where an address ends. */
export const ENDS: readonly Wild[] = [
  ...(
    [
      ['_', '_'],
      ['**', '**'],
      ['~~', '~~'],
      ['`', '`'],
      ['"', '"'],
      ['(', ').'],
      ['[', ']'],
      ['“', '”'],
      ['«', '»'],
      ['=', '='],
      ['‚', '‘'],
      ['（', '）'],
      ['【', '】'],
      ['《', '》'],
      ["'", "',"],
      ['\\url{', '}'],
      ['(see ', ')'],
      ['', '、'],
      ['', '！'],
      ['', ' …'],
    ] as const
  ).map(
    ([before, after]): Wild => [
      `between ${before} and ${after}`,
      `${before}https://c.example/it${after}`,
      ['https://c.example/it', ''],
    ],
  ),
  ['brackets of its own', 'https://a.example/Plan_(drawing)', ['https://a.example/Plan_(drawing)', '']],
  ['underscores of its own', 'https://a.example/_plan_', ['https://a.example/_plan_', '']],
  ['a tilde of its own', 'https://a.example/~ada', ['https://a.example/~ada', '']],
  ['brackets in a query', 'https://a.example/?f[a][b]=1', ['https://a.example/?f[a][b]=1', '']],
  ['cut off by a chat', 'https://a.example/a…', ['https://a.example/a', '', 'cut']],
  ['cut off with dots', 'https://a.example/long/pa...', ['https://a.example/long/pa', '', 'cut']],
  ['Japanese after it', `${A}です`, [A, 'です', 'guessed']],
  ['Korean after it', `${A}입니다`, [A, '입니다', 'guessed']],
  ['Chinese after it, which may be its own', `${A}谢谢`, [`${A}谢谢`, '', 'guessed']],
  ['a path of its own script', 'https://ja.example/wiki/東京', ['https://ja.example/wiki/東京', '']],
  ['Chinese punctuation after it', `${A}，谢谢`, [A, '谢谢']],
]

/** Files of other programs. */
export const FILES: readonly Wild[] = [
  ['a header with bars', `url|title\n${A}|Plan\n${B}|Board\n`, PLAN, BOARD],
  ['a header with bars and spaces', `Title | Link | Tags\nPlan | ${A} | x\nBoard | ${B} | y\n`, PLAN, BOARD],
  [
    'private bookmarks',
    `<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="${A}" PRIVATE="1">Plan</A><DT><A HREF="${B}" PRIVATE="0">Board</A></DL>`,
    [A, 'Plan', 'private'],
    BOARD,
  ],
  [
    'XBEL',
    `<?xml version="1.0"?>\n<!DOCTYPE xbel PUBLIC "+//IDN" "http://pyxml.example/xbel.dtd">\n<xbel><title>All</title><folder><title>Work</title><bookmark href="${A}"><title>Plan</title><desc>first</desc></bookmark></folder><bookmark href="${B}"><title>Board</title></bookmark></xbel>`,
    [B, 'Board'],
    [A, 'Plan\nfirst'],
  ],
  [
    'OPML with folders',
    `<?xml version="1.0"?><opml><body><outline text="Work"><outline text="Plan" xmlUrl="x" htmlUrl="${A}"/></outline><outline text="Board" url="${B}"/></body></opml>`,
    BOARD,
    PLAN,
  ],
  [
    'a feed',
    `<?xml version="1.0"?><rss><channel><title>News</title><link>https://news.example/</link><item><title><![CDATA[Plan]]></title><link>${A}</link></item><item><title>Board</title><link>${B}</link></item></channel></rss>`,
    PLAN,
    BOARD,
  ],
  [
    'a feed of Atom',
    `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><link href="https://news.example/"/><entry><title>Plan</title><link rel="alternate" href="${A}"/></entry></feed>`,
    PLAN,
  ],
  [
    'a page with a kind and schemas',
    `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0" "http://www.w3.org/TR/xhtml1/DTD/x.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><link href="https://c.example/x.css"><h2>Work</h2><p><a href="${A}">Plan</a></p></html>`,
    PLAN,
  ],
  ['a shortcut of Linux', `[Desktop Entry]\nType=Link\nName=Plan\nURL=${A}\nIcon=text-html\n`, PLAN],
  ['JSON that is cut off', `{"items":[{"title":"Plan","url":"${A}","note":"x"},{"ti`, [A, '']],
]
