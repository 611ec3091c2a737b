import type { Config } from '../config/config.ts'

// The service’s own cookies. better-auth sets its session cookie itself, under the same rules.

type Site = Pick<Config, 'origin'>

/** The longest lifetime that browsers allow. */
export const LONGEST_SECONDS = 400 * 86_400

/** Longer cookies are not ours. */
const MAX_PAIR = 512

/** A cookie for better-auth, or a response of our own, to set. */
export interface Cookie {
  name: string
  value: string
  attributes: { path: string; httpOnly: true; sameSite: 'lax'; secure: boolean; maxAge: number }
}

/** Whether the service is served over https, so that its cookies can be limited to https. */
function isSecure({ origin }: Site): boolean {
  return origin.startsWith('https:')
}

/** The name of a cookie for every path: `__Host-` binds it to this exact host, over https. */
export function hostCookieName(name: string, site: Site): string {
  return isSecure(site) ? `__Host-${name}` : name
}

/** A cookie for `path`. @param maxAge in seconds; 0 removes it. */
export function cookieOf(name: string, value: string, maxAge: number, site: Site, path = '/'): Cookie {
  return {
    name: path === '/' ? hostCookieName(name, site) : name,
    value,
    attributes: { path, httpOnly: true, sameSite: 'lax', secure: isSecure(site), maxAge },
  }
}

/** The value of a `Set-Cookie` header. */
export function cookieLine({ name, value, attributes: { path, maxAge, secure } }: Cookie): string {
  return `${name}=${value}; Max-Age=${maxAge}; Path=${path}; HttpOnly;${secure ? ' Secure;' : ''} SameSite=Lax`
}

/** The value of a cookie in a request, or null. @param name including `__Host-`. */
export function cookieIn(headers: Headers, name: string): string | null {
  // Not split into pairs: a header may have thousands.
  const pairs = `; ${headers.get('cookie') ?? ''}; `
  const start = `; ${name}=`
  const at = pairs.indexOf(start)
  if (at === -1) return null
  const end = pairs.indexOf('; ', at + start.length)
  return end - at - '; '.length > MAX_PAIR ? null : pairs.slice(at + start.length, end)
}
