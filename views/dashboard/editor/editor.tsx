/** @jsxImportSource @kitajs/html */

import type { Children } from '@kitajs/html'
import { aboutTextsOf, scalarsIn, TIME_NAMES } from '../../../src/bundles/content.ts'
import { Each } from '../../parts/each.tsx'
import { openingState } from '../../parts/exact-time.tsx'
import { Alert, described, Field } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { EditorState, FormError } from './bundle-form.ts'
import { Controls, type ControlsProps, isUsed } from './controls.tsx'
import { Links } from './links.tsx'
import { NewVariable, Variables } from './variables.tsx'
import { Visibility } from './visibility.tsx'

const NAMES = scalarsIn('opening')
const OTHERS = NAMES.filter((name) => !TIME_NAMES.some((time) => time === name))

/** When the bundle opens and closes. */
function Opening({ form, messageOf }: Omit<ControlsProps, 'names'>): JSX.Element {
  const state = openingState(form)
  return (
    <details class="whole more opening" open={isUsed({ names: NAMES, form, messageOf })}>
      <summary>
        {'Opening and closing times '}
        <span class="optional" safe>
          {state === '' ? 'optional' : state}
        </span>
      </summary>
      <div class="times">
        <Controls names={NAMES.filter((name) => !OTHERS.includes(name))} form={form} messageOf={messageOf} />
        <p class="hint whole">
          {'Times are in '}
          <span class="zone">UTC</span>
          {'. Outside them, viewers can’t see the bundle. You still can.'}
        </p>
        <Controls names={OTHERS} form={form} messageOf={messageOf} />
      </div>
    </details>
  )
}

interface EditorProps {
  /** Where the form posts to; its check is a path below. */
  action: string
  /**
   * Of a new bundle, whose slug can be chosen; of a saved one; of a suggestion, or a merged one, which can be saved as it
   * is. Who may see a bundle cannot be proposed.
   */
  kind: 'new' | 'saved' | 'suggested' | 'merged'
  /** Further fields of the form. */
  hidden: Record<string, string>
  /** The button's label. */
  save: string
  /** Whether saving drops what somebody else has saved: then its button is not the loud one. */
  isLosing?: boolean
  /** Content above the fields. */
  notice: Children
  /** Further fields below the links. */
  more?: Children
  state: EditorState
  /** Whether the bundle, or the one that it is a copy of, has a password. */
  hasPassword: boolean
  preview: { isHidden: boolean; hasRules: boolean }
}

/** The form of a new or saved bundle. It works without JavaScript, which adds dragging and live checks. */
export function Editor(props: EditorProps): JSX.Element {
  const { action, kind, hidden, save, isLosing = false, notice, more, state, hasPassword, preview } = props
  const { form, checked, isTouched } = state
  const isNew = kind === 'new'
  return (
    <div class="editing">
      <form
        class="editor"
        id="editor"
        method="post"
        action={action}
        enctype="multipart/form-data"
        data-touched={isTouched ? '' : undefined}
        data-kind={kind}
        novalidate
      >
        <button type="submit" name="do" value="save" hidden safe>
          {save}
        </button>
        <Each
          of={Object.entries(hidden)}
          show={([name, value]) => <input type="hidden" name={name} value={attribute(value)} />}
        />
        {notice}
        <Alert text={checked.form} />
        <About form={form} checked={checked} kind={kind} hasPassword={hasPassword} />
        <Links action={action} isFresh={isNew && !('from' in hidden)} state={state} />
        <Variables form={form} checked={checked} focus={state.focus} />
        {more}
        <div class="save-bar">
          <button type="submit" name="do" value="save" class={isLosing ? '' : 'primary'} safe>
            {save}
          </button>
          <a class="quiet" href={isNew ? '/dashboard' : action} data-discard="">
            {isNew ? 'Cancel' : 'Discard'}
          </a>
          <span class="unsaved">
            Unsaved<span class="more-words"> changes</span>
          </span>
          <PreviewToggle isHidden={preview.isHidden} />
        </div>
      </form>
      <NewVariable />
      <Preview {...preview} examples={checked.variables.examples} />
    </div>
  )
}

/** The fields with the title: those beside the slug, and those below both. */
const SHORT = aboutTextsOf('one')
const LONG = scalarsIn('about').filter((name) => !SHORT.some((short) => short === name))

function About({
  form,
  checked,
  kind,
  hasPassword,
}: Pick<EditorState, 'form' | 'checked'> & Pick<EditorProps, 'kind' | 'hasPassword'>): JSX.Element {
  const messageOf = (field: FormError['field']) =>
    checked.errors.find((error) => error.link === null && error.variable === undefined && error.field === field)?.says
  return (
    <div class="about">
      <Controls names={SHORT} form={form} messageOf={messageOf} />
      {kind === 'new' ? <SlugField slug={form.slug} error={messageOf('slug')} /> : ''}
      <Controls names={LONG} form={form} messageOf={messageOf} />
      {kind === 'new' || kind === 'saved' ? (
        <Visibility form={form} hasPassword={hasPassword} messageOf={messageOf} />
      ) : (
        ''
      )}
      <Opening form={form} messageOf={messageOf} />
    </div>
  )
}

function SlugField({ slug, error }: { slug: string; error: string | undefined }): JSX.Element {
  return (
    <Field id="slug" label="Custom link" note="Can’t be changed later" error={error}>
      <div class="slug-field">
        <span class="hint" aria-hidden="true">
          /l/
        </span>
        <input
          id="slug"
          name="slug"
          value={attribute(slug)}
          placeholder="chosen for you"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          {...described('slug', error)}
        />
      </div>
    </Field>
  )
}

interface PreviewProps {
  isHidden: boolean
  /** Whether the bundle has rules, which viewers may match. */
  hasRules: boolean
  /** What its variables are filled with. */
  examples: readonly string[]
}

/**
 * The launcher as saving the form would make it, beside the form on wide screens. Its script fills it with what the server
 * renders.
 */
function Preview({ isHidden, hasRules, examples }: PreviewProps): JSX.Element {
  return (
    <aside
      class="preview"
      id="preview"
      aria-labelledby="preview-heading"
      data-url="/dashboard/links/new/preview"
      hidden={isHidden}
    >
      <h2 id="preview-heading">Preview</h2>
      <p class="hint">{hasRules ? 'On a phone, if no rule matches' : 'On a phone'}</p>
      <p class="hint" id="preview-with" hidden={examples.length === 0}>
        {'with '}
        <bdi class="blank" safe>
          {examples.join(', ')}
        </bdi>
      </p>
      {/* A save replaces the page; the frame stays until a newer one has loaded. */}
      <div class="screen" id="preview-screen" hx-preserve="true"></div>
      <p class="hint" id="preview-says"></p>
    </aside>
  )
}

/** Shows and hides the preview. */
function PreviewToggle({ isHidden }: Pick<PreviewProps, 'isHidden'>): JSX.Element {
  return (
    <button type="button" class="small preview-toggle" aria-controls="preview" data-url="/dashboard/preview">
      {isHidden ? 'Show preview' : 'Hide preview'}
    </button>
  )
}
