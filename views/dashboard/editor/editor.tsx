/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/bounds.ts'
import { CONTENT, TEXT_NAMES, type TextName } from '../../../src/bundles/content.ts'
import type { Link } from '../../../src/bundles/diff.ts'
import { destination } from '../../parts/destination.ts'
import { Alert, described, Field, FieldError, leading } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'

/** One link as it was typed, its tags between commas. */
export type LinkFields = Record<keyof Link, string> & Pick<Link, 'openPolicy'>

/** A bundle's form as it was typed. */
export interface BundleForm extends Record<TextName, string> {
  /** Of a new bundle only. */
  slug: string
  links: LinkFields[]
}

/** What is wrong with one field; `link` is the index of the link that it belongs to. */
export interface FormError {
  link: number | null
  field: TextName | 'slug' | keyof LinkFields
  says: string
}

/** What was found about a form: shown with it, and again while it is typed in. */
export interface Checked {
  /** How many links would be saved. */
  count: number
  errors: FormError[]
  /** What is wrong with the list as a whole. */
  list: string | null
  /** What no field is to blame for. */
  form: string | null
}

/** A form on its way: what was typed, what is wrong with it, and where to go on. */
export interface EditorState {
  form: BundleForm
  checked: Checked
  /** What was typed is not saved yet. */
  isTouched: boolean
  /** The link, by index, whose field is to be typed in next, or whose button pressed. */
  focus: { link: number; on: 'url' | 'up' | 'down' } | null
}

interface EditorProps {
  /** Where the form goes; below it stands what checks it. */
  action: string
  /** A new bundle may choose its link. */
  kind: 'new' | 'saved'
  /** More that the form sends. */
  hidden: Record<string, string>
  /** What the button says. */
  save: string
  /** What stands above the fields. */
  notice: JSX.Element | undefined
  state: EditorState
}

/** The form of a bundle, new or saved: everything in it works without JavaScript, which adds dragging and checking. */
export function Editor({ action, kind, hidden, save, notice, state }: EditorProps): JSX.Element {
  const { form, checked, isTouched } = state
  const isNew = kind === 'new'
  return (
    <form
      class="editor"
      id="editor"
      method="post"
      action={action}
      enctype="multipart/form-data"
      data-touched={isTouched ? '' : undefined}
      novalidate
    >
      <button type="submit" name="do" value="save" hidden safe>
        {save}
      </button>
      {
        Object.entries(hidden).map(([name, value]) => (
          <input type="hidden" name={name} value={attribute(value)} />
        )) as 'safe'[]
      }
      {notice === undefined ? '' : (notice as 'safe')}
      <Alert text={checked.form} />
      <About form={form} checked={checked} kind={kind} />
      <Links action={action} state={state} />
      <div class="save-bar">
        <button type="submit" name="do" value="save" class="primary" safe>
          {save}
        </button>
        <a class="quiet" href={isNew ? '/dashboard' : action} data-discard="">
          {isNew ? 'Cancel' : 'Undo changes'}
        </a>
      </div>
    </form>
  )
}

function About({
  form,
  checked,
  kind,
}: Pick<EditorState, 'form' | 'checked'> & Pick<EditorProps, 'kind'>): JSX.Element {
  const says = (field: FormError['field']) =>
    checked.errors.find((error) => error.link === null && error.field === field)?.says
  return (
    <div class="about">
      {
        textsOf('one').map((name) => (
          <Field id={name} label={CONTENT[name].label} note="optional" error={says(name)}>
            <input
              id={name}
              name={name}
              value={attribute(form[name])}
              dir="auto"
              autocomplete="off"
              {...described(name, says(name))}
            />
          </Field>
        )) as 'safe'[]
      }
      {kind === 'new' ? <SlugField slug={form.slug} error={says('slug')} /> : ''}
      {
        textsOf('many').map((name) => (
          <Field id={name} kind="whole" label={CONTENT[name].label} note="optional" error={says(name)}>
            <textarea id={name} name={name} rows="2" dir="auto" {...described(name, says(name))} safe>
              {leading(form[name])}
            </textarea>
          </Field>
        )) as 'safe'[]
      }
    </div>
  )
}

/** The texts of a bundle that have one line, or many. */
function textsOf(lines: 'one' | 'many'): TextName[] {
  return TEXT_NAMES.filter((name) => CONTENT[name].lines === lines)
}

function SlugField({ slug, error }: { slug: string; error: string | undefined }): JSX.Element {
  return (
    <Field id="slug" label="Custom link" note="optional, cannot be changed" error={error}>
      <div class="slug-field">
        <span class="hint" aria-hidden="true">
          /l/
        </span>
        <input
          id="slug"
          name="slug"
          value={attribute(slug)}
          placeholder="made for you"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          {...described('slug', error)}
        />
      </div>
    </Field>
  )
}

function Links({ action, state }: Pick<EditorProps, 'action' | 'state'>): JSX.Element {
  const { form, checked, focus } = state
  return (
    <section class="links" aria-labelledby="links-heading">
      <div class="links-head">
        <h2 id="links-heading">Links</h2>
        <div
          id="check"
          hx-post={`${action}/check`}
          hx-trigger="input from:#editor delay:400ms"
          hx-target="this"
          hx-sync="this:replace"
          hx-indicator="this"
          hx-validate="false"
        >
          <Check checked={checked} />
        </div>
      </div>
      <ol id="links" data-rows="/dashboard/links/new/rows">
        <LinkRows links={form.links} checked={checked} ids="link" focus={focus} />
      </ol>
      <div class="adding">
        <button type="submit" name="do" value="add" class="small">
          <Icon name="plus" />
          Add a link
        </button>
        <details class="more">
          <summary>Paste several</summary>
          <Field id="more" label="Links, one a line">
            <textarea
              id="more"
              name="more"
              rows="4"
              spellcheck="false"
              autocapitalize="off"
              placeholder={'https://example.com/agenda\nTeam notes | https://notes.example.com'}
            ></textarea>
            <p>
              <button type="submit" name="do" value="paste" class="small">
                Add them
              </button>
            </p>
          </Field>
        </details>
      </div>
    </section>
  )
}

/** How many links there are, and for the script what is wrong with which field. */
export function Check({ checked: { count, errors, list } }: { checked: Checked }): JSX.Element {
  return (
    <>
      {list === null ? (
        ''
      ) : (
        <p class="error" role="status" safe>
          {list}
        </p>
      )}
      <span class={['count-of', count > BOUNDS.urls && 'over']} data-errors={attribute(JSON.stringify(errors))} safe>
        {`${count} of ${BOUNDS.urls}`}
      </span>
    </>
  )
}

interface RowsProps {
  links: readonly LinkFields[]
  checked: Checked
  /** What the ids of their fields begin with. */
  ids: string
  focus: EditorState['focus']
}

/** Rows of the list of links. */
export function LinkRows({ links, checked, ids, focus }: RowsProps): JSX.Element {
  return (
    <>
      {
        links.map((fields, index) => (
          <LinkRow
            fields={fields}
            id={`${ids}-${index + 1}`}
            index={index}
            errors={checked.errors.filter(({ link }) => link === index)}
            focus={focus?.link === index ? focus.on : null}
          />
        )) as 'safe'[]
      }
    </>
  )
}

interface RowProps {
  fields: LinkFields
  id: string
  index: number
  errors: FormError[]
  focus: 'url' | 'up' | 'down' | null
}

function LinkRow({ fields, id, index, errors, focus }: RowProps): JSX.Element {
  const { url, note, tags, openPolicy } = fields
  const says = (field: keyof LinkFields) => errors.find((error) => error.field === field)?.says
  const field = (name: keyof LinkFields) => ({ id: `${id}-${name}`, name, ...described(`${id}-${name}`, says(name)) })
  return (
    <li class="link-row">
      <fieldset>
        <legend class="said">{`Link ${index + 1}` as 'safe'}</legend>
        <span class="grip scripted" title="Drag to reorder">
          <Icon name="grip" />
        </span>
        <div class="fields">
          <input
            {...field('url')}
            class="url"
            value={attribute(url)}
            aria-label="Address"
            placeholder="https://"
            inputmode="url"
            dir="ltr"
            spellcheck="false"
            autocapitalize="off"
            autocomplete="off"
            autofocus={focus === 'url'}
          />
          <FieldError id={`${id}-url`} error={says('url')} />
          <UnicodeHost url={url} />
          <div>
            <textarea {...field('note')} class="note" rows="1" aria-label="Note" placeholder="Note" dir="auto" safe>
              {leading(note)}
            </textarea>
            <FieldError id={`${id}-note`} error={says('note')} />
          </div>
          <div class="pair">
            <div>
              <input
                {...field('tags')}
                value={attribute(tags)}
                aria-label="Tags, between commas"
                placeholder="Tags, between commas"
                dir="auto"
                autocomplete="off"
              />
              <FieldError id={`${id}-tags`} error={says('tags')} />
            </div>
            <select {...field('openPolicy')} aria-label="Opens">
              <option value="auto" selected={openPolicy === 'auto'}>
                With Open all
              </option>
              <option value="manual" selected={openPolicy === 'manual'}>
                By hand
              </option>
            </select>
          </div>
        </div>
        <div class="moves">
          <button type="submit" name="do" value={`up-${index}`} aria-label="Move up" autofocus={focus === 'up'}>
            <Icon name="up" />
          </button>
          <button type="submit" name="do" value={`down-${index}`} aria-label="Move down" autofocus={focus === 'down'}>
            <Icon name="down" />
          </button>
          <button type="submit" name="do" value={`remove-${index}`} aria-label="Remove">
            <Icon name="trash" />
          </button>
        </div>
      </fieldset>
    </li>
  )
}

/** Where a link leads, where its address reads otherwise than browsers send it. */
function UnicodeHost({ url }: { url: string }): JSX.Element {
  const to = URL.canParse(url) ? destination(url) : null
  if (to === null || to.unicode === null) return ''
  return (
    <p class="hint leads">
      {'leads to '}
      <bdi safe>{`${to.unicode} (${to.host})`}</bdi>
    </p>
  )
}
