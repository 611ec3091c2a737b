import Database from 'libsql'
import { statementCache } from '../../db/file.ts'
import { prng } from '../prng.ts'

// Checks cached statements while garbage is collected, on either runtime, and prints the result for
// `statement-cache.test.ts`.

const ROWS = 1_000
const RUNS = 4_000
const collect =
  (globalThis as { Bun?: { gc(isFull: boolean): void } }).Bun?.gc ?? (globalThis as { gc?: () => void }).gc
if (collect === undefined) throw new Error('garbage cannot be collected here')
const turn = () => new Promise((resolve) => setTimeout(resolve, 1))

const database = new Database(':memory:')
database.exec('CREATE TABLE numbers (n integer PRIMARY KEY, name text)')
database.exec(
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS}) INSERT INTO numbers SELECT i, 'number ' || i FROM n`,
)

// The driver itself: collecting the rows of an earlier run in the middle of a later one must not disturb it.
let interrupted = 0
const statement = database.prepare('SELECT n FROM numbers ORDER BY n')
for (let round = 0; round < 20; round += 1) {
  // Half are read to the end.
  read(statement.iterate(), round % 2 === 0 ? ROWS + 1 : 5)
  const later = statement.iterate()
  const first = read(later, 150)
  for (let time = 0; time < 3; time += 1) {
    collect(true)
    await turn()
  }
  const all = [...first, ...read(later, ROWS)]
  if (all.length !== ROWS || all.some((n, at) => n !== at + 1)) interrupted += 1
}

function read(rows: Iterator<unknown>, most: number): number[] {
  const values: number[] = []
  while (values.length < most) {
    const { value, done } = rows.next()
    if (done === true) break
    values.push((value as { n: number }).n)
  }
  return values
}

const cached = statementCache(database, false)
const random = prng(7)
let wrong = 0
for (let run = 0; run < RUNS; run += 1) {
  const most = Math.floor(random() * 250)
  const rows = cached('SELECT n, name FROM numbers WHERE n <= ? ORDER BY n').all([most])
  const [one] = cached('SELECT name FROM numbers WHERE n = ?').all([most + 1])
  const isRight = rows.length === most && rows.every(([n, name], at) => n === at + 1 && name === `number ${at + 1}`)
  if (!isRight || one?.[0] !== `number ${most + 1}`) wrong += 1
  if (run % 100 === 0) collect(true)
  if (run % 1000 === 0) await turn()
}

console.log(JSON.stringify({ interrupted, wrong }))
