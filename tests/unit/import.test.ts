import { describe, expect, test } from 'bun:test'
import { type } from 'arktype'
import Papa from 'papaparse'
import { NewBundle } from '../../src/bundles/content/shapes.ts'
import { readTags, writeTags } from '../../src/bundles/links/link-fields.ts'
import { toCsv } from '../../src/imports/csv.ts'
import { readImport, readSections, toNewBundle } from '../../src/imports/import.ts'
import { IMPORT_BOUNDS, type ImportPlan } from '../../src/imports/plan.ts'
import { bookmarksFile } from '../../views/launcher/parts/bookmarks.ts'
import { ODD, ONBOARDING } from '../browser/bundles.ts'
import { NO_TEXTS } from '../people.ts'

/** A plan in brief: each bundle's title, and its links as `url`, `url (note)`, `url [tags]`. */
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

test('a bookmarks file becomes one bundle per folder, with names, tags and descriptions', () => {
  const plan = readImport(CHROME)
  expect(plan.format).toBe('bookmarks')
  expect(short(plan)).toEqual([
    ['Bookmarks bar', 'mail.example/?a=1&b=2 (Mail & more)', 'cal.example/ (Calendar)'],
    ['Design', 'figma.example/ (Board\nLook at the second page.\nThen at the third.) [read first,design]'],
    ['Design / Fonts', 'fonts.example/'],
    [null, 'loose.example/ (Loose)'],
  ])
  expect(plan.skipped).toEqual([
    { line: 19, text: 'javascript:alert(1)', reason: 'is a javascript: link: only http: and https: can be shared' },
    { line: 23, text: 'chrome://settings', reason: 'is a chrome: link: only http: and https: can be shared' },
  ])
  expect(plan.bundles[1]?.links[0]?.line).toBe(12)
})

test('a fragment of a web page gives its links', () => {
  const plan = readImport(
    '<ul>\n<li><a class=x href=https://a.example/>One\n  <em>and</em> more</a>\n<li><a name=top>no</a></ul>',
  )
  expect(short(plan)).toEqual([[null, 'a.example/ (One and more)']])
})

describe('CSV', () => {
  test('is read by its column names, one bundle per folder', () => {
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

test('Markdown becomes one bundle per heading', () => {
  const plan = readImport(
    'See https://intro.example/\n\n# Week 1 \n\nSome words\n- [Agenda](https://a.example/) and [Notes](https://b.example/)\n\n## Later\n* <https://c.example/>\n```',
  )
  expect(plan.format).toBe('markdown')
  expect(short(plan)).toEqual([
    [null, 'intro.example/'],
    ['Week 1', 'a.example/ (Agenda)', 'b.example/ (Notes)'],
    ['Later', 'c.example/'],
  ])
  expect(plan.skipped.map(({ line, reason }) => [line, reason])).toEqual([
    [5, 'has no link in it'],
    [10, 'has no link in it'],
  ])
})

test('an export of OneTab becomes one bundle per group', () => {
  const plan = readImport(
    'https://a.example/ | One | Two\r\nhttps://b.example/\r\n\r\n\r\nchrome://newtab | New\r\nhttps://c.example/ | C',
  )
  expect(plan.format).toBe('onetab')
  expect(short(plan)).toEqual([
    [null, 'a.example/ (One | Two)', 'b.example/'],
    [null, 'c.example/ (C)'],
  ])
})

test('a list is one bundle, whatever is between its lines; skipped lines are reported by number', () => {
  const long = `https://a.example/${'x'.repeat(2048)}`
  const plan = readImport(`https://a.example\n\n  b.example\nhttps://a.example/\nhttp://[\nnothing\n${long}`)
  expect(plan.format).toBe('list')
  expect(short(plan)).toEqual([[null, 'a.example', 'b.example']])
  expect(plan.skipped).toEqual([
    { line: 4, text: 'https://a.example/', reason: 'has the same link as line 1' },
    { line: 5, text: 'http://[', reason: 'is not a web address' },
    { line: 6, text: 'nothing', reason: 'has no link in it' },
    {
      line: 7,
      text: `${long.slice(0, 119)}…`,
      reason: 'must be at most 2048 characters: save its search where it comes from, and send the shorter link',
    },
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

test('empty text gives nothing', () => {
  for (const text of ['', ' \n\t\r\n', '<!DOCTYPE NETSCAPE-Bookmark-file-1>', 'url,note\n', '# Heading']) {
    expect(readImport(text).bundles).toEqual([])
  }
})

test('content past the bounds is reported, not lost', () => {
  const many = readImport(Array.from({ length: 2600 }, (_, index) => `https://a.example/${index}`).join('\n'))
  expect(many.bundles.flatMap(({ links }) => links)).toHaveLength(IMPORT_BOUNDS.links)
  expect([many.skipped.length, many.counts.skipped]).toEqual([100, 100])
  const folders = readImport(Array.from({ length: 600 }, (_, index) => `# ${index}\nhttps://a.example/`).join('\n'))
  expect(folders.bundles).toHaveLength(IMPORT_BOUNDS.bundles)
  expect([folders.skipped.length, folders.counts.skipped]).toEqual([IMPORT_BOUNDS.remarks, 350])
  expect(() => readImport('x'.repeat(IMPORT_BOUNDS.characters + 1))).toThrow('too long')
})

test('content that would be refused is adjusted, and reported', () => {
  const { bundles, changed } = readImport(
    `url,title,tags\nhttps://a.example/,"${'n'.repeat(600)}\u0000","${Array.from({ length: 12 }, (_, tag) => `${tag}${'t'.repeat(50)}`)}"`,
  )
  const metadata = bundles[0]?.links[0]?.metadata
  expect([metadata?.note?.length, metadata?.tags?.length, metadata?.tags?.[0]?.length]).toEqual([500, 10, 40])
  expect(changed.map(({ reason }) => reason.slice(0, 20))).toEqual(['has a title of more ', 'has more than 10 tag'])
})

test('control characters and direction marks are removed from an import, and reported', () => {
  const { bundles, changed } = readImport(
    '<H3>We\u202eek</H3><DD>What\u009b it is\n<DL>\n<DT><A HREF="https://a.example/" TAGS="o\u200fne,two">A &#x202e;not&#x85;e</A>\n<DT><A HREF="https://b.example/">שלום עולם</A>\n</DL>',
  )
  expect(bundles.map(({ title, description }) => [title, description])).toEqual([['Week', 'What  it is']])
  expect(bundles[0]?.links.map(({ metadata }) => metadata)).toEqual([
    { note: 'A not…e', tags: ['one', 'two'] },
    { note: 'שלום עולם' },
  ])
  const told = 'control or text-direction characters, which are left out'
  expect(changed).toEqual([
    { line: 3, text: 'https://a.example/', reason: `has a title with ${told}` },
    { line: 3, text: 'https://a.example/', reason: `has a tag with ${told}` },
    { line: 3, text: 'Week', reason: `comes under a title with ${told}` },
    { line: 3, text: 'What  it is', reason: `comes under a description with ${told}` },
  ])
  const list = readImport('\u202bhttps://a.example/ סדר היום\u202c\r\nhttps://b.example/ plain\r\n')
  expect(short(list)).toEqual([[null, 'a.example/ (סדר היום)', 'b.example/ (Plain)']])
  expect(list.changed.map(({ line }) => line)).toEqual([1])
})

describe('an imported export keeps URLs, notes and tags', () => {
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
    test(`${name} as CSV`, () => expect(read(toCsv(bundle, 'person'))).toEqual(whole))
    test(`${name} as bookmarks`, () => expect(read(bookmarksFile(bundle))).toEqual(whole))
  }

  test('and CSV keeps manual links; bookmarks the title and the description', () => {
    expect(readImport(toCsv(hostile, 'person')).bundles[0]?.links[1]?.metadata.openPolicy).toBe('manual')
    const { title, description } = hostile
    expect(readImport(bookmarksFile(hostile)).bundles[0]).toMatchObject({ title, description })
  })

  test('no spreadsheet cell begins like a formula', () => {
    const cells = Papa.parse<string[]>(toCsv(hostile, 'person')).data.flat()
    expect(cells).toContain(`'=HYPERLINK("https://evil.example")`)
    expect(cells.filter((cell) => /^[=+\-@]/.test(cell))).toEqual([])
  })
})

test('tags are separated by commas, and quoted if they contain one', () => {
  expect(readTags(' read first, Monday;x | y ,,x')).toEqual(['read first', 'Monday', 'x', 'y'])
  for (const tags of [['a'], ['a,b', '"', 'c;'], ['"a"', 'b"c"d']]) expect(readTags(writeTags(tags))).toEqual(tags)
  expect(readTags('"never closed, x')).toEqual(['"never closed', 'x'])
})

test('an export of this service is read as its bundles, rules included; deleted ones are left out', () => {
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

test('a duplicate link in an exported bundle stays one in the import, each with its note', () => {
  const urls = ['https://a.example/', 'https://b.example/', 'https://a.example/']
  const urlMetadata = [{ note: 'Before' }, {}, { note: 'After' }]
  const plan = readImport(JSON.stringify({ bundles: [{ title: 'Monday', urls, urlMetadata }] }))
  expect(plan.bundles.map(toNewBundle)).toEqual([
    { ...NO_TEXTS, title: 'Monday', urls, urlMetadata, source: 'import' } as never,
  ])
  expect(plan.counts).toEqual({ skipped: 0, changed: 0, duplicates: 0 })
})

test('a duplicate tag of a link is kept once, without a message', () => {
  const plan = readImport(JSON.stringify({ urls: ['https://a.example/'], urlMetadata: [{ tags: ['x', 'x', 'y'] }] }))
  expect(short(plan)).toEqual([[null, 'a.example/ [x,y]']])
  expect(plan.changed).toEqual([])
})

test('JSON that is no bundle is read as plain text', () => {
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

describe('a list with groups', () => {
  const sections = (text: string) =>
    readSections(text).bundles.map(({ title, links }) => [
      title,
      ...links.map(({ metadata }) => metadata.section ?? ''),
    ])

  test('becomes one bundle with sections: Markdown headings below a title', () => {
    const text =
      '# Launch day\n\n## Before\n- https://a.example\n- https://b.example\n\n## After\n- https://c.example\n'
    expect(sections(text)).toEqual([['Launch day', 'Before', 'Before', 'After']])
  })

  test('becomes one bundle with sections: bookmark folders, named without the folder around them all', () => {
    const urls = ['https://a.example/', 'https://b.example/', 'https://c.example/']
    const urlMetadata = [{}, { section: 'Before' }, { section: 'After & <later>' }]
    const html = bookmarksFile({ title: 'Launch day', description: null, urls, urlMetadata })
    expect(sections(html)).toEqual([['Launch day', '', 'Before', 'After & <later>']])
    expect(readImport(html).bundles.map(({ title }) => title)).toEqual([
      'Launch day',
      'Launch day / Before',
      'Launch day / After & <later>',
    ])
  })

  test('becomes one bundle with sections: OneTab groups, which have no names, and folders in CSV', () => {
    expect(sections('https://a.example | A\n\nhttps://b.example | B\n')).toEqual([[null, 'Group 1', 'Group 2']])
    expect(sections('url,folder\nhttps://a.example,One\nhttps://b.example,Two\n')).toEqual([[null, 'One', 'Two']])
  })

  test('keeps its sections where it is split, and a long heading is cut', () => {
    const links = (from: number) => Array.from({ length: 20 }, (_, at) => `https://a.example/${from + at}`).join('\n')
    const [first, second] = sections(`# ${'x'.repeat(80)}\n${links(0)}\n# Two\n${links(20)}`)
    expect(first?.slice(1)).toEqual([...Array(20).fill(`${'x'.repeat(59)}…`), ...Array(5).fill('Two')])
    expect(second?.slice(1)).toEqual(Array(15).fill('Two'))
  })

  test('CSV and JSON give each link its section back', () => {
    const urls = ['https://a.example/', 'https://b.example/']
    const urlMetadata = [{ section: 'Before' }, {}]
    for (const text of [toCsv({ urls, urlMetadata }, 'person'), JSON.stringify({ urls, urlMetadata })]) {
      expect(readImport(text).bundles.map((bundle) => toNewBundle(bundle).urlMetadata)).toEqual([urlMetadata])
    }
  })
})

test('bundles of JSON that become one keep their variables; one that is declared otherwise, or too many, is said', () => {
  const bundle = (slug: string, variables: object[]) => ({ slug, urls: [`https://${slug}.example/{id}`], variables })
  const id = { name: 'id', label: 'Number' }
  const others = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }))
  const read = (...bundles: object[]) => {
    const { bundles: made, changed } = readSections(JSON.stringify(bundles))
    return [made.map(({ variables }) => variables), changed.map(({ text, reason }) => `${text} ${reason}`)]
  }
  expect(read(bundle('one', [id]), bundle('two', [id, { name: 'b' }]))).toEqual([[[id, { name: 'b' }]], []])
  expect(read(bundle('one', [id]), bundle('two', [{ name: 'id', label: 'Other' }]))).toEqual([
    [[id]],
    ['{id} is declared otherwise in another bundle of the list, whose label, default and options it gets'],
  ])
  expect(read(bundle('one', [id]), bundle('two', others))).toEqual([
    [[id, ...others.slice(0, 4)]],
    ['{e} is beyond the 5 variables of a bundle: its places stay as braces'],
  ])
})
