/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/bounds.ts'
import { count } from '../../../src/core/words.ts'
import type { ImportedBundle, ImportPlan, Remark } from '../../../src/imports/import.ts'
import { destination } from '../../parts/destination.ts'
import { Alert, described, FieldError, leading } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Head } from '../parts/shell.tsx'

/** What is about to be imported, as it was sent. */
export interface ImportForm {
  text: string
  /** What is wrong with the text as a whole. */
  error: string | null
  /** What the text would make; null before it is read. */
  plan: ImportPlan | null
  /** Of each bundle of the plan, as it was typed. */
  titles: string[]
  /** What is wanted: `3` is a bundle of the plan, `3.7` a link of it. */
  ticked: ReadonlySet<string>
  /** What is wrong with a bundle, by its index. */
  errors: ReadonlyMap<number, string>
  /** What keeps any bundle from being made. */
  refused: string | null
  /** So that a second press or a reload makes nothing twice. */
  idempotencyKey: string
  /** Tells the text that the plan was made of. */
  reading: string
}

/** A bundle that an import has made. */
export interface Made {
  slug: string
  heading: string
  links: number
}

const FORMATS: Record<ImportPlan['format'], string> = {
  bookmarks: 'bookmarks',
  csv: 'CSV',
  markdown: 'Markdown',
  onetab: 'a OneTab export',
  list: 'a list',
}

const LEDE = 'Bookmarks, CSV, Markdown, OneTab or a list of links. You see what it would make before anything is made.'

/** Bringing links from elsewhere: first the text, then what it would make. */
export function ImportPage({ form }: { form: ImportForm }): JSX.Element {
  return (
    <>
      <Head title="Import" lede={LEDE} />
      <form class="import" id="import" method="post" action="/dashboard/links/import">
        {form.plan === null || form.plan.bundles.length === 0 ? (
          <Source form={form} />
        ) : (
          <Plan form={form} plan={form.plan} />
        )}
      </form>
    </>
  )
}

function Source({ form }: { form: ImportForm }): JSX.Element {
  const { plan } = form
  return (
    <>
      <TextField form={form} rows={12} />
      <div class="save-bar">
        <button type="submit" name="do" value="read" class="primary">
          See what it makes
        </button>
        <a class="quiet" href="/dashboard">
          Cancel
        </a>
      </div>
      {plan === null ? <Formats /> : <Remarks plan={plan} />}
    </>
  )
}

function TextField({ form: { text, error }, rows }: { form: ImportForm; rows: number }): JSX.Element {
  return (
    <div class="field">
      <label for="text">What you bring</label>
      <textarea
        id="text"
        name="text"
        rows={String(rows)}
        required
        spellcheck="false"
        autocapitalize="off"
        {...described('text', error ?? undefined)}
        safe
      >
        {leading(text)}
      </textarea>
      <FieldError id="text" error={error ?? undefined} />
      <p class="file scripted">
        <label for="file">or a file, chosen here or dropped on the field</label>
        <input id="file" type="file" accept=".html,.htm,.csv,.tsv,.md,.markdown,.txt,text/*" />
        <span id="file-said" class="hint" role="status"></span>
      </p>
    </div>
  )
}

function Formats(): JSX.Element {
  return (
    <section class="formats hint" aria-labelledby="formats">
      <h2 id="formats">What becomes what</h2>
      <ul>
        <li>Bookmarks of any browser, exported as HTML: each folder a bundle.</li>
        <li>CSV with a column “url”, and title, note, tags or folder beside it: each folder a bundle.</li>
        <li>Markdown: the links below each heading a bundle.</li>
        <li>OneTab: each group a bundle. A plain list: one bundle.</li>
        <li>{`More than ${BOUNDS.urls} links become several bundles.` as 'safe'}</li>
      </ul>
    </section>
  )
}

function Plan({ form, plan }: { form: ImportForm; plan: ImportPlan }): JSX.Element {
  const { bundles, format } = plan
  const { skipped } = plan.counts
  const links = bundles.reduce((sum, bundle) => sum + bundle.links.length, 0)
  const wanted = bundles.filter((_, index) => form.ticked.has(String(index))).length
  return (
    <>
      {/* What Enter does, in any field. */}
      <button type="submit" name="do" value="make" hidden>
        Make the bundles
      </button>
      <input type="hidden" name="idempotencyKey" value={attribute(form.idempotencyKey)} />
      <input type="hidden" name="reading" value={form.reading} />
      <Alert text={form.refused} />
      <p class="summary">
        <span
          safe
        >{`Read as ${FORMATS[format]}: ${count(bundles.length, 'bundle')} with ${count(links, 'link')}. Nothing is made yet.`}</span>
        {skipped === 0 ? (
          ''
        ) : (
          <>
            {' '}
            <a href="#left-out" safe>{`${count(skipped, 'line')} left out.`}</a>
          </>
        )}
      </p>
      <ol class="plan">
        {bundles.map((bundle, index) => <PlannedBundle form={form} bundle={bundle} index={index} />) as 'safe'[]}
      </ol>
      <Remarks plan={plan} />
      <details class="more" open={form.error !== null}>
        <summary>Change the text</summary>
        <TextField form={form} rows={8} />
        <p>
          <button type="submit" name="do" value="read" class="small">
            Read it again
          </button>
        </p>
      </details>
      <div class="save-bar">
        <button type="submit" name="do" value="make" class="primary" data-wanted="">
          {`Make ${count(wanted, 'bundle')}` as 'safe'}
        </button>
        <a class="quiet" href="/dashboard/links/import">
          Start over
        </a>
      </div>
    </>
  )
}

/** No more links than this are shown without being asked for. */
const FEW = 8

interface PlannedProps {
  form: ImportForm
  bundle: ImportedBundle
  index: number
}

function PlannedBundle({ form, bundle, index }: PlannedProps): JSX.Element {
  const id = `title-${index}`
  const error = form.errors.get(index)
  const isShort = bundle.links.length <= FEW
  return (
    <li>
      <div class="planned">
        <input
          type="checkbox"
          name="bundle"
          value={String(index)}
          checked={form.ticked.has(String(index))}
          aria-label={`Make bundle ${index + 1}`}
        />
        <div class="field">
          <input
            id={id}
            name={id}
            value={attribute(form.titles[index] ?? '')}
            aria-label={`Title of bundle ${index + 1}`}
            placeholder="Untitled"
            dir="auto"
            autocomplete="off"
            {...described(id, error)}
          />
          <FieldError id={id} error={error} />
        </div>
        <span class="hint number" safe>
          {count(bundle.links.length, 'link')}
        </span>
      </div>
      <details open={isShort}>
        <summary>{`Links of bundle ${index + 1}` as 'safe'}</summary>
        <ul>
          {
            bundle.links.map(({ url, metadata: { note = '', tags = [] } }, at) => {
              const { host, unicode, path } = destination(url)
              return (
                <li>
                  <label>
                    <input
                      type="checkbox"
                      name="link"
                      value={`${index}.${at}`}
                      checked={form.ticked.has(`${index}.${at}`)}
                    />
                    <span class="what">
                      {note === '' ? '' : <span dir="auto" safe>{`${note.split('\n')[0]} `}</span>}
                      <bdi class="hint" safe>
                        {(unicode === null ? host : `${unicode} (${host})`) + path}
                      </bdi>
                      {
                        tags.map((tag) => (
                          <span class="tag" dir="auto" safe>
                            {tag}
                          </span>
                        )) as 'safe'[]
                      }
                    </span>
                  </label>
                </li>
              )
            }) as 'safe'[]
          }
        </ul>
      </details>
    </li>
  )
}

/** What of the text is left out, and why, line by line. */
function Remarks({ plan: { skipped, changed, counts } }: { plan: ImportPlan }): JSX.Element {
  return (
    <>
      <RemarkList id="left-out" name="Left out" remarks={skipped} total={counts.skipped} />
      <RemarkList id="cut" name="Cut to fit" remarks={changed} total={counts.changed} />
    </>
  )
}

interface RemarksProps {
  id: string
  name: string
  remarks: Remark[]
  total: number
}

function RemarkList({ id, name, remarks, total }: RemarksProps): JSX.Element {
  if (total === 0) return ''
  return (
    <section class="remarks" id={id}>
      <h2 safe>{`${name}: ${count(total, 'line')}`}</h2>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                Line
              </th>
              <th scope="col">What it says</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {
              remarks.map(({ line, text, reason }) => (
                <tr>
                  <td class="number">{line}</td>
                  <td dir="auto" safe>
                    {text}
                  </td>
                  <td safe>{`It ${reason}.`}</td>
                </tr>
              )) as 'safe'[]
            }
          </tbody>
        </table>
      </div>
      {total > remarks.length ? <p class="hint">{`And ${total - remarks.length} more.` as 'safe'}</p> : ''}
    </section>
  )
}

interface ImportedProps {
  made: readonly Made[]
  /** What is left, where some bundles were refused. */
  form: ImportForm | null
}

/** What an import has made, and what of it was refused. */
export function ImportedPage({ made, form }: ImportedProps): JSX.Element {
  return (
    <>
      <Head title={`${count(made.length, 'bundle')} made`}>
        <a class="button" href="/dashboard/links/import">
          Import more
        </a>
        <a class={form === null ? 'button primary' : 'button'} href="/dashboard">
          See all bundles
        </a>
      </Head>
      <ul class="rows made">
        {
          made.map(({ slug, heading, links }) => (
            <li class="row">
              <div class="what">
                <a class="name" href={`/dashboard/links/${slug}`} dir="auto" safe>
                  {heading}
                </a>
                <bdi class="hint where" safe>{`/l/${slug}`}</bdi>
              </div>
              <span class="facts hint" safe>
                {count(links, 'link')}
              </span>
            </li>
          )) as 'safe'[]
        }
      </ul>
      {form === null || form.plan === null ? (
        ''
      ) : (
        <form class="import" id="import" method="post" action="/dashboard/links/import">
          <h2>What was not made</h2>
          <Plan form={form} plan={form.plan} />
        </form>
      )}
    </>
  )
}
