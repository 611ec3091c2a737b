/** @jsxImportSource @kitajs/html */

import type { Version } from '../../../src/bundles/versions.ts'
import { attribute } from '../../parts/layout.tsx'
import { personName } from '../parts/person.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

/** Who made a version, as the visitor knows them. What a key did counts as done by whoever made the key. */
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
