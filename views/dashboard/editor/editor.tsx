/** @jsxImportSource @kitajs/html */

import type { Children } from '@kitajs/html'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { Each } from '../../parts/each.tsx'
import { Alert } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { About, messagesOf } from './about.tsx'
import type { EditorState } from './bundle-form.ts'
import { Kept } from './kept.tsx'
import { Links } from './links.tsx'
import { Own } from './own.tsx'
import { Sharing } from './sharing.tsx'
import { NewVariable, Variables } from './variables.tsx'

interface EditorProps {
  /** Where the form posts to; its check is a path below. */
  action: string
  /**
   * Of a new bundle, whose slug can be chosen; of a saved one; of a suggestion, or a merged one, which can be saved as it
   * is. Who may see a bundle cannot be proposed.
   */
  kind: 'new' | 'saved' | 'suggested' | 'merged'
  /** The slug of a saved bundle. */
  slug?: string
  /** Whose edits of what the browser keeps until they are saved; missing where it keeps none. */
  keeping?: string
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
  /** Those of the sites of its links. */
  icons: SiteIcons
  /** Whether the bundle, or the one that it is a copy of, has a password. */
  hasPassword: boolean
  preview: { isHidden: boolean; hasRules: boolean }
}

/** The form of a new or saved bundle. It works without JavaScript, which adds dragging and live checks. */
export function Editor(props: EditorProps): JSX.Element {
  const {
    action,
    kind,
    slug,
    keeping,
    hidden,
    save,
    isLosing = false,
    notice,
    more,
    state,
    icons,
    hasPassword,
    preview,
  } = props
  const { form, checked, isTouched } = state
  const isNew = kind === 'new'
  const isFresh = isNew && !('from' in hidden)
  const about = <About state={state} />
  return (
    <div class="editing">
      {keeping === undefined ? '' : <Kept action={action} hidden={hidden} />}
      <form
        class="editor"
        id="editor"
        method="post"
        action={action}
        enctype="multipart/form-data"
        // Firefox would fill in on a reload what was typed before, unseen by the script.
        autocomplete="off"
        data-touched={isTouched ? '' : undefined}
        data-kind={kind}
        data-keeping={keeping === undefined ? undefined : attribute(keeping)}
        novalidate
      >
        <div class="work">
          <button type="submit" name="do" value="save" hidden safe>
            {save}
          </button>
          <Each
            of={Object.entries(hidden)}
            show={([name, value]) => <input type="hidden" name={name} value={attribute(value)} />}
          />
          {notice}
          <Alert text={checked.form} />
          {kind === 'saved' || isFresh ? '' : about}
          <Links action={action} isFresh={isFresh} about={isFresh ? about : undefined} state={state} icons={icons} />
          <Variables form={form} checked={checked} focus={state.focus} />
          {more}
        </div>
        <div class="beside">
          <Sharing
            form={form}
            messageOf={messagesOf(checked)}
            link={isNew ? 'new' : slug === undefined ? null : { slug, asks: form.variables.length > 0 }}
            isDecided={isNew || kind === 'saved'}
            hasPassword={hasPassword}
          />
          {form.own === null ? '' : <Own own={form.own} messageOf={messagesOf(checked)} focus={state.focus} />}
          <Preview {...preview} examples={checked.variables.examples} />
        </div>
        <div class="save-bar">
          <p class="unsaved">
            Unsaved changes <span class="changes hint"></span>
          </p>
          <a class="quiet" href={isNew ? '/dashboard' : action} data-discard="">
            {isNew ? 'Cancel' : 'Discard'}
          </a>
          <button type="submit" name="do" value="save" class={isLosing ? '' : 'primary'} safe>
            {save}
          </button>
        </div>
      </form>
      <NewVariable />
    </div>
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
    <>
      <PreviewToggle isHidden={isHidden} />
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
    </>
  )
}

/** Shows and hides the preview. */
function PreviewToggle({ isHidden }: Pick<PreviewProps, 'isHidden'>): JSX.Element {
  return (
    <button type="button" class="quiet small preview-toggle" aria-controls="preview" data-url="/dashboard/preview">
      {isHidden ? 'Show preview' : 'Hide preview'}
    </button>
  )
}
