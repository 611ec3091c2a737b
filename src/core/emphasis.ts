/**
 * Words between asterisks, within one line and not inside a word: `2*3*4` and `* item` are plain text. Emphasis does not nest,
 * which keeps the time linear.
 */
export const STRESSED = /(?<![\p{L}\p{N}*\\/])(\*{1,3})(?=[^\s*])([^*\n]*[^\s*])\1(?![\p{L}\p{N}*])/gu

/** The text without the asterisks of its emphasis, for places without any. */
export function unstressed(text: string): string {
  return text.replace(STRESSED, '$2')
}

/** The first line of a description, without the marks of emphasis. */
export function firstLine(description: string): string {
  return unstressed(description).split('\n', 1).join()
}
