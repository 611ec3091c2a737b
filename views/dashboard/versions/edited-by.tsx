/** @jsxImportSource @kitajs/html */

import type { Version } from '../../../src/bundles/history.ts'
import { attribute } from '../../parts/layout.tsx'
import { personName } from '../parts/person.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

interface EditedByProps {
  site: DashboardSite
  version: Version
  /** Whether it follows other words. */
  isWithin?: boolean
}

/** The editor of a version. An edit by a key counts as its creator's. */
export function EditedBy({ site, version, isWithin = false }: EditedByProps): JSX.Element {
  const { editedBy, editor } = version
  if (editedBy === null) return <span>{isWithin ? 'someone without an account' : 'Someone without an account'}</span>
  if (editedBy === site.user.userId) return <span>{isWithin ? 'you' : 'You'}</span>
  if (editor === null) return <span>{isWithin ? 'a deleted account' : 'A deleted account'}</span>
  return (
    <bdi title={attribute(editor.email)} safe>
      {personName(editor)}
    </bdi>
  )
}
