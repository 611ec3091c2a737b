/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { routes } from '../../../src/core/routes.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import type { ProposalInFull } from '../../../src/proposals/present.ts'
import { PROPOSAL_BOUNDS } from '../../../src/proposals/shapes.ts'
import { TextArea } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { EditorState } from '../parts/bundle-form/bundle-form.ts'
import { Editor } from '../parts/bundle-form/editor.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import type { DashboardSite } from '../parts/shell.tsx'
import { Conflicts } from './conflicts.tsx'
import { Message } from './message.tsx'

interface SuggestProps {
  site: DashboardSite
  bundle: StoredBundle
  /** The version from which the form started. */
  version: number
  idempotencyKey: string
  reason: { text: string; error: string | undefined }
  state: EditorState
  icons: SiteIcons
  isPreviewHidden: boolean
}

/** The editor for members who may only suggest edits. */
export function SuggestPage({
  site,
  bundle,
  version,
  idempotencyKey,
  reason,
  state,
  icons,
  isPreviewHidden,
}: SuggestProps): JSX.Element {
  const why = (
    <TextArea
      id="reason"
      label="Why?"
      note="optional, for the editor who reviews it"
      error={reason.error}
      value={reason.text}
      rows="2"
      dir="auto"
      maxlength={String(PROPOSAL_BOUNDS.text)}
    />
  )
  const editor = (
    <Editor
      action={routes.bundle.suggest.href({ slug: bundle.slug })}
      kind="suggested"
      hidden={{ version: String(version), idempotencyKey }}
      save="Send suggestion"
      notice={undefined}
      more={why}
      state={state}
      icons={icons}
      hasPassword={false}
      preview={{ isHidden: isPreviewHidden, hasRules: bundle.resolutionPolicy !== null }}
    />
  )
  if (state.step !== null) return editor
  return (
    <BundleFrame site={site} bundle={bundle} tab="edit">
      <p class="hint">Make your edits, then send them. An editor will review them.</p>
      {editor}
    </BundleFrame>
  )
}

interface EditProposalProps extends ProposalInFull {
  site: DashboardSite
  /** The latest version when the form was shown. */
  version: number
  /** Whether another version was saved while the form was edited. */
  isLate: boolean
  /** The chosen side of a conflict between rules. */
  rules: string
  /** The message to its author. */
  message: { text: string; error: string | undefined }
  state: EditorState
  icons: SiteIcons
  isPreviewHidden: boolean
}

/** The editor with a proposal merged into the latest version, to edit it before accepting. */
export function EditProposalPage(props: EditProposalProps): JSX.Element {
  const { site, bundle, proposal, conflicts, named, changes, version, isLate, rules, message, state } = props
  const { icons, isPreviewHidden } = props
  const path = attribute(routes.bundle.proposal.href({ slug: bundle.slug, id: proposal.id }))
  const hasRuleConflict = conflicts.some(({ field }) => field === 'rules')
  const notice = (
    <>
      {conflicts.length > 0 ? (
        <section class="card caution conflict">
          <h2>Changed by a newer version too</h2>
          {isLate && <Late version={version} />}
          <p>The form has what is there now. Change it to what you want to keep.</p>
          <Conflicts conflicts={conflicts} named={named} />
        </section>
      ) : (
        isLate && <Late version={version} isAlone />
      )}
      {hasRuleConflict && <RulesChoice rules={rules} />}
      {changes.resolutionPolicy !== undefined && (
        <p class="hint">The suggested rules come along. You can change them on the Rules page afterwards.</p>
      )}
    </>
  )
  const editor = (
    <Editor
      action={`${path}/edit`}
      kind="merged"
      hidden={{ version: String(version), ...(isLate ? { late: 'yes' } : {}) }}
      save="Accept with changes"
      notice={notice}
      more={<Message proposal={proposal} id="message" text={message.text} error={message.error} />}
      state={state}
      icons={icons}
      hasPassword={false}
      preview={{ isHidden: isPreviewHidden, hasRules: bundle.resolutionPolicy !== null }}
    />
  )
  if (state.step !== null) return editor
  return (
    <BundleFrame site={site} bundle={bundle} tab="proposals">
      <p>
        <a href={path}>Back to the suggestion</a>
      </p>
      {editor}
    </BundleFrame>
  )
}

/** Says that accepting replaces a version that was saved meanwhile; with a conflict, it is part of that notice. */
function Late({ version, isAlone = false }: { version: number; isAlone?: boolean }): JSX.Element {
  return (
    <p class={isAlone ? 'alert' : undefined} role="alert" id="alert" tabindex="-1" safe>
      {`Version ${version} was saved while you were editing. Accepting saves what is in this form over it.`}
    </p>
  )
}

function RulesChoice({ rules }: { rules: string }): JSX.Element {
  return (
    <fieldset class="field">
      <legend>Rules</legend>
      <label class="choice">
        <input type="radio" name="rules" value="newest" required checked={rules !== 'proposed'} />
        <span>Keep the rules as they are now</span>
      </label>
      <label class="choice">
        <input type="radio" name="rules" value="proposed" required checked={rules === 'proposed'} />
        <span>Take the suggested rules instead</span>
      </label>
    </fieldset>
  )
}
