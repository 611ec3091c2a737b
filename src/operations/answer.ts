import type { Service } from '../core/service.ts'
import type { CsvFile, Download, Operation } from './operation.ts'

/** What the caller gets for a successful call. */
export interface PublicAnswer {
  status: number
  /** The JSON body of the route and the content of the tool. */
  body: unknown
  headers: Record<string, string>
  /** Makes a file of the answer, if the operation has one. */
  file?: () => CsvFile
  /** The answer streamed in parts, if it may be too large for memory. */
  download?: Download
  /** The query fields that select the next page, if there is one. */
  next?: Readonly<Record<string, number | string>>
  /** Text that a tool’s result has besides the body. */
  note?: string
}

/** The same with the operation’s own output, from which pages are rendered. */
export interface Answer<Out> extends PublicAnswer {
  output: Out
}

/** The answer to a call, of what the operation returned. */
export function answer<In, Out>(
  { operation, service: { config } }: { operation: Operation<In, Out>; service: Service },
  output: Out,
  headers: Record<string, string>,
): Answer<Out> {
  for (const name in operation.headers) headers[name] ??= operation.headers[name]!(output)
  const sent: Answer<Out> = {
    output,
    status: operation.isNew?.(output) ? 201 : (operation.status ?? 200),
    body: operation.present?.(output, config) ?? output,
    headers,
  }
  const { csv } = operation
  if (csv !== undefined) sent.file = () => csv(output)
  if (operation.download !== undefined) sent.download = operation.download(output)
  const parts = operation.whole?.(output, config) ?? null
  if (parts !== null) sent.download = { filename: null, parts }
  const [next, note] = [operation.next?.(output) ?? null, operation.note?.(output) ?? null]
  if (next !== null) sent.next = next
  if (note !== null) sent.note = note
  return sent
}
