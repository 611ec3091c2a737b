/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import type { CreatedBundle } from '../../../src/bundles/content/answers.ts'
import { BOUNDS } from '../../../src/bundles/content/content.ts'
import { NewBundle } from '../../../src/bundles/content/shapes.ts'
import { newContent } from '../../../src/bundles/edit/creation.ts'
import { createBundle } from '../../../src/bundles/edit/operations.ts'
import { besideField } from '../../../src/core/field-words.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { fingerprint } from '../../../src/core/secrets.ts'
import type { SentFile } from '../../../src/http/body.ts'
import { requireRole } from '../../../src/identity/caller.ts'
import { clip } from '../../../src/imports/clean.ts'
import { MAX_TEXT, TOO_LONG } from '../../../src/imports/file.ts'
import { FORMATS } from '../../../src/imports/formats.ts'
import { toNewBundle } from '../../../src/imports/import.ts'
import type { ImportPlan } from '../../../src/imports/plan.ts'
import { readFile, readText } from '../../../src/imports/reading.ts'
import { validate } from '../../../src/operations/validate.ts'
import { headingOf } from '../../launcher/parts/launcher.tsx'
import { writtenIn } from '../../parts/found.tsx'
import {
  dryRun,
  type Outcome,
  resultOrProblem,
  run,
  type Screen,
  type ScreenPage,
  type Visit,
} from '../parts/screens.tsx'
import { type ImportForm, MAX_FILE, noteName, placeOf } from './import-form.ts'
import { asChosen } from './names.tsx'
import { ImportedPage, type ImportedRow, ImportPage } from './view.tsx'

/** The import of links. */
export const importScreens: readonly Screen[] = [
  {
    path: routes.bundles.import.path,
    async get(visit) {
      requireRole(visit.site.user.role, 'editor')
      const view = <ImportPage form={await readForm('')} site={visit.site} userId={visit.session.userId} />
      return { section: 'bundles', title: 'Import', view }
    },
    maxFile: MAX_FILE,
    async post(visit, sent, file) {
      requireRole(visit.site.user.role, 'editor')
      const action = sent.get('do')
      const chosen = action === 'sections' || action === 'bundles' ? action : sent.get('as')
      const as = chosen === 'sections' ? 'sections' : 'bundles'
      const text = (sent.get('text') ?? '').replaceAll('\r\n', '\n')
      if (file !== null) return read(visit, await formOfFile(file, as, text))
      if (text.length > MAX_TEXT) return importPage(visit, await tooLong(text))
      const form = await readForm(text, as)
      // Selections and titles are valid only for the text with which they were shown.
      const isShown = sent.get('reading') === form.reading
      if (action === 'make' && isShown) return make(visit, asSent(form, sent))
      if ((action === 'none' || action === 'all') && isShown)
        return importPage(visit, withBundles(asSent(form, sent), action === 'all'))
      return read(visit, form)
    },
  },
]

/** The form for a file: its text replaces the typed text, unless the file is refused. */
async function formOfFile({ name, bytes }: SentFile, as: ImportForm['as'], typed: string): Promise<ImportForm> {
  const refused = (error: string) => formOf(typed, { plan: null, error }, as)
  if (bytes.length === 0) return refused(`${name} is empty.`)
  const content = await orRefusal(readFile(bytes, as))
  if ('error' in content) return refused(content.error)
  const called = clip(name, BOUNDS.title)
  const says = content.isGuessed
    ? `From ${called}, read as Windows-1252 (Western European). If letters are wrong, save the file as UTF-8.`
    : `From ${called}.`
  return { ...formOf(content.text, { plan: content.plan, error: null }, as), says }
}

/** The form for a text, with all bundles and links selected. */
async function readForm(text: string, as: ImportForm['as'] = 'bundles'): Promise<ImportForm> {
  return formOf(text, await planOf(text, as), as)
}

function formOf(text: string, { plan, error }: Pick<ImportForm, 'plan' | 'error'>, as: ImportForm['as']): ImportForm {
  const bundles = plan?.bundles ?? []
  return {
    text,
    says: null,
    error,
    plan,
    as,
    titles: bundles.map(({ title }) => title ?? ''),
    notes: new Map(untitledIn(bundles).map((place) => [place, ''])),
    ticked: new Set(bundles.flatMap(({ links }, index) => [`${index}`, ...links.map((_, at) => placeOf(index, at))])),
    kept: new Set(),
    plain: new Set(),
    filled: new Set(),
    errors: new Map(),
    refused: null,
    idempotencyKey: randomUUID(),
    reading: fingerprint(`${as} ${text}`),
  }
}

/** The positions of the first links without a title, as many as one request inspects. */
function untitledIn(bundles: ImportPlan['bundles']): string[] {
  return bundles
    .flatMap(({ links }, index) => links.flatMap(({ metadata }, at) => (metadata.note ? [] : [placeOf(index, at)])))
    .slice(0, BOUNDS.urls)
}

/** The plan of a text, or the error of the text as a whole. */
async function planOf(text: string, as: ImportForm['as']): Promise<Pick<ImportForm, 'plan' | 'error'>> {
  if (text.trim() === '') return { plan: null, error: null }
  const plan = await orRefusal(readText(text, as))
  return 'error' in plan ? { plan: null, error: plan.error } : { plan, error: null }
}

/** What was read, or why it is refused. */
async function orRefusal<T>(reading: Promise<T>): Promise<T | { error: string }> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return { error: error.message }
    throw error
  }
}

async function tooLong(text: string): Promise<ImportForm> {
  return { ...(await readForm('')), text, error: TOO_LONG }
}

function asSent(form: ImportForm, sent: URLSearchParams): ImportForm {
  // Indexed by name, because each lookup in URLSearchParams scans all fields.
  const fields = new Map(sent)
  return {
    ...form,
    titles: form.titles.map((title, index) => (fields.get(`title-${index}`) ?? title).trim()),
    notes: new Map([...form.notes.keys()].map((place) => [place, (fields.get(noteName(place)) ?? '').trim()])),
    ticked: new Set([...sent.getAll('bundle'), ...sent.getAll('link')]),
    kept: new Set(sent.getAll('kept')),
    plain: new Set(sent.getAll('plain')),
    filled: new Set(sent.getAll('filled')),
    idempotencyKey: sent.get('idempotencyKey') || form.idempotencyKey,
  }
}

/** The form with all bundles selected, or none; the selection of links within them stays. */
function withBundles(form: ImportForm, isAll: boolean): ImportForm {
  const links = [...form.ticked].filter((place) => place.includes('.'))
  const bundles = isAll ? (form.plan?.bundles ?? []).map((_, index) => String(index)) : []
  return { ...form, ticked: new Set([...bundles, ...links]) }
}

async function read(visit: Visit, form: ImportForm): Promise<Outcome> {
  const [first] = form.plan?.bundles ?? []
  if (first === undefined) return importPage(visit, { ...form, error: form.error ?? noLinks(form.plan) })
  // A full plan is reported before the visitor selects anything.
  const problem = await resultOrProblem(() => dryRun(visit, createBundle, toNewBundle(first)))
  return importPage(visit, { ...form, refused: problem?.message ?? null })
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
  if (wanted.length === 0) {
    const nothing = new Problem('BAD_REQUEST', 'Tick at least one bundle.')
    return importPage(visit, { ...form, refused: nothing.message }, nothing)
  }
  const errors = errorsOf(wanted)
  if (errors.size > 0) return importPage(visit, { ...form, errors })
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
  if (made.length === 0) return importPage(visit, rest, refused)
  return { section: 'bundles', title: 'Import', view: <ImportedPage made={made} form={rest} /> }
}

/** A created bundle, with the external ID that it did not get because another bundle has it; null if it kept its own. */
type Made = CreatedBundle & Pick<ImportedRow, 'takenId'>

/** Resubmitting creates nothing twice, but a changed title or selection counts as another bundle. */
async function makeOne(
  visit: Visit,
  key: string,
  input: NewBundle,
  takenId: string | null = null,
): Promise<Made | Problem> {
  const idempotencyKey = `${key}-${fingerprint(JSON.stringify(input))}`
  const made = await resultOrProblem(() => run(visit, createBundle, input, { idempotencyKey }))
  if (!(made instanceof Problem)) return { ...made, takenId }
  const { externalId, aliases, ...others } = input
  // The bundle from which it was exported still has its aliases.
  if (made.code === 'SLUG_TAKEN' && aliases?.length)
    return makeOne(visit, key, externalId ? { ...others, externalId } : others, takenId)
  const rest = aliases === undefined ? others : { ...others, aliases }
  return made.code === 'EXTERNAL_ID_TAKEN' && externalId ? makeOne(visit, key, rest, externalId) : made
}

function wantedOf(form: ImportForm, plan: ImportPlan | null): Wanted[] {
  const { titles, notes, ticked, kept } = form
  return (plan?.bundles ?? []).flatMap(({ links, ...texts }, index) => {
    if (!ticked.has(String(index))) return []
    const chosen = links.flatMap((link, at) => {
      const place = placeOf(index, at)
      if (!ticked.has(place)) return []
      const [note, written] = [notes.get(place), writtenIn(link.said ?? [])]
      const url = kept.has(place) && written !== undefined ? written : link.url
      return [{ ...link, url, ...(note ? { metadata: { ...link.metadata, note } } : {}) }]
    })
    const bundle = { ...texts, title: titles[index] || null, links: chosen }
    return [{ index, input: toNewBundle(asChosen(bundle, index, form)) }]
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
function importPage({ session }: Visit, form: ImportForm, problem?: Problem): ScreenPage {
  const wrong = form.error ?? [...form.errors.values()][0]
  const own = wrong === undefined ? undefined : new Problem('BAD_REQUEST', wrong)
  return {
    section: 'bundles',
    title: 'Import',
    view: <ImportPage form={form} userId={session.userId} />,
    problem: problem ?? own,
  }
}
