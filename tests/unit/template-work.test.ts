import { expect, test } from 'bun:test'
import { checkLinks } from '../../src/core/fixed-links.js'
import { MAX_LINK, MAX_VALUE, readValues } from '../../src/core/template.js'

const NAMES = ['a', 'b', 'c', 'd', 'e']
/** Each with as many placeholders as fit. */
const LINKS = Array.from({ length: 50 }, (_, at) => `https://${at}.example/`.padEnd(MAX_LINK - 3, '{a}{b}{c}{d}{e}'))
const LONG = '漢'.repeat(MAX_VALUE)

test('long values in hundreds of placeholders are encoded only until a link is too long', () => {
  const encode = globalThis.encodeURIComponent
  let encoded = 0
  globalThis.encodeURIComponent = (value) => {
    const text = encode(value)
    encoded += text.length
    return text
  }
  try {
    const { invalid } = checkLinks(
      readValues(
        NAMES.map((name) => ({ name })),
        () => LONG,
      ),
      LINKS,
    )
    expect(invalid.map(({ name }) => name)).toEqual(NAMES)
  } finally {
    globalThis.encodeURIComponent = encode
  }
  // Each link is filled with all values, and with each alone; whole, one would be of half a million characters.
  const fillings = LINKS.length * (1 + NAMES.length)
  expect(encoded / fillings).toBeLessThan(2 * MAX_LINK + encodeURIComponent(LONG).length)
  expect(encoded).toBeGreaterThan(0)
})
