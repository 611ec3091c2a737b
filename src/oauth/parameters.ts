import type { Audience } from '../../db/rights.ts'
import { sentenceOf } from '../core/issue-words.ts'
import { readForm } from '../http/body.ts'
import { fromZod } from '../http/zod-issues.ts'
import { audienceOf } from './resources.ts'

/** An error by its name in the protocol, and a sentence without a full stop. */
export class Refused extends Error {
  constructor(
    readonly error: string,
    message: string,
    readonly status = 400,
  ) {
    super(message)
  }
}

/** The parameters of a request, each at most once. */
export type Parameters = Readonly<Record<string, string>>

/** More than any client sends; a sign-in page carries them along. */
const MAX_CHARACTERS = 4000

/**
 * The parameters of a request for consent.
 * @throws Refused if one is repeated, because parsers would disagree on which counts.
 */
export function inQuery({ url }: Request): Parameters {
  return once(new URL(url).searchParams)
}

/**
 * The parameters of a posted form.
 * @throws Refused; Problem if there is no form.
 */
export async function inForm(request: Request): Promise<Parameters> {
  return once(await readForm(request))
}

/** Whether a client id is the address of a document that describes its app. */
export function isDocument(clientId: string): boolean {
  return clientId.startsWith('https://')
}

function once(sent: URLSearchParams): Parameters {
  if (sent.toString().length > MAX_CHARACTERS)
    throw new Refused('invalid_request', `the parameters must be at most ${MAX_CHARACTERS} characters`)
  const parameters: Record<string, string> = Object.create(null)
  for (const [name, value] of sent) {
    if (name in parameters) throw new Refused('invalid_request', `${name} must be sent once`)
    // An empty one counts as omitted (RFC 6749, 3.1).
    const meant = name === 'scope' ? dropOpenId(value) : value
    if (meant !== '') parameters[name] = meant
  }
  return parameters
}

/**
 * Drops the scopes of OpenID Connect, which many clients always request: apps learn nobody’s identity here, and every app may
 * renew its tokens.
 */
function dropOpenId(scope: string): string {
  const asked = scope.split(/\s+/).filter((one) => one !== '' && !OPENID.has(one))
  return asked.join(' ')
}

const OPENID: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'offline_access'])

/**
 * Refuses a `resource` other than the one that was consented to (RFC 8707).
 * @throws Refused.
 */
export function refuseOtherResource({ resource }: Parameters, consented: Audience, origin: string): void {
  if (resource === undefined || audienceOf(resource, origin) === consented) return
  throw new Refused('invalid_target', 'resource must be the one that was consented to, or omitted')
}

/** The first issue of a library’s schema, as a sentence without a full stop. */
export function issueOf([issue]: readonly { path: readonly PropertyKey[]; message: string }[]): string {
  return issue === undefined ? 'the body is not valid: see RFC 7591' : sentenceOf(fromZod(issue))
}
