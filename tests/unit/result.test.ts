import { expect, setSystemTime, test } from 'bun:test'
import { readResult, resultPath } from '../../src/bundles/claims/result.ts'

const result = { bundles: [{ slug: 'abc', claimToken: 't' }], left: { skipped: 1, changed: 2, duplicates: 0 } }
const sealedOf = (secret: string) => resultPath(result, { secret }).slice('/made/'.length)

test('the address of a result is valid for a day, and only with its own secret', () => {
  const secret = 'a secret of this service'
  const sealed = sealedOf(secret)
  expect(readResult(sealed, { secret })).toEqual(result)
  expect(() => readResult(sealed, { secret: 'that of another' })).toThrow('has expired')
  try {
    setSystemTime(Date.now() + 24 * 3_600_000 - 1000)
    expect(readResult(sealed, { secret })).toEqual(result)
    setSystemTime(Date.now() + 2000)
    expect(() => readResult(sealed, { secret })).toThrow('has expired')
  } finally {
    setSystemTime()
  }
})
