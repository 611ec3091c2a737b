import { beforeAll, expect, test } from 'bun:test'
import Papa from 'papaparse'
import { readImport } from '../../src/imports/import.ts'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { BROWSER } from './support.ts'

// Tables as files: for people, whose spreadsheets need a mark of the encoding and run what looks like a formula, and for
// programs, which want neither.

const FORMULAS = ['=HYPERLINK("https://evil.example")', '+1', '-1', '@SUM(A1)', '＝1+1', "'=1"]
const URLS = FORMULAS.map((_, at) => `https://a.example/${at}`)
const RULES = {
  version: 1,
  rules: FORMULAS.map((name) => ({ name, when: { op: 'signedIn' }, tabs: [{ url: 'https://b.example/' }] })),
}
const MARK = '\ufeff'

onEveryTarget({}, (server) => {
  let owner: Person
  let program: { fetch: Person['fetch'] }
  let slug: string
  beforeAll(async () => {
    owner = await newPerson(server())
    await owner.api('POST', '/api/auth/update-user', { name: '=cmd()' })
    program = await owner.program({ name: '=key', scopes: ['links:read'] })
    const urlMetadata = FORMULAS.map((note) => ({ note: `${note} Größe` }))
    ;({ slug } = await owner.makeBundle({ urls: URLS, urlMetadata, resolutionPolicy: RULES }))
    const event = { kind: 'open_tabs', urls: [URLS[0]!] }
    await owner.api('POST', `/api/links/${slug}/events`, event, BROWSER)
    const first = async () => {
      const { body } = await owner.api<{ tabs: { opens: number }[] }>('GET', `/api/links/${slug}/insights`)
      return body.tabs[0]?.opens
    }
    await becomes(first, 1)
  })

  const read = async (by: { fetch: Person['fetch'] }, path: string, accept?: string) => {
    const answer = await by.fetch(path, accept === undefined ? {} : { headers: { accept } })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, 'text/csv; charset=utf-8'])
    expect(answer.headers.get('content-disposition')).toStartWith('attachment; filename="')
    return { text, cells: Papa.parse<string[]>(text.replace(MARK, '')).data.flat() }
  }
  const files = () => [
    `/dashboard/links/${slug}/export.csv`,
    '/dashboard/settings/activity.csv',
    `/api/links/${slug}/insights?format=csv`,
    ...['rules', 'tabs', 'referrers'].map((table) => `/api/links/${slug}/insights?format=csv&breakdown=${table}`),
    '/api/me/events?format=csv',
    '/api/me/events.csv',
  ]

  test('every table that a browser downloads has its mark, and no cell that a spreadsheet runs', async () => {
    const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    for (const path of files()) {
      for (const accept of [page, undefined]) {
        const { text, cells } = await read(owner, path, accept)
        expect([path, text.startsWith(MARK), text.lastIndexOf(MARK)]).toEqual([path, true, 0])
        expect([path, cells.filter((cell) => /^[=+\-@＝＋－＠\t\r]/.test(cell))]).toEqual([path, []])
      }
    }
    const { cells } = await read(owner, files()[0]!)
    for (const formula of FORMULAS) expect(cells).toContain(`'${formula} Größe`)
  })

  test('whoever names text/csv gets every cell as it is, without a mark; a program without it none that runs', async () => {
    for (const path of files()) expect((await read(owner, path, 'text/csv')).text).not.toContain(MARK)
    const rules = `/api/links/${slug}/insights?format=csv&breakdown=rules`
    const asIs = await read(program, rules, 'text/csv')
    for (const formula of FORMULAS) expect(asIs.cells).toContain(formula)
    const { text, cells } = await read(program, rules)
    expect(text).not.toContain(MARK)
    for (const formula of FORMULAS) expect(cells).toContain(`'${formula}`)
  })

  test('our own import reads back what a browser downloads, mark and formulas included', async () => {
    const { text } = await read(owner, files()[0]!)
    const [bundle] = readImport(text).bundles
    expect(bundle?.links.map(({ url, metadata: { note } }) => [url, note])).toEqual(
      URLS.map((url, at) => [url, `${FORMULAS[at]} Größe`]),
    )
  })
})
