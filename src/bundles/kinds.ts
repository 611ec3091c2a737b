/** What is said of a text, of a bundle as of a link. */
export interface TextKind {
  kind: 'text'
  /** In code points. */
  max: number
  /** Single-line or multi-line. */
  lines: 'one' | 'many'
}

/** What is said of one of a few words, of a bundle as of a link. */
export interface ChoiceKind<Option extends string, Words> {
  kind: 'choice'
  /** The first is the default. */
  options: readonly [Option, ...Option[]]
  words: Readonly<Record<Option, Words>>
}
