import { expect, test } from 'bun:test'
import { allows, rulesIn } from '../../src/checks/robots.ts'

const may = async (robots: string, path: string) => allows(await rulesIn(robots), new URL(path, 'https://example.com'))

test.each([
  ['', '/a', true],
  ['User-agent: *\nDisallow:', '/a', true],
  ['User-agent: *\nDisallow: /', '/a', false],
  ['User-agent: *\nDisallow: /private', '/private/a', false],
  ['User-agent: *\nDisallow: /private', '/Private', true],
  ['User-agent: other\nDisallow: /', '/a', true],
  ['User-agent: other\nUser-agent: OPENALL\nDisallow: /', '/a', false],
  ['User-agent: Openall/1.0\nDisallow: /', '/a', false],
  // Its own group counts alone, wherever it stands, and groups of one name are one.
  ['User-agent: *\nDisallow: /\n\nUser-agent: openall\nDisallow: /x', '/a', true],
  ['User-agent: openall\nDisallow: /x\n\nUser-agent: *\nDisallow: /\n\nUser-agent: openall\nDisallow: /y', '/y', false],
  ['User-agent: openall\n\nUser-agent: *\nDisallow: /', '/a', false],
  // RFC 9309, 5: the longest pattern decides, and of equal ones the one that allows.
  [
    'User-agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif',
    '/example/page/disallowed.gif',
    false,
  ],
  ['User-agent: *\nAllow: /example/page/\nDisallow: /example/', '/example/page/a', true],
  ['User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
  ['User-agent: *\nAllow: /a\nDisallow: /a', '/a', true],
  ['User-agent: *\nDisallow: *.gif$', '/pictures/a.gif', false],
  ['User-agent: *\nDisallow: *.gif$', '/pictures/a.gif?x', true],
  ['User-agent: *\nDisallow: /a$', '/a', false],
  ['User-agent: *\nDisallow: /a$', '/ab', true],
  ['User-agent: *\nDisallow: /*/b*c$', '/a/b/c/c', false],
  ['User-agent: *\nDisallow: /search?q=', '/search?q=1', false],
  ['User-agent: *\nDisallow: /größe', '/gr%C3%B6%C3%9Fe', false],
  [
    '\ufeffUSER-AGENT: * # all\r\nDisallow : /a # not this\r\nSitemap: https://example.com/s\r\nDisallow: /b',
    '/b',
    false,
  ],
] as const)('%j: %s may be asked for: %p', async (robots, path, expected) => {
  expect(await may(robots, path)).toBe(expected)
})

test('a file of nothing but rules is bounded, and lets other work run', async () => {
  let turns = 0
  const turn = setInterval(() => (turns += 1), 0)
  const rules = await rulesIn(`User-agent: *\n${'Disallow: /\n'.repeat(40_000)}`)
  clearInterval(turn)
  expect(rules.length).toBeLessThanOrEqual(200)
  expect(turns).toBeGreaterThan(0)
})

test('rules are bounded as they are kept, whatever they have to be encoded as', async () => {
  const rules = await rulesIn(`User-agent: *\n${`Disallow: /${'日'.repeat(39)}\n`.repeat(200)}`)
  expect(rules.length).toBeGreaterThan(20)
  expect(Buffer.byteLength(JSON.stringify(rules))).toBeLessThan(9_000)
})

test('a line that is too long is left out whole: its beginning would forbid more than it says', async () => {
  const long = `/private/${'x'.repeat(4_096)}`
  expect(await rulesIn(`User-agent: *\nDisallow: ${long}\nDisallow: /b\n`)).toEqual([[0, '/b']])
  // Its rest is no line of its own either.
  expect(await rulesIn(`User-agent: *\n# ${'y'.repeat(4_094)}Disallow: /c\r\nDisallow: /d`)).toEqual([[0, '/d']])
})

test('a pattern that is made to be slow is not', () => {
  const url = new URL(`/${'a'.repeat(2_000)}`, 'https://example.com')
  expect(allows([[0, `/${'*a'.repeat(2_000)}b`]], url)).toBe(true)
})
