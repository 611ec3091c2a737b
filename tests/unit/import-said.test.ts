import { expect, test } from 'bun:test'
import { readImport, readList } from '../../src/imports/import.ts'
import { saidRemarks, sentenceOf } from '../../src/imports/said.ts'

/** A text, and what is said beside its first link, after the link itself. */
const CASES: [text: string, url: string, says: string][] = [
  ['https://a.example/plan?id=1&view=week#top', 'https://a.example/plan?id=1&view=week#top', ''],
  ['https://docs.example/d/1/edit?usp=sharing&ouid=101', 'https://docs.example/d/1/edit?usp=sharing&ouid=101', ''],
  ['https://a.example/?key=APP-12&page_token=', 'https://a.example/?key=APP-12&page_token=', ''],
  ['ada@acme.example https://ada@a.example/', 'https://ada@a.example/', ''],
  ['https://ada:secret9@a.example/plan', 'https://ada:secret9@a.example/plan', 'Holds a password that everyone gets.'],
  ...[
    'https://bucket.example/plan.pdf?X-Amz-Credential=AKIA&X-Amz-Signature=abc',
    'https://a.example/reset?token=eyJhbGciOi',
    'https://a.example/#access_token=abc&state=1',
    'https://a.example/#/login?token=abc',
    'https://a.blob.example/plan?sv=2024-11-04&sp=r&sig=abc%3D',
    'https://a.example/?api_key=abc',
    'https://ghp_0123456789abcdef0123@git.example/plan',
  ].map((url): [string, string, string] => [url, url, 'Holds a key that everyone gets.']),
]

test.each(CASES)('what a link holds that should not be shared unseen is said beside it: %s', (text, url, says) => {
  const { links, skipped, changed } = readList(text)
  expect([links[0]?.url, sentenceOf(links[0]?.said), skipped, changed]).toEqual([url, says, [], []])
})

test('it is said of a link of a file too, on its line', () => {
  const { bundles } = readImport('url,title\nhttps://a.example/,Plan\nhttps://b.example/?sig=x,Board\n')
  expect(saidRemarks(bundles.flatMap(({ links }) => links))).toEqual([
    {
      line: 3,
      text: 'https://b.example/?sig=x',
      reason: 'holds a key that everyone gets',
    },
  ])
})
