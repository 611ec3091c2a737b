import { expect, setSystemTime, test } from 'bun:test'
import { madeAddress, resultAt } from '../../src/pages/made.ts'

const result = { bundles: [{ slug: 'abc', claimToken: 't' }], left: { skipped: 1, changed: 2, doubles: 0 } }
const sealedOf = (secret: string) => madeAddress(result, { secret }).slice('/made/'.length)

test('the address of a result leads to it for a day, and under its own secret alone', () => {
  const secret = 'a secret of this service'
  const sealed = sealedOf(secret)
  expect(resultAt(sealed, { secret })).toEqual(result)
  expect(() => resultAt(sealed, { secret: 'that of another' })).toThrow('gone now')
  try {
    setSystemTime(Date.now() + 24 * 3_600_000 - 1000)
    expect(resultAt(sealed, { secret })).toEqual(result)
    setSystemTime(Date.now() + 2000)
    expect(() => resultAt(sealed, { secret })).toThrow('gone now')
  } finally {
    setSystemTime()
  }
})
