import { ABOUT_NAMES, BOUNDS, each } from '../../../src/bundles/content/content.ts'
import type { NewBundle } from '../../../src/bundles/content/shapes.ts'
import { besideField } from '../../../src/core/field-words.ts'
import { reasonIn } from '../../../src/core/issue-words.ts'
import { type Problem, toProblem } from '../../../src/core/problem.ts'
import { fingerprint } from '../../../src/core/secrets.ts'
import { tooMany } from '../../../src/core/words.ts'
import { toNewBundle } from '../../../src/imports/import.ts'
import type { FoundList } from '../../../src/imports/plan.ts'
import { splitList } from '../../../src/imports/split.ts'
import { notAllowed, TAKEN } from '../link-name.tsx'
import { type PasteForm, type Pressed, pressed, typedText, unreadListing, variablesIn } from './form.ts'

export const EMPTY_FORM: PasteForm = {
  ...each(ABOUT_NAMES, () => ''),
  text: '',
  errors: {},
  listing: null,
  focus: null,
  names: { declared: [], plain: [], left: [] },
  offers: [],
  isWanted: false,
  isAsked: false,
  made: null,
}

/** The form after a button that publishes nothing. */
export function formAfter({ fields, listing, names, offers, isWanted, focus }: Pressed): PasteForm {
  return {
    ...formAsSent(fields),
    ...each(ABOUT_NAMES, (name) => listing.list[name] ?? ''),
    listing,
    focus,
    names,
    offers,
    isWanted,
  }
}

/** The form as sent, without parsing its text. */
function formAsSent(fields: URLSearchParams): PasteForm {
  return {
    ...EMPTY_FORM,
    ...each(ABOUT_NAMES, (name) => typedText(fields, name)),
    text: fields.getAll('urls').join('\n'),
  }
}

/** What a screen does with the form. */
interface Screen<Created> {
  /** Counts the parsing of the text against a limit. @throws Problem RATE_LIMITED. */
  count?(): unknown
  /** Calls `create_bundle`. @param part its position among the bundles of the form, of which there are `parts`. */
  create(input: NewBundle, conditions: { idempotencyKey: string | null }, parts: number): Promise<Created>
}

/** The bundles to create from a form, and those created so far. */
interface Making<Created> {
  inputs: readonly NewBundle[]
  made: Created[]
  left: Left
}

type Left = Pick<FoundList['counts'], 'skipped' | 'changed' | 'duplicates'>

interface Unmade<Created> {
  form: PasteForm
  /** With the same key, resubmitting does not create the same parts twice. */
  idempotencyKey: string | null
  /** The error that refused it, as thrown; null if the list is to be checked first. */
  refused: { problem: Problem; thrown: unknown } | null
  /** The parts that were created before one was refused. */
  made: Created[]
}

export const NOTHING_LEFT: Left = { skipped: 0, changed: 0, duplicates: 0 }

/** Lists the pasted links of a form; publishes once that is requested and the list has nothing new. */
export async function makePasted<Created>(
  sent: URLSearchParams,
  screen: Screen<Created>,
): Promise<Unmade<Created> | Pick<Making<Created>, 'made' | 'left'>> {
  const key = sent.get('idempotencyKey') || null
  const making: Making<Created> = { inputs: [], made: [], left: NOTHING_LEFT }
  let form: PasteForm = { ...formAsSent(sent), listing: unreadListing(sent) }
  try {
    // Before parsing, so that a refused request costs none.
    await screen.count?.()
    const press = await pressed(sent)
    form = formAfter(press)
    if (!press.isReady) {
      return { form: { ...form, isAsked: !sent.has('do') }, idempotencyKey: key, refused: null, made: [] }
    }
    await createAll(press, making, screen)
    return { made: making.made, left: making.left }
  } catch (thrown) {
    const problem = toProblem(thrown)
    const { made } = making
    const idempotencyKey = made.length > 0 ? key : null
    return { form: withErrors(form, problem, making), idempotencyKey, refused: { problem, thrown }, made }
  }
}

/** Creates each bundle of a form. */
async function createAll<Created>(
  { fields, listing, names }: Pressed,
  making: Making<Created>,
  { create }: Screen<Created>,
) {
  const key = fields.get('idempotencyKey') || null
  const isSplit = fields.get('do') === 'split' && listing.parts > 1
  const { skipped, changed, duplicates } = listing.list.counts
  making.left = { skipped, changed, duplicates }
  making.inputs = (isSplit ? splitList(listing.list) : [listing.list]).map((part) => {
    const bundle = { ...toNewBundle(part), source: 'web' as const }
    return { ...bundle, variables: variablesIn(bundle, names.declared) }
  })
  for (const [part, input] of making.inputs.entries()) {
    // Parts after the first get keys derived from the form's.
    const idempotencyKey = part === 0 ? key : key && fingerprint(`${key} ${part}`)
    making.made.push(await create(input, { idempotencyKey }, making.inputs.length))
  }
}

/** For visitors whose session ended while they typed, if bundles require an account. */
const SIGN_IN_FIRST = 'Sign in in another tab, then send this again. Everything you typed is still here.'

const NO_LINKS = 'We found no links in this. Paste at least one web address.'

/** The form with its errors, beside fields and in the list. */
function withErrors<Created>(form: PasteForm, problem: Problem, { inputs, made }: Making<Created>): PasteForm {
  const errors: PasteForm['errors'] = {}
  const urls = inputs[made.length]?.urls ?? []
  const titles = new Map<string | undefined, string>()
  for (const { path, reason } of problem.issues) {
    const [field, index] = path
    const about = ABOUT_NAMES.find((name) => name === field)
    if (about !== undefined) errors[about] = besideField(reason)
    else if (field === 'urls' && typeof index === 'number') errors.urls ??= `${urls[index]} ${reasonIn(reason)}.`
    else if (field === 'urls') errors.urls = urls.length === 0 ? NO_LINKS : tooMany(urls.length, BOUNDS.urls)
    else if (field === 'slug') errors.slug = notAllowed(reason)
    // The list has one title per link, so too many titles means too many links.
    else if (field !== 'urlMetadata') errors.form = problem.message
    else if (typeof index === 'number') titles.set(urls[index], besideField(reason))
  }
  if (problem.code === 'SLUG_TAKEN') errors.slug = TAKEN
  else if (problem.issues.length === 0) errors.form = problem.code === 'UNAUTHORIZED' ? SIGN_IN_FIRST : problem.message
  if (made.length > 0) {
    const reason = errors.form ?? errors.urls ?? ''
    errors.form = `${made.length} of ${inputs.length} bundles have been created. ${reason} Then press “Create ${inputs.length} bundles instead” again.`
  }
  const { listing } = form
  if (listing === null || titles.size === 0) return { ...form, errors }
  const links = listing.links.map((link) => ({ ...link, error: titles.get(link.url) }))
  return { ...form, errors, listing: { ...listing, links } }
}
