import { expect, test } from 'bun:test'
import { type } from 'arktype'
import { NewBundle } from '../../src/bundles/content/shapes.ts'
import { readImport, toNewBundle } from '../../src/imports/import.ts'
import { workRatio } from '../work.ts'

test('malicious texts take time linear in their length, and the result can be saved', async () => {
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
      const times = await workRatio(
        () => (plan = readImport(long)),
        () => readImport(short),
        100,
      )
      // Linear would be 16 times, quadratic 256.
      expect({ start, piece, isStraight: times < 100 }).toEqual({ start, piece, isStraight: true })
      for (const bundle of plan.bundles) expect(NewBundle(toNewBundle(bundle)) instanceof type.errors).toBe(false)
    }
  }
}, 120_000)
