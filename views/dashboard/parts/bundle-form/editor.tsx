/** @jsxImportSource @kitajs/html */
import { type Children, escapeHtml } from '@kitajs/html'
import { routes } from '../../../../src/core/routes.ts'
import type { SiteIcons } from '../../../../src/icons/site.ts'
import type { OwnOrganization } from '../../../../src/identity/members.ts'
import { Alert } from '../../../parts/fields.tsx'
import { attribute, Each } from '../../../parts/layout.tsx'
import type { EditorState } from './bundle-form.ts'
import { About, messagesOf, type Naming, Sharing } from './controls.tsx'
import { NewLink } from './link-rows.tsx'
import { Links } from './links.tsx'
import { Part } from './part.tsx'
import { Settings } from './settings.tsx'
import { NewVariable, Variables } from './variables.tsx'

interface EditorProps {
  /** The address to which the form posts. */
  action: string
  /**
   * `new` for a copy, whose slug can be chosen; `saved`; `suggested` for a suggestion; `merged` for a merged one, which can
   * be saved without edits. The audience of a bundle cannot be proposed.
   */
  kind: 'new' | 'saved' | 'suggested' | 'merged'
  /** The slug of a saved bundle. */
  slug?: string
  /** Missing if its link cannot be changed. */
  naming?: Naming | undefined
  /** Identifies the unsaved edits in the browser; missing if none are kept. */
  keeping?: string
  /** Its other slugs, under which edits may have been kept before a change of its link. */
  aliases?: readonly string[]
  /** Hidden fields of the form. */
  hidden: Record<string, string>
  /** The button's label. */
  save: string
  /** Whether saving discards somebody else's changes: then its button is not prominent. */
  isLosing?: boolean
  /** Content above the fields. */
  notice: Children
  /** Further fields below the links. */
  more?: Children
  state: EditorState
  /** The organisation that owns the bundle; missing for a personal one, and where the audience cannot be changed. */
  team?: OwnOrganization | undefined
  /** Icons for the sites of its links. */
  icons: SiteIcons
  /** Whether the bundle, or the original of a copy, has a password. */
  hasPassword: boolean
  preview: { isHidden: boolean; hasRules: boolean }
}

/**
 * The form of a copy or a saved bundle. Its buttons and, with JavaScript, pauses in typing submit it, and the server answers with
 * only the form. It works without JavaScript.
 */
export function Editor(props: EditorProps): JSX.Element {
  const {
    action,
    kind,
    slug,
    naming,
    keeping,
    aliases = [],
    hidden,
    save,
    isLosing = false,
    notice,
    more,
    state,
    team,
    icons,
    hasPassword,
    preview,
  } = props
  const { form, checked, isTouched } = state
  const isNew = kind === 'new'
  const about = kind === 'saved' ? '' : <About state={state} />
  const begun = (
    <Part of="div" id="begun" state={state}>
      <Each
        of={Object.entries(hidden)}
        show={([name, value]) => <input type="hidden" name={name} value={attribute(value)} />}
      />
      {notice}
    </Part>
  )
  const links = <Links action={action} state={state} icons={icons} />
  const isDecided = isNew || kind === 'saved'
  const messageOf = messagesOf(checked)
  const link = slug === undefined ? null : { slug, asks: form.variables.length > 0, naming }
  const sharing = (
    <>
      <Sharing
        form={form}
        messageOf={messageOf}
        link={isNew ? 'new' : link}
        isSlugFree={checked.isSlugFree}
        isDecided={isDecided}
        hasPassword={hasPassword}
        state={state}
      />
      {isDecided && (
        <Settings form={form} messageOf={messageOf} link={isNew ? null : link} state={state} team={team ?? null} />
      )}
    </>
  )
  const { examples } = checked.variables
  const filled = (
    <Part of="p" id="preview-with" class="hint" attributes={examples.length === 0 ? { hidden: '' } : {}} state={state}>
      {'with '}
      <bdi class="blank" safe>
        {examples.join(', ')}
      </bdi>
    </Part>
  )
  const unsaved = (
    <Part of="p" id="unsaved" class="unsaved" state={state}>
      {'Unsaved changes '}
      <span class="changes hint" safe>
        {state.changes}
      </span>
    </Part>
  )
  const saves = { type: 'submit', name: 'do', value: 'save' }
  const saving = (
    <Part of="button" id="save" class={isLosing ? '' : 'primary'} attributes={saves} state={state}>
      {escapeHtml(save)}
    </Part>
  )
  if (state.step === 'checked') {
    return (
      <>
        {begun}
        {about}
        {links}
        <Variables state={state} />
        {sharing}
        {filled}
        {unsaved}
        {saving}
      </>
    )
  }
  const whole = (
    <form
      class="editor"
      id="editor"
      method="post"
      action={action}
      enctype="multipart/form-data"
      // On a reload, Firefox would restore earlier text without an event for the script.
      autocomplete="off"
      data-live=""
      data-touched={isTouched ? '' : undefined}
      data-kind={kind}
      data-keeping={keeping === undefined ? undefined : attribute(keeping)}
      data-kept-also={aliases.length === 0 ? undefined : aliases.join(' ')}
      novalidate
      hx-sync="this:replace"
    >
      <div class="work">
        {/* The default button for Enter: the form’s first button. */}
        <button type="submit" name="do" value="save" hidden safe>
          {save}
        </button>
        <button type="submit" name="do" value="refresh" hidden></button>
        <p id="done" class="visually-hidden" data-announcement={attribute(state.announcement)} safe>
          {state.announcement}
        </p>
        {begun}
        <Alert text={checked.form} />
        {about}
        {links}
        <Variables state={state} />
        {more}
      </div>
      <div class="beside">
        {sharing}
        <Preview {...preview} filled={filled} />
      </div>
      <div class="save-bar">
        {unsaved}
        <a class="quiet" href={isNew ? routes.bundles.list.href() : action} data-discard="">
          {isNew ? 'Cancel' : 'Discard'}
        </a>
        {saving}
      </div>
    </form>
  )
  if (state.step !== null) return whole
  return (
    <div class="editing">
      {keeping !== undefined && <Kept action={action} hidden={hidden} />}
      {whole}
      <NewLink />
      <NewVariable />
    </div>
  )
}

interface PreviewProps {
  isHidden: boolean
  /** Whether the bundle has rules that viewers may match. */
  hasRules: boolean
  /** The values in the preview, in words. */
  filled: Children
}

/**
 * The launcher as it would be after saving, beside the form on wide screens. Its script fills it with the launcher from the
 * server.
 */
function Preview({ isHidden, hasRules, filled }: PreviewProps): JSX.Element {
  return (
    <>
      <PreviewToggle isHidden={isHidden} />
      <aside
        class="preview"
        id="preview"
        aria-labelledby="preview-heading"
        data-url={routes.newBundle.preview.href()}
        hidden={isHidden}
      >
        <h2 id="preview-heading">Preview</h2>
        <p class="hint">{hasRules ? 'On a phone, if no rule matches' : 'On a phone'}</p>
        {filled}
        {/* The frame survives each answer until a newer one has loaded. */}
        <div class="screen" id="preview-screen" hx-morph-skip=""></div>
        <p class="hint" id="preview-says" hx-morph-skip=""></p>
      </aside>
    </>
  )
}

/** Shows and hides the preview. */
function PreviewToggle({ isHidden }: Pick<PreviewProps, 'isHidden'>): JSX.Element {
  return (
    <button type="button" class="quiet small preview-toggle" aria-controls="preview" data-url={routes.preview.href()}>
      {isHidden ? 'Show preview' : 'Hide preview'}
    </button>
  )
}

interface KeptProps {
  /** The address to which the editor posts. */
  action: string
  /** The initial hidden fields of the editor. */
  hidden: Record<string, string>
}

/** Offers the edits that this browser has kept; its script fills and shows it. */
function Kept({ action, hidden: { version = '' } }: KeptProps): JSX.Element {
  return (
    <form
      class="kept cluster"
      id="kept"
      method="post"
      action={action}
      enctype="multipart/form-data"
      autocomplete="off"
      data-version={version}
      hidden
    >
      <p role="status"></p>
      <button type="submit" name="do" value="restore" class="small">
        Restore
      </button>
      <button type="button" class="quiet small">
        Discard
      </button>
    </form>
  )
}
