import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { newPerson } from '../people.ts'
import { KINDS } from './engines.ts'
import { axeViolations, overflowOf } from './flaws.ts'
import { setStage } from './stage.ts'
import { shows } from './waiting.ts'

// What the clipboard and a drop hold besides plain text, in the three fields that take links.

const stage = setStage()
const WITH_CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] }

/** Copies as a program does: what stands on the clipboard is exactly this. */
async function copy(page: Page, html: string, plain: string): Promise<void> {
  await page.evaluate(
    ([html = '', plain = '']) => {
      const write = (event: ClipboardEvent) => {
        event.preventDefault()
        event.clipboardData?.setData('text/html', html)
        event.clipboardData?.setData('text/plain', plain)
      }
      document.addEventListener('copy', write, { once: true })
      document.execCommand('copy')
    },
    [html, plain],
  )
}

/** Copies the whole of a page as a person does, and comes back. */
async function copyPage(page: Page, html: string): Promise<void> {
  const other = await page.context().newPage()
  await other.setContent(html)
  await other.keyboard.press('Control+A')
  await other.keyboard.press('Control+C')
  await other.close()
}

interface Clipboard {
  html: string
  plain: string
  /** What the field shows. */
  shown: string
}

const PLAN = 'https://a.example/plan'
const BOARD = 'https://b.example/board'

const CLIPBOARDS: Record<string, Clipboard> = {
  'links of a list': {
    html: `<ul><li><a href="${PLAN}">Plan</a></li><li><a href="${BOARD}">Board</a></li></ul>`,
    plain: 'Plan\nBoard',
    shown: `[Plan](${PLAN})\n[Board](${BOARD})`,
  },
  'a sentence with an address and a link': {
    html: `<p>Site: https://c.example/z and <a href="${PLAN}">the plan</a></p>`,
    plain: 'Site: https://c.example/z and the plan',
    shown: `Site: https://c.example/z and [the plan](${PLAN})`,
  },
  'Google Docs': {
    html: `<meta charset='utf-8'><meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h2 dir="ltr" style="line-height:1.38"><span style="font-size:16pt">Week 1</span></h2><ul style="margin-top:0"><li dir="ltr" style="list-style-type:disc"><p dir="ltr" role="presentation"><a href="https://www.google.com/url?q=${encodeURIComponent(PLAN)}&amp;sa=D" style="text-decoration:none;"><span style="font-weight:700">The</span></a><a href="https://www.google.com/url?q=${encodeURIComponent(PLAN)}&amp;sa=D" style="text-decoration:none;"><span> plan</span></a></p></li></ul></b><br class="Apple-interchange-newline">`,
    plain: 'Week 1\n\nThe plan\n',
    shown: `## Week 1\n[The plan](https://www.google.com/url?q=${encodeURIComponent(PLAN)}&sa=D)`,
  },
  'Google Sheets': {
    html: `<google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid #cccccc;}--></style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0" data-sheets-root="1"><tbody><tr><td data-sheets-value="{}">Ada</td><td><a class="in-cell-link" target="_blank" href="${PLAN}">Plan</a></td></tr><tr><td>Ben</td><td><a class="in-cell-link" href="${BOARD}">Board</a></td></tr></tbody></table>`,
    plain: 'Ada\tPlan\nBen\tBoard',
    shown: `Ada | [Plan](${PLAN})\nBen | [Board](${BOARD})`,
  },
  Slack: {
    html: `<meta charset='utf-8'><div><button>Ben Ode</button>&nbsp;&nbsp;<a class="c-timestamp" href="https://acme.slack.com/archives/C1/p17" aria-label="Today at 10:03 AM"><span>10:03 AM</span></a><div><div class="p-rich_text_section">see <a data-stringify-link="${PLAN}" href="${PLAN}">the plan</a> <a href="/team/U1">@ada</a><img alt=":smile:" src="https://emoji.example/x.png"></div></div></div>`,
    plain: 'Ben Ode\n  10:03 AM\nsee the plan @ada:smile:',
    shown: `Ben Ode 10:03 AM\nsee [the plan](${PLAN}) @ada`,
  },
  Word: {
    html: `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal {margin:0}</style><!--[if gte mso 9]><xml><o:x href="https://x.example/"/></xml><![endif]--></head><body lang=EN-US><!--StartFragment--><h1>Launch<o:p></o:p></h1><p class=MsoListParagraph style='mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;</span></span></span><![endif]><a href="${PLAN}">Plan<span lang=DE> \n(new)</span></a><a name="_Toc1"></a><o:p></o:p></p><!--EndFragment--></body></html>`,
    plain: 'Launch\r\n·   Plan (new)\r\n',
    shown: `# Launch\n[Plan (new)](${PLAN})`,
  },
  'pictures, other schemes and doubles': {
    html: `<p><a href="${PLAN}"><img src="https://img.example/logo.png" alt="Logo"></a> <a href="${PLAN}">Plan</a></p><p><a href="${BOARD}"><img src="https://img.example/b.png" alt="Board"></a></p><p><a href="mailto:ada@a.example">Ada</a> <a href="javascript:alert(1)">run</a> <a href="/here">here</a></p>`,
    plain: 'Plan\n\nAda run here',
    shown: `[Plan](${PLAN})\n[Board](${BOARD})\nAda run here`,
  },
  'brackets in titles and addresses': {
    html: `<p><a href="https://a.example/x_(y)">[RFC] Plan</a></p><p><a href="https://a.example/b)">a ] b</a></p>`,
    plain: '[RFC] Plan\na ] b',
    shown: `[\\[RFC\\] Plan](https://a.example/x_(y))\n[a \\] b](https://a.example/b%29)`,
  },
  'times, and titles that only look like one': {
    html: [
      'Today at 10:03',
      'Mon, 3 Nov 10:03 PM',
      '2 hours ago',
      '5m',
      'Release 1.20',
      '3 Musketeers',
      'asset',
      'John 3:16',
    ]
      .map((title) => `<p><a href="${PLAN}">${title}</a></p>`)
      .join(''),
    plain: 'times',
    shown: `Today at 10:03\nMon, 3 Nov 10:03 PM\n2 hours ago\n5m\n${['Release 1.20', '3 Musketeers', 'asset', 'John 3:16'].map((title) => `[${title}](${PLAN})`).join('\n')}`,
  },
  'a link of a toolbar, or of an address bar': {
    html: `<a href="${PLAN}">The plan – Acme</a>`,
    plain: PLAN,
    shown: `[The plan – Acme](${PLAN})`,
  },
}

describe('a rich paste arrives as what it says', () => {
  test.each(Object.entries(CLIPBOARDS))('%s', async (_, { html, plain, shown }) => {
    const { page } = await stage.open('/', null, WITH_CLIPBOARD)
    await copy(page, html, plain)
    await page.focus('#urls')
    await page.keyboard.press('Control+V')
    expect(await page.inputValue('#urls')).toBe(shown)
    await page.keyboard.press('Control+Z')
    expect(await page.inputValue('#urls')).toBe('')
  })
})

/** What plain text says as well. */
const PLAIN: Record<string, Omit<Clipboard, 'shown'>> = {
  'a code editor': {
    html: `<meta charset='utf-8'><div style="color:#ccc;white-space: pre;"><div><span>const url = </span><span>"${PLAN}"</span></div></div>`,
    plain: `const url = "${PLAN}"\n`,
  },
  'addresses that are links': {
    html: `<p>One <a href="${PLAN}">${PLAN}</a></p><p>Two <a href="https://b.example/">https://b.example</a></p>`,
    plain: `One ${PLAN}\n\nTwo https://b.example`,
  },
  'Markdown of Notion': {
    html: `<h1>Launch</h1><ul><li><a href="${PLAN}">Plan</a></li></ul>`,
    plain: `# Launch\n\n- [Plan](${PLAN})`,
  },
  'a table with addresses': {
    html: `<table><tr><td>url</td><td>title</td><td>tags</td></tr><tr><td><a href="${PLAN}">${PLAN}</a></td><td>Plan</td><td>dev</td></tr></table>`,
    plain: `url\ttitle\ttags\n${PLAN}\tPlan\tdev`,
  },
}

test.each(Object.entries(PLAIN))('plain text that says all is pasted as it is: %s', async (_, { html, plain }) => {
  const { page } = await stage.open('/', null, WITH_CLIPBOARD)
  await copy(page, html, plain)
  await page.focus('#urls')
  await page.keyboard.press('Control+V')
  expect(await page.inputValue('#urls')).toBe(plain)
})

const PAGE = `<h1>Launch</h1><p>Site: https://c.example/z and <a href="${PLAN}">the plan</a></p><h2>Boards</h2><ul><li><a href="${BOARD}">Board</a></li></ul>`

test('a page’s selection becomes rows at home, in the editor and in an import, with its headings as sections', async () => {
  const person = await newPerson(stage.server)
  const { page } = await stage.open('/', person, WITH_CLIPBOARD)
  const titles = (rows: string) =>
    page.locator(rows).evaluateAll((all) => (all as HTMLInputElement[]).map(({ value }) => value))
  await copyPage(page, PAGE)
  await page.focus('#urls')
  await page.keyboard.press('Control+V')
  await shows(page, '#found', '3 links found')
  expect(await titles('.found-row [name=note]:visible')).toEqual(['Site', 'The plan', 'Board'])
  const { slug } = await person.makeBundle({ urls: ['https://first.example/'] })
  await page.goto(`/dashboard/links/${slug}`)
  await page.getByText('Paste several').click()
  await page.focus('#more')
  await page.keyboard.press('Control+V')
  await shows(page, '#found', '3 links added')
  expect((await titles('.link-row [name=url]')).slice(1)).toEqual(['https://c.example/z', PLAN, BOARD])
  expect((await titles('.link-row [name=section]')).slice(1)).toEqual(['Launch', 'Launch', 'Boards'])
  await becomes(() => page.inputValue('#more'), '')
  await page.goto('/dashboard/links/import')
  await page.focus('#text')
  await page.keyboard.press('Control+V')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('.plan').waitFor()
  expect(await titles('.planned [id^=title]')).toEqual(['Launch', 'Boards'])
})

test('a link that Outlook wrapped is unwrapped in its row, and one press takes it back', async () => {
  const safe = `https://eur01.safelinks.protection.outlook.com/?url=${encodeURIComponent(PLAN)}&data=05`
  const html = `<p class=MsoNormal>See <a href="${safe.replaceAll('&', '&amp;')}" originalsrc="${PLAN}">the plan</a></p>`
  const person = await newPerson(stage.server)
  const { page } = await stage.open('/', person, {
    ...WITH_CLIPBOARD,
    bypassCSP: true,
    viewport: { width: 390, height: 844 },
  })
  await copy(page, html, 'See the plan')
  await page.focus('#urls')
  await page.keyboard.press('Control+V')
  await shows(page, '.found-row .said', 'Unwrapped from Safe Links.')
  const isOneLine = (row: string) => page.locator(row).evaluate((line) => line.clientHeight < 40)
  expect([await isOneLine('.found-row .said'), await overflowOf(page), await axeViolations(page)]).toEqual([
    true,
    0,
    [],
  ])
  await page.getByLabel('Title of link 1').fill('Our plan')
  await page.getByRole('button', { name: 'Undo: ' }).click()
  await shows(page, '.found-row .said', 'Kept as it was written.')
  expect(await page.getByLabel('Title of link 1').inputValue()).toBe('Our plan')
  expect(await page.locator('.found-row [name=url]').inputValue()).toBe(safe)
  await page.getByRole('button', { name: 'Change it: ' }).click()
  await shows(page, '.found-row .said', 'Unwrapped from Safe Links.')
  expect(await page.locator('.found-row [name=url]').inputValue()).toBe(PLAN)
  const { slug } = await person.makeBundle({ urls: ['https://first.example/'] })
  await page.goto(`/dashboard/links/${slug}`)
  await page.getByText('Paste several').click()
  await page.focus('#more')
  await page.keyboard.press('Control+V')
  await shows(page, '.link-row .said', 'Unwrapped from Safe Links.')
  expect([await isOneLine('.link-row .said'), await overflowOf(page), await axeViolations(page)]).toEqual([true, 0, []])
  const second = page.locator('.link-row [name=url]').nth(1)
  expect(await second.inputValue()).toBe(PLAN)
  await page.locator('.link-row .said').getByRole('button', { name: 'Undo' }).click()
  await becomes(() => second.inputValue(), safe)
  await becomes(() => page.locator('.link-row .said').count(), 0)
})

test('a dragged link lands on a line of its own, with its title', async () => {
  const { page } = await stage.open('/', null)
  await page.fill('#urls', 'https://first.example/')
  await page.evaluate((url) => {
    const link = document.createElement('a')
    Object.assign(link, { href: url, textContent: 'Dragged plan', id: 'dragged' })
    document.body.prepend(link)
  }, PLAN)
  await page.dragAndDrop('#dragged', '#urls')
  expect(await page.inputValue('#urls')).toBe(`https://first.example/\n[Dragged plan](${PLAN})`)
  await shows(page, '#found', '2 links found')
})

test('a bookmark of Firefox’s toolbar keeps its title', async () => {
  const { page } = await stage.open('/', null)
  const data = await page.evaluateHandle((url) => {
    const transfer = new DataTransfer()
    transfer.setData('text/x-moz-url', `${url}\nThe plan\n${url}2\n${url}2`)
    transfer.setData('text/plain', url)
    return transfer
  }, PLAN)
  await page.dispatchEvent('#urls', 'drop', { dataTransfer: data })
  expect(await page.inputValue('#urls')).toBe(`[The plan](${PLAN})\n${PLAN}2`)
})

test('parsing what is pasted runs nothing and asks for nothing', async () => {
  const { page } = await stage.open('/', null, WITH_CLIPBOARD)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).hostname))
  const html = `<a href="${PLAN}">Plan</a><img src="https://spy.example/x.png" onerror="document.title='run'"><script>document.title='run'</script><link rel=stylesheet href="https://spy.example/x.css"><iframe src="https://spy.example/"></iframe><style>@import "https://spy.example/y.css"</style><svg onload="document.title='run'"></svg>`
  await copy(page, html, 'Plan')
  const title = await page.title()
  await page.focus('#urls')
  await page.keyboard.press('Control+V')
  await shows(page, '#found', '1 link found')
  expect(await page.title()).toBe(title)
  expect(asked.filter((host) => host.endsWith('.example'))).toEqual([])
})

test('of more than a field takes, what has no link goes first, and the field says what is left out', async () => {
  const { page } = await stage.open('/', null, WITH_CLIPBOARD)
  const pasted = async (padding: string) => {
    const row = (at: number) => `<p>${'some words '.repeat(20)}</p><li><a href="${PLAN}/${at}${padding}">Plan ${at}</a>`
    await copy(page, Array.from({ length: 2000 }, (_, at) => row(at)).join(''), 'words')
    await page.fill('#urls', '')
    await page.focus('#urls')
    await page.keyboard.press('Control+V')
    return (await page.inputValue('#urls')).split('\n')
  }
  const links = await pasted('')
  expect([links.length, links[1999]]).toEqual([2000, `[Plan 1999](${PLAN}/1999)`])
  await page.getByRole('button', { name: 'Show the text' }).click()
  const cut = await pasted('x'.repeat(200))
  expect(cut.join('\n').length).toBeLessThan(257 * 1024)
  expect(cut.at(-1)).toBe(`… and ${2000 - cut.length + 1} more lines, which are too much to paste at once`)
})

// Firefox has no HTML command for such fields.
describe.each(KINDS.filter(({ name, isThere }) => name !== 'Chromium' && isThere()))('in $name', (kind) => {
  test('a page’s selection is pasted with its links, and undone', async () => {
    const engine = await kind.start()
    try {
      const viewer = await engine.open(`${stage.server.origin}/privacy`, { popups: 'as-is' })
      await viewer.read(`document.body.innerHTML = ${JSON.stringify(PAGE)}`)
      await viewer.press('Control+a')
      await viewer.press('Control+c')
      await viewer.goTo(stage.server.origin)
      await viewer.click('#urls')
      await viewer.press('Control+v')
      const shown = () => viewer.read<string>("document.getElementById('urls').value")
      expect(await shown()).toBe(
        `# Launch\nSite: https://c.example/z and [the plan](${PLAN})\n\n## Boards\n[Board](${BOARD})`,
      )
      await becomes(() => viewer.read<string>("document.querySelector('.found')?.textContent ?? ''"), '3 links found')
      // MiniBrowser has no key for it.
      if (kind.name === 'WebKit')
        await viewer.read(
          "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true }))",
        )
      else await viewer.press('Control+z')
      expect(await shown()).toBe('')
      expect((await viewer.complaints?.()) ?? []).toEqual([])
      await viewer.close()
    } finally {
      await engine.stop()
    }
  })
})
