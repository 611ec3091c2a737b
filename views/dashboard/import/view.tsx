/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/content/content.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import type { ImportPlan } from '../../../src/imports/plan.ts'
import { attribute, Each, type Site } from '../../parts/layout.tsx'
import { Tiles } from '../../parts/tile.tsx'
import { Head } from '../parts/shell.tsx'
import type { ImportForm } from './import-form.ts'
import { Plan } from './plan.tsx'
import { Remarks } from './remarks.tsx'
import { TextField, Working } from './text-field.tsx'

const LEDE =
  'Bookmarks, CSV, Markdown, the export of a tab manager, JSON or a list of links. You’ll see a preview before anything is created.'

interface ImportProps {
  form: ImportForm
  /** On the first page only. */
  site?: Pick<Site, 'name' | 'origin'>
  userId: string
}

/** The import page: first the text, then a preview of the bundles that it would create. */
export function ImportPage({ form, site, userId }: ImportProps): JSX.Element {
  return (
    <>
      <Head title="Import" lede={LEDE} />
      <div class="importing" data-pasting={userId}>
        <form
          class="import"
          id="import"
          method="post"
          action={routes.bundles.import.href()}
          enctype="multipart/form-data"
        >
          {isPlanned(form) ? <Plan form={form} plan={form.plan} /> : <Source form={form} />}
        </form>
        {!isPlanned(form) && (
          <div class="stack">
            <Formats />
            {site !== undefined && <Bookmarklet site={site} />}
          </div>
        )}
      </div>
    </>
  )
}

function isPlanned(form: ImportForm): form is ImportForm & { plan: ImportPlan } {
  return form.plan !== null && form.plan.bundles.length > 0
}

function Source({ form }: { form: ImportForm }): JSX.Element {
  const { plan } = form
  return (
    <>
      <TextField form={form} rows={12} />
      <div class="save-bar">
        <button type="submit" name="do" value="read" class="primary">
          Preview
        </button>
        <a class="quiet" href={routes.bundles.list.href()}>
          Cancel
        </a>
        <Working />
      </div>
      {plan !== null && <Remarks plan={plan} />}
    </>
  )
}

const FORMATS: readonly [name: string, becomes: string][] = [
  ['Bookmarks of any browser', 'as HTML: a bundle of each folder'],
  ['OneTab, Toby, Workona, Session Buddy, Tab Session Manager', 'a bundle of each group'],
  ['Markdown, org and wikis', 'a bundle of each heading'],
  ['CSV', 'with a “url” column, and if you like title, note, tags and folder'],
  ['JSON exported from here', 'every bundle as it was, rules included'],
  ['JSON and YAML of other programs', 'a bundle of whatever names several links'],
  ['OPML, feeds and sitemaps', 'a bundle of each folder'],
  ['Any list, chat or mail', `a bundle, or several for more than ${BOUNDS.urls} links`],
]

function Formats(): JSX.Element {
  return (
    <section aria-labelledby="formats">
      <h2 id="formats">What it reads</h2>
      <dl class="formats">
        <Each
          of={FORMATS}
          show={([name, becomes]) => (
            <div>
              <dt safe>{name}</dt>
              <dd class="hint" safe>
                {becomes}
              </dd>
            </div>
          )}
        />
      </dl>
      <p class="hint" safe>
        {`Folders, headings and groups can also become the sections of one bundle, if they have up to ${BOUNDS.urls} links.`}
      </p>
    </section>
  )
}

/** A bookmarklet that sends the links of any page to the home page. */
function Bookmarklet({ site }: { site: Pick<Site, 'name' | 'origin'> }): JSX.Element {
  return (
    <section class="bookmarklet" aria-labelledby="from-pages">
      <h2 id="from-pages">From any page</h2>
      <p class="hint">
        Drag this to your bookmarks bar:{' '}
        <a class="button small" href={attribute(scriptFor(site.origin))} data-bookmark hx-boost="false" safe>
          {`Share with ${site.name}`}
        </a>
      </p>
      <p class="hint" id="bookmark-says" role="status"></p>
      <p class="hint">
        On another page, select some links and press the bookmark: you’ll see them listed here. Without a selection it
        takes the page itself. Nothing is created until you press “Get the link”.
      </p>
    </section>
  )
}

/** The bookmarklet’s address. It leaves out links that do not fit and says so, because servers refuse long URLs. */
export function scriptFor(origin: string): string {
  const home = JSON.stringify(`${origin}/?text=`)
  const script = `(()=>{const s=getSelection(),d=document.createElement('div');
for(let i=0;i<s.rangeCount;i++)d.append(s.getRangeAt(i).cloneContents());
const fits=t=>encodeURIComponent(t).length<7000;
const all=[...d.querySelectorAll('a[href]')].filter(a=>/^https?:/.test(a.href)).map(a=>a.textContent.replace(/\\s+/g,' ').trim()+' '+a.href);
const lines=all.length?all:/:\\/\\//.test(s)?String(s).split('\\n'):[document.title+' '+location.href];
let t='',n=0;for(const l of lines){if(!fits(t+l))break;t+=l+'\\n';n++}
if(n<lines.length)alert('Too much to hand over at once: '+(lines.length-n)+' of '+lines.length+' were left out.');
if(t)open(${home}+encodeURIComponent(t),'_blank','noopener')})()`
  return `javascript:${encodeURIComponent(script.replaceAll('\n', ''))}`
}

/** A bundle that an import created. */
export interface ImportedRow {
  slug: string
  heading: string
  urls: readonly string[]
  /** The external ID that it did not get, because another bundle has it; null if it got its own or had none. */
  takenId: string | null
}

interface ImportedProps {
  made: readonly ImportedRow[]
  /** The remaining form, if some bundles were refused. */
  form: ImportForm | null
}

/** The result of an import: created and refused bundles. */
export function ImportedPage({ made, form }: ImportedProps): JSX.Element {
  return (
    <>
      <Head title={`${count(made.length, 'bundle')} created`}>
        <a class="button" href={routes.bundles.import.href()}>
          Import more
        </a>
        <a class={form === null ? 'button primary' : 'button'} href={routes.bundles.list.href()}>
          See all bundles
        </a>
      </Head>
      <ul class="rows made">
        <Each
          of={made}
          show={({ slug, heading, urls, takenId }) => (
            <li class="row person">
              <Tiles urls={urls} />
              <div class="what">
                <a class="name" href={routes.bundle.edit.href({ slug })} dir="auto" safe>
                  {heading}
                </a>
                <bdi class="hint where" safe>
                  {routes.launcher.page.href({ slug })}
                </bdi>
                {takenId !== null && (
                  <span class="hint" dir="auto" safe>{`Without its ID, ${takenId}: another bundle has it.`}</span>
                )}
              </div>
              <span class="hint" safe>
                {count(urls.length, 'link')}
              </span>
            </li>
          )}
        />
      </ul>
      {form !== null && form.plan !== null && (
        <form
          class="import"
          id="import"
          method="post"
          action={routes.bundles.import.href()}
          enctype="multipart/form-data"
        >
          <h2>Not imported</h2>
          <Plan form={form} plan={form.plan} />
        </form>
      )}
    </>
  )
}
