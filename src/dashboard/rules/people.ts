import { FACTS } from '../../../db/policy.ts'
import { roleOver } from '../../../views/dashboard/parts/role.ts'
import type { StoredBundle } from '../../bundles/roles.ts'
import { type People, type TestViewer, testViewer } from '../../policies/draft/test-viewer.ts'
import { viewerOf } from '../../policies/viewer.ts'
import type { Visit } from '../parts/visit.ts'

/** Those whom the rules of a bundle are tried as, with what is filled in. */
export function peopleFor(visit: Visit, bundle: StoredBundle, { values }: Pick<TestViewer, 'values'>): People {
  const { request, service, session } = visit
  const isOwned = bundle.owner.type === 'organization'
  const account = { emailDomain: session.emailDomain, orgRole: isOwned ? roleOver(bundle, visit.site.user) : null }
  const { countryHeader } = service.config
  const seen = viewerOf({ headers: request.headers, url: '', now: Date.now(), countryHeader, account })
  const facts = Object.fromEntries(FACTS.map((fact) => [fact, seen.fact(fact) ?? '']))
  const person = (of: Readonly<Record<string, string>>) => testViewer((name) => of[name] ?? '', values)
  const { emailDomain = '', language = '', client = '', country = '' } = facts
  const near = { language, client, country }
  return {
    // The referrer is this page, which no viewer comes from.
    me: person({ ...facts, signedIn: 'true', referrerDomain: '' }),
    colleague: person({ ...near, signedIn: 'true', emailDomain, orgRole: isOwned ? 'viewer' : '', device: 'desktop' }),
    phone: person({ ...near, device: 'mobile' }),
  }
}
