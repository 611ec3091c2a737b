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

export type Kind = 'text' | 'time' | 'choice' | 'switch' | 'links' | 'variables' | 'rules'

/** What a field of a bundle’s content is, and who sees it. */
export interface Field {
  /** The label shown above it. */
  label: string
  /** How it is sent, compared, merged and edited: every `Record` of kinds has one entry for each. */
  kind: Kind
  /** Whether lists of bundles include it. */
  isListed: boolean
  /** Whether all viewers of the open launcher see it. Launchers read all content: the trigger `bundle_changed` watches it. */
  isPublic: boolean
  /** Whether versions with equal large values share one stored copy per bundle (`stored.ts`). */
  isShared: boolean
}

/** One value, compared and replaced as a whole. */
export interface ScalarField extends Field {
  /** Where forms ask for it: with the title, with the opening times, or with who may see it, which nobody may propose. */
  group: 'about' | 'opening' | 'visibility'
  /** Its command-line flag. */
  flag: string
  /** Help text of the flag. */
  help: string
}

/** A string, or null for none. */
export type TextField = ScalarField & TextKind

/** An instant, or null for none: ISO 8601 in UTC, with milliseconds. */
interface TimeField extends ScalarField {
  kind: 'time'
}

/** One of a few words. */
type ChoiceField<Option extends string> = ScalarField & ChoiceKind<Option, string>

/** On or off. */
interface SwitchField extends ScalarField {
  kind: 'switch'
  /** Of a new bundle. */
  isOn: boolean
  /** What is so if it is on, as a sentence without a full stop. */
  says: string
}

export type FieldOf<Value> = [string | null] extends [Value]
  ? TextField | TimeField
  : [Value] extends [string]
    ? ChoiceField<Value>
    : [Value] extends [boolean]
      ? SwitchField
      : Field & { kind: 'links' | 'variables' | 'rules' }
