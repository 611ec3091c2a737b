import { Elysia } from 'elysia'
import { refuseMethod } from '../api/json.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../service.ts'
import { headersWith, text } from './respond.ts'

/** How long a reader may rely on security.txt, which is made anew for each: RFC 9116 wants less than a year. */
const EXPIRES_AFTER_MS = 180 * 86_400_000
const RAW = { parse: 'none' } as const

/** What tools look for at addresses that every site has in common (RFC 8615). */
export function wellKnown({ config }: Service) {
  return new Elysia()
    .get('/.well-known/security.txt', ({ request }) => {
      const { securityContact: contact, origin } = config
      if (contact === undefined) throw new Problem('NOT_FOUND', 'There is nothing at this address.')
      const expires = new Date(Date.now() + EXPIRES_AFTER_MS).toISOString().replace(/\.\d+/, '')
      const fields = [
        `Contact: ${contact}`,
        `Expires: ${expires}`,
        'Preferred-Languages: en',
        `Canonical: ${origin}/.well-known/security.txt`,
      ]
      return text(request, `${fields.join('\n')}\n`, { type: 'text/plain; charset=utf-8' })
    })
    .get('/.well-known/change-password', () => {
      const headers = headersWith({ location: '/dashboard/settings#password', 'cache-control': 'no-store' })
      return new Response(null, { status: 302, headers })
    })
    .all('/.well-known/security.txt', () => refuseMethod(['GET', 'HEAD']), RAW)
    .all('/.well-known/change-password', () => refuseMethod(['GET', 'HEAD']), RAW)
}
