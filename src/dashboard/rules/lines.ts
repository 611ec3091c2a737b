// A list of texts as the lines of a form’s field.

/**
 * Texts as lines to be edited. One that is empty, begins or ends with space, or stands in quotes is put in quotes:
 * lines are otherwise read without the space around them, and blank ones passed over.
 */
export function linesOf(values: readonly string[]): string {
  return values
    .map((value) => (value === '' || value.trim() !== value || isQuoted(value) ? `"${value}"` : value))
    .join('\n')
}

/** The texts that lines stand for. */
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

/** What is left of a list where one text is asked for. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
