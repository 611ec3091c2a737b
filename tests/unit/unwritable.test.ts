import { expect, test } from 'bun:test'
import { LibsqlError } from '@libsql/client/sqlite3'
import { isUnanswered, StoreUnavailable } from '../../db/unavailable.ts'
import { toProblem } from '../../src/core/problem.ts'

// tests/faults/disk-full.test.ts fills a disk, where mounting one is permitted. Other failures of disks are not made so easily.

test.each(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_FSYNC', 'SQLITE_READONLY', 'SQLITE_CANTOPEN'])(
  '%s is a store that takes no writes: 503, to be tried again when somebody may have made room',
  (code) => {
    const error = new LibsqlError('no', code)
    expect(isUnanswered(error, 'a.db')).toBeTrue()
    const wrapped = new Error('Failed query', { cause: new StoreUnavailable(error) })
    const { status, headers, message } = toProblem(wrapped)
    expect([status, headers['retry-after']]).toEqual([503, '60'])
    expect(message).toContain('nothing was changed')
  },
)

test('a store that does not answer is soon asked again, and a refused query is no outage', () => {
  const busy = new LibsqlError('locked', 'SQLITE_BUSY')
  expect(isUnanswered(busy, 'a.db')).toBeTrue()
  expect(toProblem(new StoreUnavailable(busy)).headers['retry-after']).toBe('2')
  expect(isUnanswered(new LibsqlError('no', 'SQLITE_CONSTRAINT'), 'a.db')).toBeFalse()
})
