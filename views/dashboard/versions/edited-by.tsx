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

/** Who made a version: its editor or, of an accepted proposal, who proposed it and who accepted it. */
export function MadeBy({ site, version }: Omit<EditedByProps, 'isWithin'>): JSX.Element {
  const { editedBy, proposedBy, proposer } = version
  if (proposedBy === null || proposedBy === editedBy) return <EditedBy site={site} version={version} />
  return (
    <>
      <Person site={site} id={proposedBy} person={proposer} isWithin={false} />
      {', accepted by '}
      <EditedBy site={site} version={version} isWithin />
    </>
  )
}

/** The editor of a version. An edit by a key counts as its creator's. */
export function EditedBy({ site, version, isWithin = false }: EditedByProps): JSX.Element {
  const { editedBy, editor } = version
  return <Person site={site} id={editedBy} person={editor} isWithin={isWithin} />
}

interface PersonProps extends Required<Pick<EditedByProps, 'site' | 'isWithin'>> {
  /** Null without an account. */
  id: string | null
  /** Null once the account is deleted. */
  person: Version['editor']
}

function Person({ site, id, person, isWithin }: PersonProps): JSX.Element {
  if (id === null) return <span>{isWithin ? 'someone without an account' : 'Someone without an account'}</span>
  if (id === site.user.userId) return <span>{isWithin ? 'you' : 'You'}</span>
  if (person === null) return <span>{isWithin ? 'a deleted account' : 'A deleted account'}</span>
  return (
    <bdi title={attribute(person.email)} safe>
      {personName(person)}
    </bdi>
  )
}
