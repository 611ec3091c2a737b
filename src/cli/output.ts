import { styleText } from 'node:util'
import { CONTROLS_SAVE_TAB_AND_NEWLINE, visible } from '../core/text.ts'

type Style = Parameters<typeof styleText>[0]
type Stream = NodeJS.WriteStream & { fd: 1 | 2 }

/** Whether what is written is read by a person at a terminal who wants colours. */
function hasColours({ isTTY }: Pick<Stream, 'isTTY'>): boolean {
  return isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
}

/** Text of standard output in a style, where there are colours. */
export function styled(style: Style, text: string): string {
  return hasColours(process.stdout) ? styleText(style, text, { validateStream: false }) : text
}

const UNPRINTED = new RegExp(CONTROLS_SAVE_TAB_AND_NEWLINE, 'g')

/** What is printed of a text from elsewhere: a title must not move the cursor. */
export function plain(text: string): string {
  return text.replace(UNPRINTED, '\ufffd')
}

/** The same on one line. */
export function oneLine(text: string): string {
  return plain(text.replace(/\s+/g, ' '))
}

/** A line of the answer, on standard output. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`)
}

/** A line beside the answer, on standard error. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** The answer as JSON, the same as the service's. */
export function printJson(value: unknown): void {
  print(visible(JSON.stringify(value, null, 2)))
}

/** How far long work is, on one line of a terminal; nothing where nobody looks. `null` takes the line away. */
export function progress(line: string | null): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line ?? ''}`)
}

/** Rows in columns. What others wrote belongs in the last column, whose width matters to none. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((text, at) => Math.max(text.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells.map((cell, at) => (at === cells.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  ')
  print(styled('dim', line(head)))
  for (const row of rows) print(line(row))
}

/** A time as tables show it: to the minute, UTC. */
export function minute(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ')
}
