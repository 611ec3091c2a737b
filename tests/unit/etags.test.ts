import { expect, test } from 'bun:test'
import { isUnchanged } from '../../src/http/respond.ts'

const asks = (known: string) => new Request('http://a.example/', { headers: { 'if-none-match': known } })
const ENDINGS = ['', '-gzip', '-br', '-zstd', '-deflate', ';gzip', '--gzip']

test('an ETag is known again with each ending of a proxy, even if it ends as such an ending begins', () => {
  for (const tag of ['v1', 'a', 'a-', 'a--', 'a-br', 'a;gzip']) {
    for (const ending of ENDINGS) {
      for (const sent of [`"${tag}${ending}"`, `W/"${tag}${ending}"`, `"x", "${tag}${ending}" `]) {
        expect([sent, isUnchanged(asks(sent), `"${tag}"`)]).toEqual([sent, true])
      }
    }
  }
})

test('another ETag is not, nor one with an ending that no proxy appends', () => {
  for (const sent of ['"b"', '"ab"', '"a-edited"', '"agzip"', '"a-gzip-br"', '"a', 'a"', '""', '"-gzip"']) {
    expect([sent, isUnchanged(asks(sent), '"a"')]).toEqual([sent, false])
  }
})
