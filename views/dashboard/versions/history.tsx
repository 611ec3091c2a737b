/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/access.ts'
import { NOTHING } from '../../../src/bundles/content.ts'
import { diff } from '../../../src/bundles/diff.ts'
import type { Version } from '../../../src/bundles/versions.ts'
import { allowsRole } from '../../../src/identity/roles.ts'
import { Alert, described, FieldError } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { roleOver } from '../parts/role.ts'
import { type DashboardSite, personName } from '../parts/shell.tsx'
import { When } from '../parts/time.tsx'
import { Diff } from './diff.tsx'
import { inShort } from './diff-words.ts'

/** Two versions beside each other. */
interface Comparison {
  from: Version
  to: Version
}

/** What is asked of the comparison, as it was typed. */
export interface ComparisonForm {
  from: string
  to: string
  errors: { from?: string | undefined; to?: string | undefined }
}

export interface HistoryProps {
  site: DashboardSite
  bundle: StoredBundle
  /** Newest first. */
  versions: readonly Version[]
  /** The version before the oldest of them; null where they begin with the first. */
  earlier: Version | null
  /** The number of the newest version that there is. */
  latest: number
  /** The number of the version that is shown in full; null for none. */
  open: number | null
  /** From where on the page lists; null for the newest. */
  before: number | null
  form: ComparisonForm
  comparison: Comparison | null
  /** What was refused. */
  alert: string | null
}

/** Every version of a bundle: who made it, when, and what it changed (decisions 11). */
export function HistoryView(props: HistoryProps): JSX.Element {
  const { site, bundle, latest, alert } = props
  return (
    <BundleFrame site={site} bundle={bundle} tab="versions">
      <Alert text={alert} />
      {latest === 1 ? (
        <p class="hint">
          Every time this bundle is saved, the version before is kept. What changed, and by whom, is then told here, and
          each version can be brought back.
        </p>
      ) : (
        <CompareForm {...props} />
      )}
      <History {...props} />
    </BundleFrame>
  )
}

function CompareForm({ bundle, latest, form }: HistoryProps): JSX.Element {
  const field = (name: 'from' | 'to', label: string) => (
    <div class="field">
      <label for={name}>
        {label as 'safe'}
        <span class="said"> version</span>
      </label>
      <input
        id={name}
        name={name}
        type="number"
        inputmode="numeric"
        min="1"
        max={String(latest)}
        required
        value={attribute(form[name])}
        {...described(name, form.errors[name])}
      />
      <FieldError id={name} error={form.errors[name]} />
    </div>
  )
  return (
    <form class="compare" method="get" action={`/dashboard/links/${bundle.slug}/versions`}>
      {field('from', 'Compare') as 'safe'}
      {field('to', 'with') as 'safe'}
      <button type="submit">Show</button>
    </form>
  )
}

/** A page of versions, one of them in full: what opening another replaces. */
export function History(props: HistoryProps): JSX.Element {
  const { versions, earlier, comparison } = props
  return (
    <div id="history" class="history">
      {comparison === null ? '' : <Compared {...props} {...comparison} />}
      <ol>
        {
          versions.map((version, at) => (
            <Step {...props} version={version} previous={versions[at + 1] ?? earlier} />
          )) as 'safe'[]
        }
      </ol>
      <Pager {...props} />
    </div>
  )
}

/** Replaces the list alone, and keeps the address of what it shows. */
const INTO_LIST = 'target:"#history", swap:"outerHTML"'

type StepProps = HistoryProps & { version: Version; previous: Version | null }

function Step(props: StepProps): JSX.Element {
  const { site, bundle, before, open, latest, version, previous } = props
  const { versionNumber, editedAt } = version
  const changes = diff(previous ?? NOTHING, version)
  const isOpen = versionNumber === open
  const query = new URLSearchParams({
    ...(before === null ? {} : { before: String(before) }),
    version: String(versionNumber),
  })
  return (
    <li class={isOpen ? 'open' : undefined}>
      <div class="step">
        <h2>
          <a
            id={`v${versionNumber}`}
            href={attribute(`/dashboard/links/${bundle.slug}/versions?${query}`)}
            hx-boost={INTO_LIST}
            aria-current={isOpen ? 'true' : undefined}
            safe
          >
            {`Version ${versionNumber}`}
          </a>
        </h2>
        {versionNumber === latest ? <span class="tag good">current</span> : ''}
        <span class="by hint">
          <Editor site={site} version={version} />
          {', '}
          <When at={editedAt} />
        </span>
        <p class="told" safe>
          {summary(inShort(changes), versionNumber)}
        </p>
      </div>
      {isOpen ? (
        <div class="card">
          <Diff diff={changes} />
          <Actions {...props} />
        </div>
      ) : (
        ''
      )}
    </li>
  )
}

function summary(short: string, versionNumber: number): string {
  if (versionNumber === 1) return `Made: ${short}`
  return short === '' ? 'Saved without a change' : short.charAt(0).toUpperCase() + short.slice(1)
}

/** Who made a version. What a key did was done by whoever minted it: the two cannot be told apart. */
/** Who made a version, as the visitor knows them. */
export function Editor({ site, version }: { site: DashboardSite; version: Version }): JSX.Element {
  const { editedBy, editor } = version
  if (editedBy === null) return <span>Somebody without an account</span>
  if (editedBy === site.viewer.userId) return <span>You</span>
  if (editor === null) return <span>An account that is gone</span>
  return (
    <bdi title={attribute(editor.email)} safe>
      {personName(editor)}
    </bdi>
  )
}

/** What can be done with a version in full. */
function Actions({ site, bundle, latest, version }: StepProps): JSX.Element {
  const { versionNumber } = version
  if (versionNumber === latest) return ''
  const to = attribute(`/dashboard/links/${bundle.slug}/versions?from=${versionNumber}&to=${latest}`)
  return (
    <div class="actions">
      {allowsRole(roleOver(bundle, site.viewer), 'editor') ? (
        <Restore slug={bundle.slug} versionNumber={versionNumber} latest={latest} />
      ) : (
        ''
      )}
      <a class="button" href={to}>
        Compare with the current
      </a>
    </div>
  )
}

interface RestoreProps {
  slug: string
  versionNumber: number
  latest: number
}

function Restore({ slug, versionNumber, latest }: RestoreProps): JSX.Element {
  return (
    <form method="post" action={`/dashboard/links/${slug}/versions/${versionNumber}/restore`}>
      <input type="hidden" name="expectedVersion" value={String(latest)} />
      <button type="submit" class="primary" title={`Saves it as version ${latest + 1}; nothing is lost`}>
        <Icon name="history" />
        <span safe>{`Restore version ${versionNumber}`}</span>
      </button>
    </form>
  )
}

function Compared({ site, bundle, latest, from, to }: HistoryProps & Comparison): JSX.Element {
  const older = Math.min(from.versionNumber, to.versionNumber)
  const mayRestore = older < latest && allowsRole(roleOver(bundle, site.viewer), 'editor')
  return (
    <section class="card compared" aria-labelledby="compared">
      <div class="step">
        <h2 id="compared" safe>
          {`Version ${from.versionNumber} → version ${to.versionNumber}`}
        </h2>
        <span class="by hint">
          <When at={from.editedAt} />
          {' → '}
          <When at={to.editedAt} />
        </span>
      </div>
      <Diff diff={diff(from, to)} />
      <div class="actions">
        {mayRestore ? <Restore slug={bundle.slug} versionNumber={older} latest={latest} /> : ''}
        <a class="button" href={`/dashboard/links/${bundle.slug}/versions`}>
          Close the comparison
        </a>
      </div>
    </section>
  )
}

function Pager({ bundle, versions, before, latest }: HistoryProps): JSX.Element {
  const newest = versions[0]?.versionNumber ?? 0
  const oldest = versions.at(-1)?.versionNumber ?? 0
  if (before === null && oldest <= 1) return ''
  const path = `/dashboard/links/${bundle.slug}/versions`
  const newer = newest + versions.length + 1
  return (
    <nav class="pager hint" aria-label="Pages">
      <span safe>{`${newest} to ${oldest} of ${latest}`}</span>
      {newest < latest ? (
        <a class="quiet" rel="prev" href={newer > latest ? path : `${path}?before=${newer}`}>
          Newer
        </a>
      ) : (
        ''
      )}
      {oldest > 1 ? (
        <a class="quiet" rel="next" href={`${path}?before=${oldest}`}>
          Older
        </a>
      ) : (
        ''
      )}
    </nav>
  )
}
