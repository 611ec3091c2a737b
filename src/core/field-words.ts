import type { Reason } from './issue.ts'
import { expectationIn, phrase, reasonIn, type Words } from './issue-words.ts'
import { formatInteger } from './words.ts'

// Issues worded for pages, whose readers see a field, not its name in the API.

/** Complete sentences. */
const SENTENCES: Partial<Words<Reason>> = {
  blank: 'Fill in this field.',
  not_a_web_address: 'This doesn’t look like a web address.',
  closes_before_it_opens: 'This must be after the opening time.',
  not_a_day: 'Enter a day.',
  not_to_come: 'Choose a day in the future.',
  ends_before_it_begins: 'This must not be before the first day.',
  after_today: 'This must not be after today.',
  password_missing: 'Choose a password.',
  not_chosen: 'Choose a value.',
  not_an_email_address: 'Enter a valid email address.',
  no_picture:
    'This can’t be used as a picture. Choose a PNG, JPEG or WebP of at most 1024 × 1024 pixels, or an SVG of plain shapes.',
  picture_too_large: 'This file is larger than 256 KiB. Choose a smaller one.',
}

/** Phrases that differ from the API's. */
const CLAUSES: Partial<Words<Reason>> = {
  too_high: ({ limit }) => `must be at most ${formatInteger(limit)}`,
  // An empty field is null.
  either: ({ of }) => {
    const choices = of.filter((one) => one.code !== 'type' || one.expected !== 'null')
    const [only] = choices
    return choices.length === 1 && only ? clauseIn(only) : `must be ${choices.map(expectationIn).join(' or ')}`
  },
  variable_named_twice: ({ variable }) => `must be different from the name of variable ${variable + 1}`,
  name_taken: ({ rule }) => `must be different from the name of rule ${rule + 1}`,
  not_a_slug: 'must be letters from a to z and digits, with single hyphens between them',
  not_a_metadata_key: () => 'must be 1 to 40 letters, digits, _, . or -',
}

/** The error beside a field. */
export function besideField(reason: Reason): string {
  return saidBy(SENTENCES, reason) ?? `This ${clauseIn(reason)}.`
}

/** The error of a field, as the end of a sentence that begins with the field's name on its page. */
export function clauseIn(reason: Reason): string {
  return saidBy(CLAUSES, reason) ?? reasonIn(reason)
}

function saidBy(words: Partial<Words<Reason>>, reason: Reason): string | undefined {
  return Object.hasOwn(words, reason.code) ? phrase(words as Words<Reason>, reason) : undefined
}
