import { expect, test } from 'bun:test'
import { readImport, readList, readSections } from '../../src/imports/import.ts'

/** A text, and what it becomes: its title, and a row for each link: its host, its title and its section. */
function shortOf(text: string) {
  const { title, links } = readList(text)
  const rows = links.map(({ url, metadata: { note = '', section = '' } }) => {
    return [new URL(url).host.replace('.example', ''), note, section].join(' ').trimEnd()
  })
  return [title, ...rows]
}

const [A, B, C] = ['https://a.example/1', 'https://b.example/2', 'https://c.example/3']

test.each([
  ['between links', `Week 1\n${A}\n${B}\nWeek 2\n${C}`, [null, 'a  Week 1', 'b  Week 1', 'c  Week 2']],
  ['with colons', `Week 1:\n${A}\n${B}\nWeek 2:\n${C}\n`, [null, 'a  Week 1', 'b  Week 1', 'c  Week 2']],
  ['below a title', `Launch\n\nWeek 1\n${A}\n\nWeek 2\n${B}\n${C}`, ['Launch', 'a  Week 1', 'b  Week 2', 'c  Week 2']],
  ['below links without one', `${A}\n${B}\nLater\n${C}`, [null, 'a', 'b', 'c  Later']],
  [
    'of a nested list',
    `- Week 1\n  - ${A}\n  - ${B}\n- Week 2\n  - ${C}`,
    [null, 'a  Week 1', 'b  Week 1', 'c  Week 2'],
  ],
  ['in bold', `**Design**\nplan ${A}\n${B}\n**Code**\n${C}`, [null, 'a Plan Design', 'b  Design', 'c  Code']],
  ['in small letters, apart', `week 1\n${A}\n${B}\n\nweek 2\n${C}`, [null, 'a  Week 1', 'b  Week 1', 'c  Week 2']],
  ['in another script', `יום ראשון\n${A}\n${B}\nיום שני\n${C}`, [null, 'a  יום ראשון', 'b  יום ראשון', 'c  יום שני']],
] as const)('plain headings are sections: %s', (_, text, expected) => {
  expect(shortOf(text)).toEqual([...expected])
})

test.each([
  ['one line above links', `Onboarding week\n${A}\n${B}`, ['Onboarding week', 'a', 'b']],
  ['above one link', `groceries\n${A}`, ['Groceries', 'a']],
  ['above a sentence', `Onboarding\nEverything for your first days.\n${A}`, ['Onboarding', 'a']],
  [
    'above titles and their addresses',
    `Tabs of Monday\nPlan\n${A}\nBoard\n${B}`,
    ['Tabs of Monday', 'a Plan', 'b Board'],
  ],
] as const)('a plain first line is the title: %s', (_, text, expected) => {
  expect(shortOf(text)).toEqual([...expected])
})

test.each([
  ['a greeting', `Hi all\n${A}\n${B}\n${C}`],
  ['a request', `Look at these\n${A}\n${B}\n${C}`],
  ['a sentence', `I found these yesterday.\n${A}\n${B}\n${C}`],
  ['who wrote a message', `Ada Lovelace\n10:02\n${A}\nBen Ode\n10:05\n${B}\n${C}`],
  ['heads of a mail', `Subject: Links\n\n${A}\n${B}\n${C}`],
  ['a word in passing', `${A}\nnothing\n${B}\n${C}`],
  ['a line of a program', `LINKS=three\n${A}\n${B}\n${C}`],
  ['a long line', `${'word '.repeat(12)}\n${A}\n${B}\n${C}`],
])('other lines between links are no headings: %s', (_, text) => {
  expect(shortOf(text)).toEqual([null, 'a', 'b', 'c'])
})

test('plain headings make a bundle each where bundles are made, as other headings do', () => {
  const { format, bundles } = readImport(`Week 1\n${A}\n${B}\nWeek 2\n${C}`)
  expect([format, bundles.map(({ title, links }) => [title, links.length])]).toEqual([
    'headings',
    [
      ['Week 1', 2],
      ['Week 2', 1],
    ],
  ])
})

test.each([
  ['brackets', `grafana ${A} (password in 1Password)`, ['Grafana']],
  ['words', `Plan: ${A} today`, ['Plan']],
  ['a comma', `Notes ${A}, not here`, ['Notes']],
  ['the last of several', `Plan ${A}, board ${B} (final)`, ['Plan', 'Board']],
  ['words, where no others are', `${A} plan, today`, ['Plan, today']],
])('text after a link never joins the text before it: %s', (_, text, titles) => {
  expect(readList(text).links.map(({ metadata }) => metadata.note)).toEqual(titles)
})

test('a command before an address is no title', () => {
  const commands = ['git clone', 'curl -L', '$ git clone --depth 1', 'curl', 'sudo wget -q', 'npm install', 'npx -y']
  for (const command of commands) expect([command, ...shortOf(`${command} ${A}`)]).toEqual([command, null, 'a'])
  expect(shortOf(`wget -qO- ${A} | sh`)).toEqual([null, 'a'])
  expect(shortOf(`git hooks ${A}\nCurl manual ${B}`)).toEqual([null, 'a git hooks', 'b Curl manual'])
})

test('every title of a text begins with a capital, but names keep their letters', () => {
  const titled = (title: string) => readList(`${title} ${A}`).links[0]?.metadata.note
  expect(['grafana', 'q3 plan', 'the board', 'élan'].map(titled)).toEqual(['Grafana', 'Q3 plan', 'The board', 'Élan'])
  for (const name of ['iOS', 'report.pdf', 'eBay deals', 'npm scripts', '10:00 standup', '日程'])
    expect(titled(name)).toBe(name)
  // Fields of files are as their owner wrote them.
  expect(readList(`url,title\n${A},grafana\n`).links[0]?.metadata.note).toBe('grafana')
})

test('the parts of a list too long for one bundle are named by their sections, not “Untitled”', () => {
  const folder = (name: string, links: number) =>
    `<DT><H3>${name}</H3><DL>${Array.from({ length: links }, (_, at) => `<DT><A HREF="https://a.example/${name}/${at}">x</A>`).join('')}</DL>`
  const read = (...folders: string[]) =>
    readSections(`<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>${folders.join('')}</DL>`).bundles.map(({ title }) => title)
  expect(read(folder('News', 20), folder('Work', 10), folder('Play', 10), folder('Food', 20))).toEqual([
    'News and Work',
    'Work and 2 more',
    'Food',
  ])
  expect(read(folder('News', 60), folder('Work', 1))).toEqual(['News (1 of 2)', 'News (2 of 2)', 'News and Work'])
})
