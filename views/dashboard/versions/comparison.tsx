/** @jsxImportSource @kitajs/html */

import { diff } from '../../../src/bundles/diff.ts'
import { allowsRole } from '../../../src/identity/roles.ts'
import { described, FieldError } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import { roleOver } from '../parts/role.ts'
import { Diff } from './diff.tsx'
import type { Comparison, HistoryProps } from './history-props.ts'
import { Restore } from './restore.tsx'

/** The form that selects two versions to compare. */
export function CompareForm({ bundle, latest, form }: HistoryProps): JSX.Element {
  const field = (name: 'from' | 'to', label: 'Compare' | 'with') => (
    <div class="field">
      <label for={name}>
        {label}
        <span class="visually-hidden"> version</span>
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
        {...described('versions', form.errors[name])}
      />
    </div>
  )
  return (
    <form class="compare cluster" method="get" action={`/dashboard/links/${bundle.slug}/versions`}>
      {field('from', 'Compare')}
      {field('to', 'with')}
      <button type="submit">Show</button>
      <FieldError id="versions" error={form.errors.from ?? form.errors.to} />
    </form>
  )
}

/** Two versions compared, with a button that restores the older. */
export function Compared({ site, bundle, icons, latest, from, to }: HistoryProps & Comparison): JSX.Element {
  const older = Math.min(from.versionNumber, to.versionNumber)
  const mayRestore = older < latest && allowsRole(roleOver(bundle, site.user), 'editor')
  return (
    <section class="compared aside stack" aria-labelledby="comparison-heading">
      <div class="step cluster">
        <h2 id="comparison-heading" safe>
          {`Version ${from.versionNumber} → version ${to.versionNumber}`}
        </h2>
        <span class="by hint">
          <RelativeTime at={from.editedAt} />
          {' → '}
          <RelativeTime at={to.editedAt} />
        </span>
      </div>
      <Diff diff={diff(from, to)} named={[...to.variables, ...from.variables]} icons={icons} />
      <div class="actions">
        {mayRestore ? <Restore slug={bundle.slug} versionNumber={older} latest={latest} /> : ''}
        <a class="quiet" href={`/dashboard/links/${bundle.slug}/versions`}>
          Close comparison
        </a>
      </div>
    </section>
  )
}
