import type { CsvReader } from '../core/csv.ts'
import { HeaderValues, parseAccept } from '../core/header-values.ts'
import type { CsvFile } from '../operations/operation.ts'
import { streamParts, text } from './respond.ts'

const TYPE = 'text/csv; charset=utf-8'

/** Whether an Accept header names CSV, with at least the weight of JSON. */
interface Wanted {
  isNamed: boolean
  isPreferred: boolean
}

const accepts = new HeaderValues<Wanted>(
  (accept) => {
    const accepted = parseAccept(accept)
    const csv = accepted.get('text/csv') ?? 0
    return { isNamed: csv > 0, isPreferred: csv > 0 && csv >= (accepted.get('application/json') ?? 0) }
  },
  { values: 100, length: 500 },
)
const wantedBy = ({ headers }: Request) => accepts.of(headers.get('accept') ?? '')

/** Whether a request prefers CSV to JSON. */
export function prefersCsv(request: Request): boolean {
  return wantedBy(request).isPreferred
}

/**
 * A table as a CSV file. A client that names `text/csv` in Accept is a program. Anything else may open the file in a spreadsheet;
 * a browser, recognised by its cookie, gets a byte order mark, without which Excel takes UTF-8 for the system's encoding.
 * @param fileFor the table for its reader.
 * @param failed gets the error if generating it fails midway.
 */
export function csvAnswer(
  request: Request,
  fileFor: (reader: CsvReader) => CsvFile,
  headers: Record<string, string>,
  failed: (error: unknown) => void,
): Response {
  const reader = wantedBy(request).isNamed ? 'program' : 'person'
  const mark = reader === 'person' && request.headers.has('cookie') ? '\ufeff' : ''
  const file = fileFor(reader)
  if ('parts' in file) {
    const parts = marked(mark, file.parts)
    return streamParts({ ...file, parts }, { 'content-type': TYPE, vary: 'Accept', ...headers }, failed)
  }
  return text(request, mark + file.text, {
    type: TYPE,
    headers: {
      vary: 'Accept, Accept-Encoding',
      'content-disposition': `attachment; filename="${file.filename}"`,
      ...headers,
    },
  })
}

async function* marked(mark: string, parts: AsyncIterable<string>): AsyncGenerator<string> {
  if (mark !== '') yield mark
  yield* parts
}
