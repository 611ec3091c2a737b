import type { LauncherViewer } from '../audience/client.ts'
import type { ViewerRequest } from '../policies/facts.ts'

/** The part of a request that policies read. */
export type PolicyRequest = Pick<ViewerRequest, 'headers' | 'url' | 'client'>

/**
 * Requests from a launcher's page have no Referer of their own, so its script passes on the page's
 * (views/launcher/open-all.js) to get the same tabs. Neither is trustworthy.
 */
export function asReferred(viewer: LauncherViewer, origin: string): PolicyRequest {
  const { headers, url, client } = viewer
  const referrer = new URL(url, origin).searchParams.get('openall-referrer')
  return referrer === null ? viewer : { client, url, headers: withReferrer(headers, referrer) }
}

/** Headers with another Referer. */
export function withReferrer(headers: Headers, referrer: string | null): Pick<Headers, 'get'> {
  return { get: (name) => (name === 'referer' ? referrer : headers.get(name)) }
}
