/** A paste: where it comes from, its text, and the list it becomes: its title, and its links with their titles. */
type Paste = [from: string, text: string, title: string | null, links: [url: string, title: string][]]

/** What people paste, made by hand in the forms of the programs they copy it from. */
export const PASTES: Paste[] = [
  [
    'Slack, the issue’s own',
    '[10:02] Ada: morning! agenda is here https://docs.example/agenda, please read',
    null,
    [['https://docs.example/agenda', 'Agenda']],
  ],
  [
    'Slack, 12-hour clock',
    '[10:02 AM] Ada Lovelace: hey team, the Q3 roadmap is here: https://roadmap.example/q3 thanks!',
    null,
    [['https://roadmap.example/q3', 'The Q3 roadmap']],
  ],
  [
    'Slack, copied from its window',
    'Ada Lovelace\n  10:02 AM\nhere’s the retro board https://board.example/retro\n10:03\nand the notes https://notes.example/1',
    null,
    [
      ['https://board.example/retro', 'Retro board'],
      ['https://notes.example/1', 'The notes'],
    ],
  ],
  ['Slack, its own markup', '<https://a.example/plan|Launch plan>', null, [['https://a.example/plan', 'Launch plan']]],
  [
    'Slack, name in angle brackets',
    '[09:15] <grace> fyi deploy dashboard https://status.example/d',
    null,
    [['https://status.example/d', 'Deploy dashboard']],
  ],
  [
    'Slack, a plea alone',
    '[11:40] Grace: please review by Friday https://pr.example/12',
    null,
    [['https://pr.example/12', '']],
  ],
  [
    'Slack, can you',
    '[11:41] Grace Hopper: can you please check out the budget sheet https://sheet.example/b ?',
    null,
    [['https://sheet.example/b', 'Budget sheet']],
  ],
  [
    'Slack, brackets of a title and of a link',
    'Ada, 10:05: budget (draft!!) https://sheet.example/b and (final) numbers https://sheet.example/c (more: https://sheet.example/d)',
    null,
    [
      ['https://sheet.example/b', 'Budget (draft!!)'],
      ['https://sheet.example/c', '(final) numbers'],
      ['https://sheet.example/d', 'More'],
    ],
  ],
  ['Slack, greeting without a title', 'hi all https://a.example/x', null, [['https://a.example/x', '']]],
  [
    'Slack, two links with text',
    '[14:00] Ada: board https://board.example and docs https://docs.example',
    null,
    [
      ['https://board.example', 'Board'],
      ['https://docs.example', 'Docs'],
    ],
  ],
  [
    'Slack, a bare domain beside a link',
    'https://a.example/one and b.example',
    null,
    [
      ['https://a.example/one', ''],
      ['https://b.example', ''],
    ],
  ],
  [
    'Teams, name and time',
    'Ada Lovelace, 10:02 AM: sprint goals https://goals.example/s12',
    null,
    [['https://goals.example/s12', 'Sprint goals']],
  ],
  [
    'Teams, name and bracketed time',
    'Grace Hopper [14:31] Design review: https://figma.example/file/1',
    null,
    [['https://figma.example/file/1', 'Design review']],
  ],
  [
    'Teams, heading of its own',
    '[Monday 14:31] Grace Hopper\nHi everyone, minutes are here: https://minutes.example/7',
    null,
    [['https://minutes.example/7', 'Minutes']],
  ],
  [
    'Teams, date and time',
    '[12/03/2026 10:02] Ada Lovelace: Onboarding checklist – https://start.example/list',
    null,
    [['https://start.example/list', 'Onboarding checklist']],
  ],
  [
    'Teams, thanks after the link',
    'Ada, 10:02: https://form.example/lunch lunch survey, please fill in, thanks in advance!',
    null,
    [['https://form.example/lunch', 'Lunch survey']],
  ],
  ['Teams, no title', 'Ada Lovelace, 09:58 https://meet.example/abc', null, [['https://meet.example/abc', '']]],
  [
    'Teams, question',
    '[10:05] Alan Turing: could you all have a look at the migration plan? https://plan.example/m',
    null,
    [['https://plan.example/m', 'Migration plan?']],
  ],
  [
    'WhatsApp, iPhone',
    '[12/03/2026, 10:02:11] Ada: Villa for July https://stay.example/villa',
    null,
    [['https://stay.example/villa', 'Villa for July']],
  ],
  [
    'WhatsApp, iPhone with marks',
    '\u200e[12/03/26, 10:02:11\u202fPM] ~ Ada: \u200eFerry times https://ferry.example/t',
    null,
    [['https://ferry.example/t', 'Ferry times']],
  ],
  [
    'WhatsApp, Android',
    '12/03/2026, 10:02 - Ada Lovelace: Restaurant: https://food.example/r',
    null,
    [['https://food.example/r', 'Restaurant']],
  ],
  [
    'WhatsApp, Android, 12-hour clock',
    '3/12/26, 10:02 PM - +1 555 0100: hey!! tickets are here 👉 https://tickets.example/9',
    null,
    [['https://tickets.example/9', 'Tickets']],
  ],
  [
    'WhatsApp, German date',
    '12.03.26, 10:02 - Jörg: Packliste https://packen.example/liste',
    null,
    [['https://packen.example/liste', 'Packliste']],
  ],
  [
    'WhatsApp, a list under a message',
    '[12/03/2026, 10:02] Ada: Ideas for Saturday:\nhttps://zoo.example\nhttps://museum.example/tickets',
    'Ideas for Saturday',
    [
      ['https://zoo.example', ''],
      ['https://museum.example/tickets', ''],
    ],
  ],
  [
    'WhatsApp, forwarded with two links',
    '[12/03/2026, 10:02] Ada: Hotel https://hotel.example/1, flights https://fly.example/2 pls book today',
    null,
    [
      ['https://hotel.example/1', 'Hotel'],
      ['https://fly.example/2', 'Flights'],
    ],
  ],
  [
    'Telegram',
    '[12.03.26 10:02] Ada Lovelace: Reading list https://read.example/l',
    null,
    [['https://read.example/l', 'Reading list']],
  ],
  [
    'Telegram, name first',
    'Ada Lovelace, [12.03.26 10:02]\nhttps://read.example/l',
    null,
    [['https://read.example/l', '']],
  ],
  [
    'Gmail, plain',
    'Hi Grace,\n\nPlease find the contract here: https://sign.example/c1.\n\nThanks,\nAda',
    null,
    [['https://sign.example/c1', 'Contract']],
  ],
  [
    'Gmail, a quotation',
    'On Thu, Mar 12, 2026 at 10:02 AM Ada <ada@a.example> wrote:\n> Here is the deck: https://deck.example/1\n> b.example',
    null,
    [
      ['https://deck.example/1', 'Deck'],
      ['https://b.example', ''],
    ],
  ],
  ['Gmail, quoted twice', '>> Budget: https://sheet.example/2026', null, [['https://sheet.example/2026', 'Budget']]],
  [
    'Gmail, links in angle brackets',
    'Our handbook <https://book.example/>, and the policy <https://policy.example/p>.',
    null,
    [
      ['https://book.example/', 'Our handbook'],
      ['https://policy.example/p', 'The policy'],
    ],
  ],
  [
    'Gmail, a list with an introduction',
    'Hi all, here are the links for Monday:\n- Agenda: https://agenda.example\n- Room: https://room.example/4',
    'Links for Monday',
    [
      ['https://agenda.example', 'Agenda'],
      ['https://room.example/4', 'Room'],
    ],
  ],
  [
    'Gmail, signature with a bare site',
    'Agenda https://agenda.example/1\nAda Lovelace | www.lovelace.example',
    null,
    [
      ['https://agenda.example/1', 'Agenda'],
      ['https://www.lovelace.example', 'Ada Lovelace'],
    ],
  ],
  [
    'Notion, Markdown',
    '# Launch\n- [Plan](https://notion.example/plan)\n- [ ] [Budget](https://notion.example/budget)',
    'Launch',
    [
      ['https://notion.example/plan', 'Plan'],
      ['https://notion.example/budget', 'Budget'],
    ],
  ],
  [
    'Notion, toggled list',
    '## Week 1\n- Read https://a.example/1\n## Week 2\n- Write https://b.example/2',
    null,
    [
      ['https://a.example/1', 'Read'],
      ['https://b.example/2', 'Write'],
    ],
  ],
  [
    'Notion, a mention of a file',
    'report.pdf https://files.example/r',
    null,
    [['https://files.example/r', 'report.pdf']],
  ],
  [
    'Jira, wiki link',
    '[Login fails on Safari|https://jira.example/browse/APP-12]',
    null,
    [['https://jira.example/browse/APP-12', 'Login fails on Safari']],
  ],
  [
    'Jira, key and summary',
    'APP-12 Login fails on Safari https://jira.example/browse/APP-12',
    null,
    [['https://jira.example/browse/APP-12', 'APP-12 Login fails on Safari']],
  ],
  [
    'Jira, two keys',
    'APP-12: https://jira.example/browse/APP-12, APP-13: https://jira.example/browse/APP-13',
    null,
    [
      ['https://jira.example/browse/APP-12', 'APP-12'],
      ['https://jira.example/browse/APP-13', 'APP-13'],
    ],
  ],
  [
    'Jira, a table',
    '| Key | Link |\n|---|---|\n| APP-1 | https://jira.example/browse/APP-1 |\n| APP-2 | https://jira.example/browse/APP-2 |',
    null,
    [
      ['https://jira.example/browse/APP-1', 'APP-1'],
      ['https://jira.example/browse/APP-2', 'APP-2'],
    ],
  ],
  [
    'OneTab',
    'https://a.example/ | Please read me\nhttps://b.example/ | Hello, World',
    null,
    [
      ['https://a.example/', 'Please read me'],
      ['https://b.example/', 'Hello, World'],
    ],
  ],
  [
    'OneTab, two groups',
    'https://a.example/ | One\n\nhttps://b.example/ | Two',
    null,
    [
      ['https://a.example/', 'One'],
      ['https://b.example/', 'Two'],
    ],
  ],
  [
    'CSV',
    'title,url\n"Hi, all",https://a.example/\nPlease read,https://b.example/',
    null,
    [
      ['https://a.example/', 'Hi, all'],
      ['https://b.example/', 'Please read'],
    ],
  ],
  [
    'CSV with semicolons',
    'url;title\nhttps://a.example/;Eins\nhttps://b.example/;Zwei',
    null,
    [
      ['https://a.example/', 'Eins'],
      ['https://b.example/', 'Zwei'],
    ],
  ],
  [
    'a spreadsheet’s cells',
    'Name\tLink\nDocs\thttps://a.example/\nBoard\thttps://b.example/',
    null,
    [
      ['https://a.example/', 'Docs'],
      ['https://b.example/', 'Board'],
    ],
  ],
  [
    'Markdown, text around a link',
    'Start with [the guide](https://guide.example/), then https://tour.example/.',
    null,
    [
      ['https://guide.example/', 'The guide'],
      ['https://tour.example/', ''],
    ],
  ],
  [
    'Markdown, numbered',
    '1. [One](https://a.example/1)\n2. Two: https://b.example/2',
    null,
    [
      ['https://a.example/1', 'One'],
      ['https://b.example/2', 'Two'],
    ],
  ],
  [
    'Markdown, bold introduction',
    '**Reading for Thursday:**\n* https://a.example/\n* b.example/x',
    'Reading for Thursday',
    [
      ['https://a.example/', ''],
      ['https://b.example/x', ''],
    ],
  ],
  [
    'right-to-left, Hebrew',
    'לוח המשימות https://board.example/he',
    null,
    [['https://board.example/he', 'לוח המשימות']],
  ],
  [
    'right-to-left, Hebrew from WhatsApp',
    '\u200f[12.3.2026, 10:02:11] נועה: סדר היום https://docs.example/he',
    null,
    [['https://docs.example/he', 'סדר היום']],
  ],
  [
    'right-to-left, Arabic',
    'جدول الأعمال: https://docs.example/ar، الملاحظات: https://notes.example/ar',
    null,
    [
      ['https://docs.example/ar', 'جدول الأعمال'],
      ['https://notes.example/ar', 'الملاحظات'],
    ],
  ],
  [
    'right-to-left, embedded address',
    '\u202bמסמך \u202ahttps://a.example/doc\u202c\u202c',
    null,
    [['https://a.example/doc', 'מסמך']],
  ],
  [
    'five links in a line, alone',
    'https://a.example https://b.example https://c.example https://d.example https://e.example',
    null,
    [
      ['https://a.example', ''],
      ['https://b.example', ''],
      ['https://c.example', ''],
      ['https://d.example', ''],
      ['https://e.example', ''],
    ],
  ],
  [
    'five links in a line, one title',
    'Links for Monday: https://a.example https://b.example https://c.example https://d.example https://e.example',
    null,
    [
      ['https://a.example', 'Links for Monday'],
      ['https://b.example', 'Links for Monday'],
      ['https://c.example', 'Links for Monday'],
      ['https://d.example', 'Links for Monday'],
      ['https://e.example', 'Links for Monday'],
    ],
  ],
  [
    'five links in a line, each with its title',
    'One https://a.example, two https://b.example, three https://c.example, four https://d.example and five https://e.example',
    null,
    [
      ['https://a.example', 'One'],
      ['https://b.example', 'Two'],
      ['https://c.example', 'Three'],
      ['https://d.example', 'Four'],
      ['https://e.example', 'Five'],
    ],
  ],
  [
    'titles after the links',
    'https://a.example/1 first draft, https://b.example/2 second draft',
    null,
    [
      ['https://a.example/1', 'First draft'],
      ['https://b.example/2', 'Second draft'],
    ],
  ],
  [
    'three forms in a line',
    '[Plan](https://a.example/), www.b.example and https://c.example/x',
    null,
    [
      ['https://a.example/', 'Plan'],
      ['https://www.b.example', ''],
      ['https://c.example/x', ''],
    ],
  ],
  [
    'a site that is only named',
    'amazon.example order https://amazon.example/orders/1',
    null,
    [['https://amazon.example/orders/1', 'amazon.example order']],
  ],
  [
    'a program that looks like a domain',
    'Node.js guide https://guide.example/node',
    null,
    [['https://guide.example/node', 'Node.js guide']],
  ],
  [
    'greeting words that begin titles',
    'Morning routine https://a.example/r\nHello World https://b.example/h\nPlease Please Me https://c.example/m\nSeeds https://d.example/s',
    null,
    [
      ['https://a.example/r', 'Morning routine'],
      ['https://b.example/h', 'Hello World'],
      ['https://c.example/m', 'Please Please Me'],
      ['https://d.example/s', 'Seeds'],
    ],
  ],
  [
    'an agenda with times',
    '10:00 Standup: https://meet.example/1\n11:30 Demo: https://meet.example/2',
    null,
    [
      ['https://meet.example/1', '10:00 Standup'],
      ['https://meet.example/2', '11:30 Demo'],
    ],
  ],
  [
    'a title that points',
    'The recording is at https://rec.example/1',
    null,
    [['https://rec.example/1', 'The recording']],
  ],
  [
    'this-is and also',
    'also check out our status page: https://status.example/',
    null,
    [['https://status.example/', 'Status page']],
  ],
]
