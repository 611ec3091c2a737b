/** @jsxImportSource @kitajs/html */

import type { Version } from '../../../src/bundles/versions.ts'
import { attribute } from '../../parts/layout.tsx'
import { personName } from '../parts/person.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

/** The editor of a version, as the visitor knows them. An edit by a key counts as its creator's. */
export function EditedBy({ site, version }: { site: DashboardSite; version: Version }): JSX.Element {
  const { editedBy, editor } = version
  if (editedBy === null) return <span>Someone without an account</span>
  if (editedBy === site.viewer.userId) return <span>You</span>
  if (editor === null) return <span>A deleted account</span>
  return (
    <bdi title={attribute(editor.email)} safe>
      {personName(editor)}
    </bdi>
  )
}
