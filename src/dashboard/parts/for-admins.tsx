/** @jsxImportSource @kitajs/html */

import { type ForAdmins, ForAdminsView } from '../../../views/dashboard/parts/form.tsx'
import type { Section } from '../../../views/dashboard/parts/shell.tsx'
import { allowsRole } from '../../identity/roles.ts'
import type { Outcome, Screen } from './screens.tsx'
import type { Visit } from './visit.ts'

/** Makes the `get` of a screen one for admins of the workspace; other members are told whom to ask. */
export function forAdmins(section: Section, words: ForAdmins) {
  return (get: (visit: Visit) => Promise<Outcome>): Screen['get'] =>
    async (visit) => {
      if (isAdmin(visit)) return get(visit)
      return { section, title: words.title, view: <ForAdminsView site={visit.site} {...words} /> }
    }
}

/** Whether the visitor is an admin of the workspace that they act for. */
function isAdmin({ site }: Visit): boolean {
  return allowsRole(site.user.role, 'admin')
}
