/**
 * The reader of a table: a person with a spreadsheet, which misreads the encoding of a file without a byte order mark and runs
 * cells that look like formulas, or a program, which needs cells unchanged.
 */
export type CsvReader = 'person' | 'program'

/** Matches cells that spreadsheets evaluate (full-width signs too), unless an apostrophe precedes them. */
export const FORMULA = /^'*[=+\-@＝＋－＠\t\r\n]/

/** A line of a CSV file (RFC 4180), without its end. For people, an apostrophe precedes a formula. */
export function csvLine(cells: readonly (string | number)[], reader: CsvReader): string {
  return cells.map((cell) => quoted(reader === 'person' ? String(cell).replace(FORMULA, "'$&") : String(cell))).join()
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
