import type { Store } from '../../db/client.ts'
import type { ProposalMail } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { tiers } from '../limits/rate-limits.ts'
import type { NoticeKind } from '../mail/notices.ts'

/** The interval between mails of each kind to a person about one bundle. */
const EVERY_MS = 3_600_000

/** The limits for all mails about proposals to one person. */
const TO_ONE_PERSON = tiers('proposal-mail', [
  [10, 3_600_000],
  [30, 86_400_000],
])

/** Mails about proposals. */
export function proposalMails(
  store: Store,
  config: Pick<Config, 'origin' | 'name' | 'secret'>,
): Record<ProposalMail, NoticeKind> {
  const of = (kind: ProposalMail): NoticeKind => ({
    everyMs: EVERY_MS,
    limits: TO_ONE_PERSON,
    // Loaded with the first mail: most processes send none.
    make: async (notice) => (await import('./mail-content.ts')).mailFor(store, { ...notice, kind }, config),
  })
  return { proposed: of('proposed'), decided: of('decided') }
}
