import { styleText } from 'node:util'
import { CONTROLS_SAVE_TAB_AND_NEWLINE, escapeControls } from '../core/text.ts'

type Style = Parameters<typeof styleText>[0]
type Stream = NodeJS.WriteStream & { fd: 1 | 2 }

/** Whether to use colours: only on a terminal, unless disabled. */
function hasColours({ isTTY }: Pick<Stream, 'isTTY'>): boolean {
  return isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
}

/** Styles text for standard output, if it has colours. */
export function styled(style: Style, text: string): string {
  return hasColours(process.stdout) ? styleText(style, text, { validateStream: false }) : text
}

const UNPRINTED = new RegExp(CONTROLS_SAVE_TAB_AND_NEWLINE, 'g')

/** Makes untrusted text safe to print: a title must not control the terminal. */
export function plain(text: string): string {
  return text.replace(UNPRINTED, '\ufffd')
}

/** Makes untrusted text safe to print on one line. */
export function oneLine(text: string): string {
  return plain(text.replace(/\s+/g, ' '))
}

/** Prints a line to standard output, for the answer. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`)
}

/** Prints a line to standard error, for everything else. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Prints the service's answer as JSON. */
export function printJson(value: unknown): void {
  print(escapeControls(JSON.stringify(value, null, 2)))
}

/** Shows progress on one line of a terminal; `null` clears it. Does nothing without a terminal. */
export function progress(line: string | null): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line ?? ''}`)
}

/**
 * The columns of a table, by heading: a function that gives the text, or the field with it. Users’ texts belong in the last one.
 */
export type Columns<Entry> = Readonly<Record<string, (keyof Entry & string) | ((entry: Entry) => string)>>

/** Prints entries in columns; the last is not padded. */
export function printTable<Entry>(entries: readonly Entry[], columns: Columns<Entry>): void {
  const head = Object.keys(columns)
  const rows = entries.map((entry) =>
    Object.values(columns).map((text) => oneLine(typeof text === 'string' ? String(entry[text] ?? '') : text(entry))),
  )
  const widths = head.map((text, at) => Math.max(text.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells.map((cell, at) => (at === cells.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  ')
  print(styled('dim', line(head)))
  for (const row of rows) print(line(row))
}

/** A time to the minute, in UTC. */
export function minute(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ')
}
