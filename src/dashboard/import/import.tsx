/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { ImportPage } from '../../../views/dashboard/import/import.tsx'
import { type ImportForm, noteName, placeOf } from '../../../views/dashboard/import/import-form.ts'
import { ImportedPage, type ImportedRow } from '../../../views/dashboard/import/imported.tsx'
import { headingOf } from '../../../views/launcher/launcher.tsx'
import type { CreatedBundle } from '../../bundles/answers.ts'
import { BOUNDS } from '../../bundles/bounds.ts'
import { newContent } from '../../bundles/creation.ts'
import { createBundle } from '../../bundles/operations.ts'
import { NewBundle } from '../../bundles/shapes.ts'
import { besideField } from '../../core/field-words.ts'
import { fingerprint } from '../../core/hash.ts'
import { Problem } from '../../core/problem.ts'
import { requireRole } from '../../identity/roles.ts'
import { FORMATS } from '../../imports/formats.ts'
import { toNewBundle } from '../../imports/import.ts'
import type { ImportPlan } from '../../imports/plan.ts'
import { readText } from '../../imports/reading.ts'
import { validate } from '../../operations/validate.ts'
import type { Outcome, Screen, ScreenPage } from '../parts/screens.tsx'
import { dryRun, resultOrProblem, run, type Visit } from '../parts/visit.ts'

/** The limit as submitted: ticks and titles must fit into the same body as the text. */
const MAX_SENT = 200 * 1024

/** The import of links. */
export const importScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/import',
    async get(visit) {
      requireRole(visit.site.user.role, 'editor')
      const view = <ImportPage form={await readForm('')} site={visit.site} />
      return { section: 'bundles', title: 'Import', view }
    },
    async post(visit, sent) {
      requireRole(visit.site.user.role, 'editor')
      const text = (sent.get('text') ?? '').replaceAll('\r\n', '\n')
      if (new URLSearchParams({ text }).toString().length > MAX_SENT) return importPage(await tooLong(text))
      const action = sent.get('do')
      const chosen = action === 'sections' || action === 'bundles' ? action : sent.get('as')
      const form = await readForm(text, chosen === 'sections' ? 'sections' : 'bundles')
      // Ticks and titles are only valid for the text they were shown with.
      if (action === 'make' && sent.get('reading') === form.reading) return make(visit, asSent(form, sent))
      return read(visit, form)
    },
  },
]

/** The form for a text, with all its bundles and links ticked. */
async function readForm(text: string, as: ImportForm['as'] = 'bundles'): Promise<ImportForm> {
  const { plan, error } = await planOf(text, as)
  const bundles = plan?.bundles ?? []
  return {
    text,
    error,
    plan,
    as,
    titles: bundles.map(({ title }) => title ?? ''),
    notes: new Map(untitledIn(bundles).map((place) => [place, ''])),
    ticked: new Set(bundles.flatMap(({ links }, index) => [`${index}`, ...links.map((_, at) => placeOf(index, at))])),
    errors: new Map(),
    refused: null,
    idempotencyKey: randomUUID(),
    reading: fingerprint(`${as} ${text}`),
  }
}

/** The places of the first links without a title, as many as are looked at in one go. */
function untitledIn(bundles: ImportPlan['bundles']): string[] {
  return bundles
    .flatMap(({ links }, index) => links.flatMap(({ metadata }, at) => (metadata.note ? [] : [placeOf(index, at)])))
    .slice(0, BOUNDS.urls)
}

/** What is in a text; what is wrong with it as a whole belongs beside it. */
async function planOf(text: string, as: ImportForm['as']): Promise<Pick<ImportForm, 'plan' | 'error'>> {
  if (text.trim() === '') return { plan: null, error: null }
  try {
    return { plan: await readText(text, as), error: null }
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return { plan: null, error: error.message }
    throw error
  }
}

async function tooLong(text: string): Promise<ImportForm> {
  const error = 'This is too long to read at once: import it in parts.'
  return { ...(await readForm('')), text, error }
}

function asSent(form: ImportForm, sent: URLSearchParams): ImportForm {
  // Indexed by name, because each lookup in URLSearchParams scans all fields.
  const fields = new Map(sent)
  return {
    ...form,
    titles: form.titles.map((title, index) => (fields.get(`title-${index}`) ?? title).trim()),
    notes: new Map([...form.notes.keys()].map((place) => [place, (fields.get(noteName(place)) ?? '').trim()])),
    ticked: new Set([...sent.getAll('bundle'), ...sent.getAll('link')]),
    idempotencyKey: sent.get('idempotencyKey') || form.idempotencyKey,
  }
}

async function read(visit: Visit, form: ImportForm): Promise<Outcome> {
  const [first] = form.plan?.bundles ?? []
  if (first === undefined) return importPage({ ...form, error: form.error ?? noLinks(form.plan) })
  // Report a full plan before anyone ticks anything.
  const problem = await resultOrProblem(() => dryRun(visit, createBundle, toNewBundle(first)))
  return importPage({ ...form, refused: problem?.message ?? null })
}

function noLinks(plan: ImportPlan | null): string {
  const what =
    plan === null || plan.format === 'list'
      ? 'We found no links in this'
      : `This is ${FORMATS[plan.format]} without links`
  return `${what}. Paste at least one web address.`
}

interface Wanted {
  index: number
  input: NewBundle
}

async function make(visit: Visit, form: ImportForm): Promise<Outcome> {
  const { plan, ticked, idempotencyKey } = form
  const wanted = wantedOf(form, plan)
  if (wanted.length === 0) return importPage({ ...form, refused: 'Tick at least one bundle.' })
  const errors = errorsOf(wanted)
  if (errors.size > 0) return importPage({ ...form, errors })
  const made: ImportedRow[] = []
  const left: Wanted[] = []
  let refused: Problem | null = null
  for (const { index, input } of wanted) {
    const answer: Made | Problem = refused ?? (await makeOne(visit, `${idempotencyKey}-${index}`, input))
    if (answer instanceof Problem) {
      refused = answer
      left.push({ index, input })
    } else
      made.push({
        slug: answer.slug,
        heading: headingOf({ ...input, title: input.title ?? null }),
        urls: input.urls,
        takenId: answer.takenId,
      })
  }
  if (refused === null) return { section: 'bundles', title: 'Import', view: <ImportedPage made={made} form={null} /> }
  const places = new Set(left.map(({ index }) => String(index)))
  const isLeft = (tick: string) => places.has(tick.split('.', 1)[0] ?? '')
  const rest = { ...form, refused: refused.message, ticked: new Set([...ticked].filter(isLeft)) }
  if (made.length === 0) return importPage(rest, refused)
  return { section: 'bundles', title: 'Import', view: <ImportedPage made={made} form={rest} /> }
}

/** A bundle that was made, without the ID of its owner’s system if another one has it: null for one that kept its own. */
type Made = CreatedBundle & Pick<ImportedRow, 'takenId'>

/** Resubmitting creates nothing twice, but another title or selection counts as another bundle. */
async function makeOne(
  visit: Visit,
  key: string,
  input: NewBundle,
  takenId: string | null = null,
): Promise<Made | Problem> {
  const idempotencyKey = `${key}-${fingerprint(JSON.stringify(input))}`
  const made = await resultOrProblem(() => run(visit, createBundle, input, { idempotencyKey }))
  if (!(made instanceof Problem)) return { ...made, takenId }
  const { externalId, ...rest } = input
  return made.code === 'EXTERNAL_ID_TAKEN' && externalId ? makeOne(visit, key, rest, externalId) : made
}

function wantedOf({ titles, notes, ticked }: ImportForm, plan: ImportPlan | null): Wanted[] {
  return (plan?.bundles ?? []).flatMap(({ links, ...texts }, index) => {
    if (!ticked.has(String(index))) return []
    const kept = links.flatMap((link, at) => {
      if (!ticked.has(placeOf(index, at))) return []
      const note = notes.get(placeOf(index, at))
      return [note ? { ...link, metadata: { ...link.metadata, note } } : link]
    })
    return [{ index, input: toNewBundle({ ...texts, title: titles[index] || null, links: kept }) }]
  })
}

/** The errors of all bundles, found before any is created. */
function errorsOf(wanted: readonly Wanted[]): Map<number, string> {
  const errors = new Map<number, string>()
  for (const { index, input } of wanted) {
    try {
      newContent(validate(NewBundle, input))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const [first] = error.issues
      const reason = first?.path[0] === 'title' ? besideField(first.reason) : error.message
      errors.set(index, input.urls.length === 0 ? 'Tick at least one of its links, or untick the bundle.' : reason)
    }
  }
  return errors
}

/** The error of a form decides the response's status. */
function importPage(form: ImportForm, problem?: Problem): ScreenPage {
  const wrong = form.error ?? [...form.errors.values()][0]
  const own = wrong === undefined ? undefined : new Problem('BAD_REQUEST', wrong)
  return { section: 'bundles', title: 'Import', view: <ImportPage form={form} />, problem: problem ?? own }
}
