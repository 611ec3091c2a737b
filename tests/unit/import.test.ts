import { describe, expect, test } from 'bun:test'
import { type } from 'arktype'
import Papa from 'papaparse'
import { NewBundle } from '../../src/bundles/shapes.ts'
import { readTags, writeTags } from '../../src/bundles/tags.ts'
import { toCsv } from '../../src/imports/csv.ts'
import { IMPORT_BOUNDS, type ImportPlan, readImport, toNewBundle } from '../../src/imports/import.ts'
import { bookmarksFile } from '../../views/launcher/bookmarks.ts'
import { ODD, ONBOARDING } from '../browser/bundles.ts'
import { timesTheWork } from '../work.ts'

/** A plan in short: each bundle's title, and its links as `url`, `url (note)`, `url [tags]`. */
function short({ bundles }: ImportPlan): [string | null, ...string[]][] {
  return bundles.map(({ title, links }) => [
    title,
    ...links.map(({ url, metadata: { note, tags, openPolicy } }) =>
      [
        url.replace(/^https:\/\//, ''),
        note === undefined ? '' : ` (${note})`,
        tags === undefined ? '' : ` [${tags}]`,
        openPolicy === undefined ? '' : ` ${openPolicy}`,
      ].join(''),
    ),
  ])
}

const CHROME = `\uFEFF<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file. -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1" PERSONAL_TOOLBAR_FOLDER="true">Bookmarks bar</H3>
    <DL><p>
        <DT><A HREF="https://mail.example/?a=1&amp;b=2" ADD_DATE="1" ICON="data:image/png;base64,iVBORw0KGgo=">Mail &amp; more</A>
        <DT><H3>Design</H3>
        <DL><p>
            <DT><A HREF="https://figma.example/" TAGS="read first,design">Board</A>
            <DD>Look at the second page.
Then at the third.
            <DT><H3>Fonts</H3>
            <DL><p>
                <DT><A HREF="https://fonts.example/">https://fonts.example/</A>
            </DL><p>
            <DT><A HREF="javascript:alert(1)">A bookmarklet</A>
        </DL><p>
        <DT><A HREF="https://cal.example/"><b>Calen</b>dar</A>
    </DL><p>
    <DT><A HREF="chrome://settings">Settings</A>
    <DT><A HREF="https://loose.example/">Loose</A>
</DL><p>
`

test('a bookmarks file becomes a bundle a folder, with names, tags and remarks', () => {
  const plan = readImport(CHROME)
  expect(plan.format).toBe('bookmarks')
  expect(short(plan)).toEqual([
    [null, 'loose.example/ (Loose)'],
    ['Bookmarks bar', 'mail.example/?a=1&b=2 (Mail & more)', 'cal.example/ (Calendar)'],
    ['Design', 'figma.example/ (Board\nLook at the second page.\nThen at the third.) [read first,design]'],
    ['Design / Fonts', 'fonts.example/'],
  ])
  expect(plan.skipped).toEqual([
    { line: 19, text: 'javascript:alert(1)', reason: 'is a javascript: link: only http: and https: can be shared' },
    { line: 23, text: 'chrome://settings', reason: 'is a chrome: link: only http: and https: can be shared' },
  ])
  expect(plan.bundles[2]?.links[0]?.line).toBe(12)
})

test('a piece of a web page gives its links', () => {
  const plan = readImport(
    '<ul>\n<li><a class=x href=https://a.example/>One\n  <em>and</em> more</a>\n<li><a name=top>no</a></ul>',
  )
  expect(short(plan)).toEqual([[null, 'a.example/ (One and more)']])
})

describe('CSV', () => {
  test('is read by the names of its columns, one bundle a folder', () => {
    const plan = readImport(
      'id,Title,URL,Folder,Tags\r\n1,One,https://a.example/,Work,"x,y"\r\n2,"Two, or\r\nmore",https://b.example/,Home,x|z\r\n3,Three,https://c.example/,Work,\r\n4,Four,ftp://d.example/,Work,',
    )
    expect(plan.format).toBe('csv')
    expect(short(plan)).toEqual([
      ['Work', 'a.example/ (One) [x,y]', 'c.example/ (Three)'],
      ['Home', 'b.example/ (Two, or\nmore) [x,z]'],
    ])
    expect(plan.skipped).toEqual([
      {
        line: 6,
        text: '4, Four, ftp://d.example/, Work,',
        reason: 'is a ftp: link: only http: and https: can be shared',
      },
    ])
  })

  test.each([
    ['title and note are kept', 'name;link;notes\nOne;https://a.example/;why', 'csv', 'a.example/ (One\nwhy)'],
    ['one column', 'url\nhttps://a.example/', 'csv', 'a.example/'],
    ['cells of a spreadsheet', 'Our board\thttps://a.example/', 'csv', 'a.example/ (Our board)'],
    ['no names', '"https://a.example/","Say ""hello"", twice"', 'csv', 'a.example/ (Say "hello", twice)'],
    ['a comma within a URL', 'https://a.example/1,2', 'list', 'a.example/1,2'],
    ['by hand', 'url,openPolicy\nhttps://a.example/,manual', 'csv', 'a.example/ manual'],
  ])('%s', (_, text, format, link) => {
    const plan = readImport(text)
    expect([plan.format, short(plan)]).toEqual([format as ImportPlan['format'], [[null, link]]])
  })
})

test('Markdown becomes a bundle a heading', () => {
  const plan = readImport(
    'See https://intro.example/\n\n# Week 1 \n\nSome words\n- [Agenda](https://a.example/) and [Notes](https://b.example/)\n\n## Later\n* <https://c.example/>\n```',
  )
  expect(plan.format).toBe('markdown')
  expect(short(plan)).toEqual([
    [null, 'intro.example/ (See)'],
    ['Week 1', 'a.example/ (Agenda)', 'b.example/ (Notes)'],
    ['Later', 'c.example/'],
  ])
  expect(plan.skipped.map(({ line, reason }) => [line, reason])).toEqual([
    [5, 'has no link in it'],
    [10, 'has no link in it'],
  ])
})

test('an export of OneTab becomes a bundle a group', () => {
  const plan = readImport(
    'https://a.example/ | One | Two\r\nhttps://b.example/\r\n\r\n\r\nchrome://newtab | New\r\nhttps://c.example/ | C',
  )
  expect(plan.format).toBe('onetab')
  expect(short(plan)).toEqual([
    [null, 'a.example/ (One | Two)', 'b.example/'],
    [null, 'c.example/ (C)'],
  ])
})

test('a list is one bundle, whatever stands between its lines; what is not taken is told by its line', () => {
  const long = `https://a.example/${'x'.repeat(2048)}`
  const plan = readImport(`https://a.example\n\n  b.example\nhttps://a.example/\nhttp://[\nnothing\n${long}`)
  expect(plan.format).toBe('list')
  expect(short(plan)).toEqual([[null, 'a.example', 'b.example']])
  expect(plan.skipped).toEqual([
    { line: 4, text: 'https://a.example/', reason: 'has the same link as line 1' },
    { line: 5, text: 'http://[', reason: 'is not a web address' },
    { line: 6, text: 'nothing', reason: 'has no link in it' },
    { line: 7, text: `${long.slice(0, 119)}…`, reason: 'must be at most 2048 characters' },
  ])
})

test('more than 25 links become several bundles', () => {
  const urls = Array.from({ length: 60 }, (_, index) => `https://a.example/${index}`)
  expect(readImport(urls.join('\n')).bundles.map(({ title, links }) => [title, links.length])).toEqual([
    [null, 25],
    [null, 25],
    [null, 10],
  ])
  const { bundles } = readImport(`# ${'T'.repeat(300)}\n${urls.join('\n')}`)
  expect(bundles.map(({ title }) => title?.slice(-9))).toEqual(
    ['… (1 of 3)', '… (2 of 3)', '… (3 of 3)'].map((t) => t.slice(-9)),
  )
  expect(bundles.flatMap(({ links }) => links.map(({ url }) => url))).toEqual(urls)
})

test('nothing is nothing', () => {
  for (const text of ['', ' \n\t\r\n', '<!DOCTYPE NETSCAPE-Bookmark-file-1>', 'url,note\n', '# Heading']) {
    expect(readImport(text).bundles).toEqual([])
  }
})

test('what is past the bounds is told, not lost', () => {
  const many = readImport(Array.from({ length: 2600 }, (_, index) => `https://a.example/${index}`).join('\n'))
  expect(many.bundles.flatMap(({ links }) => links)).toHaveLength(IMPORT_BOUNDS.links)
  expect([many.skipped.length, many.counts.skipped]).toEqual([100, 100])
  const folders = readImport(Array.from({ length: 600 }, (_, index) => `# ${index}\nhttps://a.example/`).join('\n'))
  expect(folders.bundles).toHaveLength(IMPORT_BOUNDS.bundles)
  expect([folders.skipped.length, folders.counts.skipped]).toEqual([IMPORT_BOUNDS.remarks, 350])
  expect(() => readImport('x'.repeat(IMPORT_BOUNDS.characters + 1))).toThrow('too long')
})

test('what would be refused is made to fit, and told', () => {
  const { bundles, changed } = readImport(
    `url,title,tags\nhttps://a.example/,"${'n'.repeat(600)}\u0000","${Array.from({ length: 12 }, (_, tag) => `${tag}${'t'.repeat(50)}`)}"`,
  )
  const metadata = bundles[0]?.links[0]?.metadata
  expect([metadata?.note?.length, metadata?.tags?.length, metadata?.tags?.[0]?.length]).toEqual([500, 10, 40])
  expect(changed.map(({ reason }) => reason.slice(0, 20))).toEqual(['has a note of more t', 'has more than 10 tag'])
})

test('control characters and marks of direction are left out of an import, and told', () => {
  const { bundles, changed } = readImport(
    '<H3>We\u202eek</H3><DD>What\u009b it is\n<DL>\n<DT><A HREF="https://a.example/" TAGS="o\u200fne,two">A &#x202e;not&#x85;e</A>\n<DT><A HREF="https://b.example/">שלום עולם</A>\n</DL>',
  )
  expect(bundles.map(({ title, description }) => [title, description])).toEqual([['Week', 'What  it is']])
  expect(bundles[0]?.links.map(({ metadata }) => metadata)).toEqual([
    { note: 'A not…e', tags: ['one', 'two'] },
    { note: 'שלום עולם' },
  ])
  const told = 'control characters or marks that turn its direction: they are left out'
  expect(changed).toEqual([
    { line: 3, text: 'https://a.example/', reason: `has a note with ${told}` },
    { line: 3, text: 'https://a.example/', reason: `has a tag with ${told}` },
    { line: 3, text: 'Week', reason: `comes under a title with ${told}` },
    { line: 3, text: 'What  it is', reason: `comes under a description with ${told}` },
  ])
  const list = readImport('\u202bhttps://a.example/ סדר היום\u202c\r\nhttps://b.example/ plain\r\n')
  expect(short(list)).toEqual([[null, 'a.example/ (סדר היום)', 'b.example/ (plain)']])
  expect(list.changed.map(({ line }) => line)).toEqual([1])
})

describe('an export that is imported keeps URLs, notes and tags', () => {
  const hostile = {
    title: 'Hostile',
    description: 'Two\nlines & <b>more</b>',
    urls: ['https://a.example/?a=1&b="2"', 'https://b.example/', 'https://c.example/', 'https://d.example/'],
    urlMetadata: [
      { note: '=HYPERLINK("https://evil.example")', tags: ['=1+1', 'a,b', 'say "x"'] },
      { note: "'=quoted already\n\n- second & </A><DT> line", tags: ['a;b|c'], openPolicy: 'manual' as const },
      { note: '-dash', tags: ["'-x"] },
      {},
    ],
  }
  const bundles = { ONBOARDING, ODD, hostile }
  for (const [name, { urls, urlMetadata = [], title = null, description = null }] of Object.entries(bundles)) {
    const bundle = { urls, urlMetadata, title, description }
    const kept = urlMetadata.map(({ note = '', tags = [] }) => ({ note: note.trim(), tags }))
    const read = (text: string) => {
      const plan = readImport(text)
      const [made] = plan.bundles.map(toNewBundle)
      const metadata = made?.urlMetadata?.map(({ note = '', tags = [] }) => ({ note, tags }))
      return { urls: made?.urls, metadata, bundles: plan.bundles.length, skipped: plan.skipped, changed: plan.changed }
    }
    const whole = { urls, metadata: kept, bundles: 1, skipped: [], changed: [] }
    test(`${name} as CSV`, () => expect(read(toCsv(bundle))).toEqual(whole))
    test(`${name} as bookmarks`, () => expect(read(bookmarksFile(bundle))).toEqual(whole))
  }

  test('and CSV keeps what opens by hand; bookmarks the title and the description', () => {
    expect(readImport(toCsv(hostile)).bundles[0]?.links[1]?.metadata.openPolicy).toBe('manual')
    const { title, description } = hostile
    expect(readImport(bookmarksFile(hostile)).bundles[0]).toMatchObject({ title, description })
  })

  test('no cell of a spreadsheet begins like a formula', () => {
    const cells = Papa.parse<string[]>(toCsv(hostile)).data.flat()
    expect(cells).toContain(`'=HYPERLINK("https://evil.example")`)
    expect(cells.filter((cell) => /^[=+\-@]/.test(cell))).toEqual([])
  })
})

test('tags are typed between commas, those with one in quotes', () => {
  expect(readTags(' read first, Monday;x | y ,,x')).toEqual(['read first', 'Monday', 'x', 'y'])
  for (const tags of [['a'], ['a,b', '"', 'c;'], ['"a"', 'b"c"d']]) expect(readTags(writeTags(tags))).toEqual(tags)
  expect(readTags('"never closed, x')).toEqual(['"never closed', 'x'])
})

test('nasty texts cost no more than their length, and what is made of them may be kept', async () => {
  const pieces = [
    '<DL><p><DT><H3>x</H3>',
    '<DL>',
    '</DL>',
    '<a href=x>',
    '<b></x>',
    '<!--',
    '<a ',
    '<',
    '<DD>x',
    '<H3>',
    '<A HREF="',
    '<p>',
    '&',
    '&amp',
    '<A HREF=https://a.example>',
    '<script>',
    '<title></t',
    '"',
    '",',
    '"a" b',
    'url,"',
    ';\t',
    '# ',
    '\n# x',
    '[](x',
    '[a](<',
    '[',
    '| ',
    'a.',
    ' - ',
    'https://',
    'https://a.example ',
    'https://a | b\n',
    'a:b | c\n',
    '\r',
    '\0',
    '\ud800',
    'url\n',
    'url,tags\nhttps://a.example,"""',
    '\u202e',
    '  ',
    '\t"',
    "'=",
    'x,',
    '<DT><H3>name</H3><DL><DT><A HREF=https://a.example/>x</A><DD>d',
  ]
  for (const start of ['', '<!DOCTYPE NETSCAPE-Bookmark-file-1>', 'url,note,tags,folder\n', '# x\n']) {
    for (const piece of pieces) {
      const text = (length: number) => start + piece.repeat(Math.ceil(length / piece.length))
      const [short, long] = [text(16 * 1024), text(256 * 1024)]
      let plan = readImport(short)
      const times = await timesTheWork(
        () => (plan = readImport(long)),
        () => readImport(short),
        100,
      )
      // Sixteen times would be straight, its square 256.
      expect({ start, piece, isStraight: times < 100 }).toEqual({ start, piece, isStraight: true })
      for (const bundle of plan.bundles) expect(NewBundle(toNewBundle(bundle)) instanceof type.errors).toBe(false)
    }
  }
}, 120_000)

test('an export of this service is read as its bundles, rules and all; deleted ones stay out', () => {
  const rules = {
    version: 1,
    rules: [{ id: 'r_0123456789', name: 'Team', when: { op: 'signedIn' }, tabs: [{ url: 'https://t.example/' }] }],
  }
  const bundle = {
    slug: 'a',
    title: 'Monday',
    description: 'Read first',
    urls: ['https://a.example/', 'https://b.example/', 'javascript:alert(1)'],
    urlMetadata: [{ note: 'First', tags: ['x'], openPolicy: 'manual' }],
    resolutionPolicy: rules,
  }
  const plan = readImport(
    JSON.stringify({ exportedAt: 'x', bundles: [bundle, { ...bundle, deletedAt: '2026-01-01T00:00:00Z' }] }),
  )
  expect(plan.format).toBe('json')
  expect(short(plan)).toEqual([['Monday', 'a.example/ (First) [x] manual', 'b.example/']])
  expect(plan.counts.skipped).toBe(1)
  const [made] = plan.bundles.map(toNewBundle)
  expect(made).toMatchObject({ description: 'Read first', resolutionPolicy: { rules: [{ name: 'Team' }] } })
  expect(NewBundle(made)).not.toBeInstanceOf(type.errors)
  expect(JSON.stringify(made)).not.toContain('r_0123456789')
  for (const other of [bundle, [bundle], { bundles: [bundle], nextCursor: null }]) {
    expect(readImport(JSON.stringify(other, null, 2)).bundles).toHaveLength(1)
  }
})

test('a tag that a link has twice is kept once, and nothing is said of it', () => {
  const plan = readImport(JSON.stringify({ urls: ['https://a.example/'], urlMetadata: [{ tags: ['x', 'x', 'y'] }] }))
  expect(short(plan)).toEqual([[null, 'a.example/ [x,y]']])
  expect(plan.changed).toEqual([])
})

test('what is JSON and no bundle is read as any text', () => {
  for (const text of [
    '{}',
    '[]',
    '{"bundles":[]}',
    '[1, "https://a.example/"]',
    '{"urls":"https://a.example/"}',
    '[https://a.example/',
    '['.repeat(100_000),
  ]) {
    expect([text.slice(0, 30), readImport(text).format]).not.toEqual([text.slice(0, 30), 'json'])
  }
})
