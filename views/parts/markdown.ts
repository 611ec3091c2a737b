// Text that a user wrote, for Markdown.

/** A text of several lines, without empty ones, each of which stays a line of text. */
export function lines(text: string): string[] {
  return text
    .split('\n')
    .map(inline)
    .filter((line) => line !== '')
}

/** Text of one line that no reader takes for Markdown or HTML, nor for an address, which some would make a link. */
export function inline(text: string): string {
  return (
    text
      .trim()
      .replace(/[\\`*_~[\]<|@]|!(?=\[)|:(?=\/\/)|(?<=\bwww)\./gi, '\\$&')
      // Only these are more than an ampersand.
      .replace(/&(?=#|\w+;)/g, '\\&')
      // At the start of a line: headings, lists, quotes, rules, tables.
      .replace(/^(?:[#+>=:-]|\d+(?=[.)]))/, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`))
  )
}
