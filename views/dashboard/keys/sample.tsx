/** @jsxImportSource @kitajs/html */

import { Sample } from '../parts/sample.tsx'
import { KeyRow, type KeyWithUsage } from './key-row.tsx'

const MINUTE_MS = 60_000

/** A sample of the page, shown until there are keys. */
export function SampleKeys(): JSX.Element {
  const key = (name: string, keyPrefix: string, minutesAgo: number, more: Partial<KeyWithUsage>): KeyWithUsage => {
    const lastUsedAt = new Date(Date.now() - minutesAgo * MINUTE_MS).toISOString()
    const common = {
      id: 0,
      scope: 'user',
      createdAt: lastUsedAt,
      revokedAt: null,
      minterLeftAt: null,
    } as const
    return { ...common, name, keyPrefix, lastUsedAt, scopes: ['links:write'], rateLimitPerHour: 1000, used: 0, ...more }
  }
  const keys = [
    key('Nightly import', 'oa_8w2dOJ7D', 12, { used: 212 }),
    key('Claude on my laptop', 'oa_kpdiZuSM', 3, { used: 18, scopes: ['links:read'] }),
  ]
  return (
    <Sample caption="An example of what you’ll see here">
      <ul class="rows">{keys.map((apiKey) => <KeyRow apiKey={apiKey} />) as 'safe'[]}</ul>
    </Sample>
  )
}
