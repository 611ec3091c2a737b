import { OAuthClientMetadataSchema } from '@modelcontextprotocol/sdk/shared/auth.js'
import { LRUCache } from 'lru-cache'
import { parseJson } from '../core/json.ts'
import { shortHost } from '../core/links.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { isAscii } from '../core/text.ts'
import { dropFullStop } from '../core/words.ts'
import { type App, unfitName } from '../keys/apps.ts'
import { countRequest, type Limit } from '../limits/rate-limits.ts'
import { get, userAgentOf } from '../outgoing/request.ts'
import { NotSent } from '../outgoing/target.ts'
import { NoTurn } from '../outgoing/turns.ts'
import { issueOf, Refused } from './parameters.ts'

// Apps whose client id is the address of a document that describes them (draft-ietf-oauth-client-id-metadata-document).

const MAX_ID = 500
/** The largest document. The draft suggests 5 KB. */
const MAX_BYTES = 16 * 1024
const TIMEOUT_MS = 5_000
/**
 * Concurrent requests in all, and at most so many for one person, one network and one site: silent sites must not take all
 * places.
 */
const MAX_AT_ONCE = 64
const SHARES = { userId: 8, network: 16, host: 16 }
/** Requests for one person, for documents that are not cached. */
const REQUESTS: Limit = { name: 'app-documents', max: 30, windowMs: 600_000 }

const MAX_KEPT = 500
/** Bounds on the site's max-age: at least as long as a decision takes, and never so long that a change goes unseen for a day. */
const KEPT_SECONDS = { least: 60, usual: 600, most: 3600 }

/** The person who is asked about an app, and their network. */
interface Asked {
  userId: string
  network: string
}
/** A person, a network and a site, which each have a share of the places. */
interface Share extends Asked {
  host: string
}
interface Requested extends Share {
  app: Promise<App>
}

/** Reads and caches the documents of apps. */
export class ClientDocuments {
  readonly #kept = new LRUCache<string, App>({ max: MAX_KEPT })
  readonly #requested = new Map<string, Requested>()

  constructor(readonly service: Service) {}

  /**
   * The app that a document describes.
   * @param asked the person who is asked about the app, for whom its document is requested.
   * @throws Refused; Problem RATE_LIMITED.
   */
  async appOf(id: string, asked: Asked): Promise<App> {
    refuseUnfit(id)
    const known = this.#kept.get(id) ?? this.#requested.get(id)?.app
    if (known !== undefined) return known
    await countRequest(this.service.bucket, REQUESTS, asked.userId, 'for apps, from your account')
    const share = { ...asked, host: new URL(id).hostname }
    if (!this.#hasPlace(share)) throw busy()
    const app = this.#request(id, asked.userId).finally(() => this.#requested.delete(id))
    this.#requested.set(id, { ...share, app })
    return app
  }

  #hasPlace(share: Share): boolean {
    const under = [...this.#requested.values()]
    const isFull = (of: keyof Share) => under.filter((other) => other[of] === share[of]).length >= SHARES[of]
    return under.length < MAX_AT_ONCE && !(['userId', 'network', 'host'] as const).some(isFull)
  }

  async #request(id: string, account: string): Promise<App> {
    const { config } = this.service
    const sent = {
      account,
      headers: { accept: 'application/json', 'user-agent': userAgentOf(config, 'sign-in') },
      timeoutMs: TIMEOUT_MS,
      // Control over a redirect on a site does not prove ownership of the site.
      followsRedirects: false,
      isEnough: (_: Uint8Array, bytes: number) => bytes > MAX_BYTES,
    }
    try {
      const { status, headers, body } = await get(id, sent, { privateNetworks: config.outgoingPrivateNetworks })
      if (status !== 200) throw unreadable(`it answered with ${status}, not 200`)
      if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? ''))
        throw unreadable('its content type must be application/json')
      if (body.byteLength > MAX_BYTES) throw unreadable(`it must have at most ${MAX_BYTES / 1024} KiB`)
      const app = appIn(jsonIn(body), id)
      this.#kept.set(id, app, { ttl: keptSeconds(headers['cache-control']) * 1000 })
      return app
    } catch (error) {
      if (error instanceof NoTurn) throw busy()
      throw error instanceof NotSent ? unreadable(error.message) : error
    }
  }
}

const busy = () => new Refused('temporarily_unavailable', 'too many apps are asking: try again in a few seconds')

function unreadable(why: string): Refused {
  return new Refused('invalid_client', `the document at client_id cannot be read: ${why}`)
}

/** Refuses an address that parsers would write differently: to some of them it would be another app. */
function refuseUnfit(id: string): void {
  const isFit = id.length <= MAX_ID && isAscii(id) && URL.canParse(id)
  const { href, pathname, username, password } = new URL(isFit ? id : 'https://x/')
  if (isFit && href === id && pathname !== '/' && username === '' && password === '' && !id.includes('#')) return
  throw new Refused(
    'invalid_client',
    `client_id must be an https address with a path, without a fragment, in at most ${MAX_ID} characters`,
  )
}

function jsonIn(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (error) {
    throw unreadable(error instanceof Problem ? dropFullStop(error.message) : 'it is not UTF-8')
  }
}

function appIn(document: unknown, id: string): App {
  const { success, data, error } = OAuthClientMetadataSchema.loose().safeParse(document)
  if (!success) throw unreadable(issueOf(error.issues))
  const { redirect_uris: redirectUris, client_name, grant_types, token_endpoint_auth_method: method = 'none' } = data
  // Otherwise anybody who may put a file on a site could speak for an app elsewhere.
  if (data.client_id !== id) throw unreadable('its client_id must be its own address')
  if (method !== 'none' || data.client_secret !== undefined)
    throw unreadable('its token_endpoint_auth_method must be none, and it may hold no secret')
  if (grant_types !== undefined && !grant_types.includes('authorization_code'))
    throw unreadable('its grant_types must include authorization_code')
  const { host } = new URL(id)
  const name = client_name?.trim() || shortHost(host, 100)
  const unfitting = unfitName(name)
  if (unfitting !== null) throw unreadable(`its client_name must be ${unfitting}`)
  return { id, name, redirectUris, registeredAt: 0, isForDevices: false, publisher: host }
}

function keptSeconds(cacheControl: string | undefined): number {
  const said = /(?:^|[\s,])max-age=(\d{1,9})(?:\s*(?:,|$))/i.exec(cacheControl ?? '')?.[1]
  const { least, usual, most } = KEPT_SECONDS
  return Math.min(Math.max(said === undefined ? usual : Number(said), least), most)
}
