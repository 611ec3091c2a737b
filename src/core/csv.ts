import { FORMULA } from './text.ts'

/** A line of a CSV file (RFC 4180), without its end. What looks like a formula gets an apostrophe. */
export function csvLine(cells: readonly (string | number)[]): string {
  return cells.map(cell).join()
}

function cell(value: string | number): string {
  const text = String(value).replace(FORMULA, "'$&")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
