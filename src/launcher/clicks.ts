import { answering, type Failed } from '../api/json.ts'
import type { Service } from '../service.ts'
import { recordEvent } from './operations.ts'

/**
 * Answers clicks on Open all ahead of the router, which would make them a tenth more expensive. Undefined for any other
 * request, and for a click whose URL is unusually encoded.
 */
export function clicksAhead(service: Service, failed: Failed) {
  const answer = answering(recordEvent, service, failed)
  const [, method = '', before = '', after = ''] = /^(\w+) (\/.+\/):slug(\/.+)$/.exec(recordEvent.route) ?? []
  const start = `http://${service.config.authority}/api${before}`
  return (request: Request): Promise<Response> | undefined => {
    const { url } = request
    if (request.method !== method || !url.endsWith(after) || !url.startsWith(start)) return undefined
    const slug = url.slice(start.length, -after.length)
    return /^[\w-]+$/.test(slug) ? answer(request, { slug }) : undefined
  }
}
