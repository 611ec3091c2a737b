// A list of texts as the lines of a text field.

/**
 * Texts as editable lines. A text that is empty, is quoted, or begins or ends with space is put in quotes, because
 * lines are trimmed when read and blank ones skipped.
 */
export function linesOf(values: readonly string[]): string {
  return values
    .map((value) => (value === '' || value.trim() !== value || isQuoted(value) ? `"${value}"` : value))
    .join('\n')
}

/** The texts of lines. */
export function valuesOf(lines: string): string[] {
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => (isQuoted(line) ? line.slice(1, -1) : line))
}

function isQuoted(text: string): boolean {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"')
}

/** The one text to keep when a list becomes a single value. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
