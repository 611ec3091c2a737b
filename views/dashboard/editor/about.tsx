/** @jsxImportSource @kitajs/html */

import { scalarsIn } from '../../../src/bundles/content.ts'
import { described, FieldError, textareaContent } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Blanks } from '../parts/blanks.tsx'
import { type Checked, type EditorState, type FormError, namesOf } from './bundle-form.ts'
import { Controls } from './controls.tsx'

/** What is wrong with a field of the bundle itself. */
export function messagesOf({ errors }: Pick<Checked, 'errors'>) {
  return (field: FormError['field']) =>
    errors.find((error) => error.link === null && error.variable === undefined && error.field === field)?.says
}

interface AboutProps {
  state: Pick<EditorState, 'form' | 'checked'>
  /** What it is called without a title, where this is the heading of its page. */
  untitled?: string
}

const OTHERS = scalarsIn('about').filter((name) => name !== 'title' && name !== 'description')

/**
 * The title and the description, which look as they will. As a page's heading, the title has its field over it, which shows
 * itself while one types: only the heading marks blanks.
 */
export function About({ state: { form, checked }, untitled }: AboutProps): JSX.Element {
  const messageOf = messagesOf(checked)
  const [wrong, unfit] = [messageOf('title'), messageOf('description')]
  return (
    <div class="about in-place">
      <div class="name-edit">
        {untitled === undefined ? (
          ''
        ) : (
          <h1 dir="auto">
            <Blanks text={form.title.trim() || untitled} names={namesOf(form)} />
          </h1>
        )}
        <label class="visually-hidden" for="title">
          Title
        </label>
        <input
          id="title"
          name="title"
          form="editor"
          value={attribute(form.title)}
          placeholder={attribute(untitled ?? 'Name your links')}
          dir="auto"
          autocomplete="off"
          {...described('title', wrong)}
        />
        <FieldError id="title" error={wrong} />
      </div>
      <label class="visually-hidden" for="description">
        Description, with **bold** and *italic*
      </label>
      <textarea
        id="description"
        name="description"
        form="editor"
        rows={String(linesOf(form.description))}
        placeholder="Add a description: **bold**, *italic*"
        dir="auto"
        {...described('description', unfit)}
        safe
      >
        {textareaContent(form.description)}
      </textarea>
      <FieldError id="description" error={unfit} />
      <Controls names={OTHERS} form={form} messageOf={messageOf} formId="editor" />
    </div>
  )
}

/** About how many lines a text takes, at most six; browsers that size a field by its text need no guess. */
function linesOf(text: string): number {
  const lines = text.split('\n').map((line) => Math.max(1, Math.ceil(line.length / 90)))
  return Math.min(
    6,
    lines.reduce((sum, count) => sum + count, 0),
  )
}
