import { expect, test } from 'bun:test'
import { usesOf } from '../../src/bundles/variables/placeholders.ts'

const TEXT = '{a}'.repeat(600)
const NOWHERE = { links: 0, texts: [], rules: 0 }

test('where thousands of variables are used is found by reading each text once', () => {
  const { split } = String.prototype
  const { matchAll } = String.prototype
  let readings = 0
  const patched = (native: typeof split) =>
    function (this: string, ...args: Parameters<typeof split>) {
      if (String(this) === TEXT) readings += 1
      return Reflect.apply(native, this, args)
    }
  String.prototype.split = patched(split) as typeof split
  String.prototype.matchAll = patched(matchAll as unknown as typeof split) as unknown as typeof matchAll
  try {
    const variables = Array.from({ length: 2000 }, (_, at) => ({ name: at === 0 ? 'a' : `b${at}` }))
    const uses = usesOf({
      urls: [TEXT, TEXT],
      urlMetadata: [{ note: TEXT }],
      title: TEXT,
      description: null,
      variables,
      resolutionPolicy: null,
    })
    expect([...uses].filter(([, { links }]) => links > 0)).toEqual([
      ['a', { links: 2, texts: ['title', 'notes'], rules: 0 }],
    ])
    expect(uses.get('b1999')).toEqual(NOWHERE)
  } finally {
    String.prototype.split = split
    String.prototype.matchAll = matchAll
  }
  expect(readings).toBe(4)
})
