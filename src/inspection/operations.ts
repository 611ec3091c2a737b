import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import type { Caller } from '../identity/caller.ts'
import { takeAll } from '../limits/counts.ts'
import { implement } from '../operations/operation.ts'
import { inspect } from './inspect.ts'
import { Inspected, Inspection } from './shapes.ts'

/** POST /api/links/inspect. */
export const inspectUrls = implement('inspect_urls', {
  summary: 'Look at up to 25 links: titles, where they lead, what is wrong',
  description: 'Opens each link once, and saves nothing. 60 links per minute.',
  input: Inspection,
  example: { urls: ['https://example.com/plan'] },
  output: Inspected,
  errors: ['INVALID_URLS', 'FORBIDDEN', 'RATE_LIMITED'],
  async run({ urls }, { service, caller }) {
    const { config } = service
    if (config.inspect === 'off') {
      throw new Problem('FORBIDDEN', 'This server looks at no links: its operator has switched that off.')
    }
    await countLinks(service, caller, urls.length)
    const inspecting = { site: config, icons: service.siteIcons, account: accountOf(caller) }
    return { links: await Promise.all(urls.map((url) => inspect(url, inspecting))) }
  },
})

const accountOf = (caller: Caller) => (caller.kind === 'anonymous' ? caller.address : caller.userId)

/** @throws Problem RATE_LIMITED. */
async function countLinks({ bucket, limits }: Service, caller: Caller, links: number): Promise<void> {
  const limit = limits.inspecting
  const key = accountOf(caller)
  const { allowed } = await takeAll(bucket, Array(links).fill({ limit, key }))
  if (allowed) return
  // All of them pass then, whichever were the last.
  const retryAfterSeconds = limit.windowMs / 1000
  throw new Problem(
    'RATE_LIMITED',
    `You can have ${limit.max} links looked at per minute. Try again in ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  )
}
