import { type InStatement, LibsqlBatchError, LibsqlError, type ResultSet, type TransactionMode } from '@libsql/client'
import { BatchCond, ClientError, ResponseError, type RowsResult, Stmt, type Stream } from '@libsql/hrana-client'

// The driver's interface over pooled streams: the driver itself opens a stream per call.

const BEGIN: Record<TransactionMode, string> = {
  write: 'BEGIN IMMEDIATE',
  read: 'BEGIN TRANSACTION READONLY',
  deferred: 'BEGIN DEFERRED',
}

/**
 * Runs one statement.
 * @throws LibsqlError, and what `fetch` throws.
 */
export async function runStatement(stream: Stream, statement: InStatement): Promise<ResultSet> {
  return toResult(await stream.query(toStatement(statement)))
}

/**
 * Runs statements atomically, in their own transaction, which never stays open.
 * @throws LibsqlBatchError for a statement, LibsqlError for the transaction, and what `fetch` throws.
 */
export async function runBatch(stream: Stream, statements: InStatement[], mode: TransactionMode): Promise<ResultSet[]> {
  const batch = stream.batch(false)
  const begin = batch.step()
  const begun = begin.run(BEGIN[mode])
  let last = begin
  const answers = statements.map((statement) => {
    const step = batch.step().condition(BatchCond.ok(last))
    last = step
    return step.query(toStatement(statement))
  })
  const commit = batch.step().condition(BatchCond.ok(last))
  const committed = commit.run('COMMIT')
  const undone = batch
    .step()
    .condition(BatchCond.not(BatchCond.ok(commit)))
    .run('ROLLBACK')
  await batch.execute()
  // Every step has its result by now, undefined if it was skipped.
  const [[beginning], results, [end]] = await Promise.all([
    Promise.allSettled([begun]),
    Promise.allSettled(answers),
    Promise.allSettled([committed, undone]),
  ])
  if (beginning.status === 'rejected') throw beginning.reason
  const rows = results.map((result, index) => {
    if (result.status === 'rejected') throw ofStatement(result.reason, index)
    if (result.value === undefined) throw new LibsqlBatchError('the statement did not run', index, 'TRANSACTION_CLOSED')
    return toResult(result.value)
  })
  if (end.status === 'rejected') throw end.reason
  return rows
}

function toStatement(statement: InStatement): Stmt {
  const { sql, args = [] } = typeof statement === 'string' ? { sql: statement } : statement
  const made = new Stmt(sql)
  if (Array.isArray(args)) return made.bindIndexes(args)
  for (const [name, value] of Object.entries(args)) made.bindName(name, value)
  return made
}

function toResult({ columnNames, columnDecltypes, rows, affectedRowCount, lastInsertRowid }: RowsResult): ResultSet {
  const columns = columnNames.map((name) => name ?? '')
  const columnTypes = columnDecltypes.map((type) => type ?? '')
  return {
    columns,
    columnTypes,
    rows: rows as ResultSet['rows'],
    rowsAffected: affectedRowCount,
    lastInsertRowid,
    toJSON: () => ({ columns, columnTypes, rows, rowsAffected: affectedRowCount, lastInsertRowid }),
  }
}

/** The error that the driver's client would have thrown. */
export function toDriverError(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error
  const code = error instanceof ResponseError ? error.code : undefined
  return new LibsqlError(error.message, code ?? 'SERVER_ERROR', undefined, undefined, error)
}

function ofStatement(error: unknown, index: number): unknown {
  const driverError = toDriverError(error)
  if (!(driverError instanceof LibsqlError)) return driverError
  return new LibsqlBatchError(driverError.message, index, driverError.code, undefined, undefined, error as Error)
}
