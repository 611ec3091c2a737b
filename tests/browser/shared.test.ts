import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newPerson } from '../people.ts'
import { axeViolations, overflowOf } from './flaws.ts'
import { setStage } from './stage.ts'

// What other apps and pages hand over is listed like what is pasted.

const stage = setStage()

const shared = (fields: Record<string, string>) => `/?${new URLSearchParams(fields)}`
const fieldOf = async (fields: Record<string, string>) => {
  const { page } = await stage.open(shared(fields), null, { javaScriptEnabled: false })
  return page.inputValue('#urls')
}

test('an installed service is shared to by its address, which fills the field and makes nothing', async () => {
  const manifest = (await (await fetch(`${stage.server.origin}/site.webmanifest`)).json()) as Record<string, unknown>
  expect(manifest.share_target).toEqual({
    action: '/',
    method: 'GET',
    params: { title: 'title', text: 'text', url: 'url' },
  })
  expect(manifest.display).toBe('minimal-ui')
  const [{ bundles: before }] = (await stage.server.sql('SELECT count(*) AS bundles FROM bundles')) as [
    { bundles: number },
  ]
  const [a, b] = ['https://a.example/x', 'https://b.example/y']
  expect(await fieldOf({ title: 'A page', url: a })).toBe(`A page ${a}`)
  expect(await fieldOf({ title: 'A\npage', text: a })).toBe(`A page ${a}`)
  expect(await fieldOf({ title: 'A page', text: a, url: a })).toBe(`A page ${a}`)
  expect(await fieldOf({ title: 'A page', text: b, url: a })).toBe(`${b}\nA page ${a}`)
  expect(await fieldOf({ title: 'A page', text: `Notes: ${b}`, url: a })).toBe(`Notes: ${b}\nA page ${a}`)
  expect(await fieldOf({ text: '</textarea><img src=x onerror=alert(1)>' })).toStartWith('</textarea><img')
  expect((await fieldOf({ text: 'x'.repeat(8_000) })).length).toBe(8_000)
  const [{ bundles }] = (await stage.server.sql('SELECT count(*) AS bundles FROM bundles')) as [{ bundles: number }]
  expect(bundles).toBe(before)
})

test('what is shared is listed as if it was pasted', async () => {
  const text = 'Agenda: https://a.example/agenda\nhttps://b.example/board'
  const { page } = await stage.open(shared({ text }), null)
  await page.locator('.found-row').nth(1).waitFor()
  expect(await page.inputValue('.found-row [name=note] >> nth=0')).toBe('Agenda')
})

test('the bookmark hands over the links of a selection, or else the page', async () => {
  const owner = await newPerson(stage.server)
  const { page, context } = await stage.open('/dashboard/links/import', owner, {
    viewport: { width: 390, height: 844 },
    bypassCSP: true,
  })
  const bookmark = page.getByRole('link', { name: 'Share with' })
  const script = decodeURIComponent((await bookmark.getAttribute('href'))!.replace(/^javascript:/, ''))
  await bookmark.click()
  await page.getByText('Drag it to your bookmarks bar').waitFor()
  expect([await axeViolations(page), await overflowOf(page)]).toEqual([[], 0])
  const other = await context.newPage()
  const press = async () => {
    const [opened] = await Promise.all([context.waitForEvent('page'), other.evaluate(script)])
    await opened.locator('.found-row').first().waitFor()
    return opened
  }
  await other.goto(`${stage.server.origin}/privacy`)
  await other.evaluate(() => {
    document.title = 'A page'
    document.body.innerHTML =
      '<p><a href="https://a.example/x">First\n one</a>, <a href="https://b.example/y">Two</a></p>'
  })
  const whole = await press()
  await becomes(() => whole.inputValue('#urls'), `A page ${stage.server.origin}/privacy`)
  await other.evaluate(() => getSelection()?.selectAllChildren(document.body))
  const chosen = await press()
  await becomes(() => chosen.inputValue('#urls'), 'First one https://a.example/x\nTwo https://b.example/y')
})
