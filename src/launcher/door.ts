import type { Content } from '../../db/schema.ts'
import { isOpen, type Times, timesOf } from './times.ts'

/** What stands between viewers and a bundle. Who may enter is decided in entry.ts. */
export interface Door {
  access: Content['access']
  /** Null if it is always open. */
  times: Times | null
  /** Its owner: an organisation, a user, or neither while it is unclaimed. */
  organizationId: string | null
  userId: string | null
}

/** The door of a bundle; null if anyone may see it at any time. */
export function doorOf(bundle: Omit<Door, 'times'> & Parameters<typeof timesOf>[0]): Door | null {
  const { access, organizationId, userId } = bundle
  const times = timesOf(bundle)
  return times === null && access === 'link' ? null : { access, times, organizationId, userId }
}

/** Whether anyone may enter now. */
export function isOpenToAll({ access, times }: Door, now: number): boolean {
  return access === 'link' && (times === null || isOpen(times, now))
}
