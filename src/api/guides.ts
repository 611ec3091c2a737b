import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The pages of `docs/` that the service serves below `/docs/`, in reading order; the rest is for its developers. */
export const GUIDES = [
  'quick-start',
  'sharing',
  'variables',
  'keyword',
  'moving',
  'policies',
  'cookbook',
  'proposals',
  'activity',
  'api',
  'errors',
  'api-keys',
  'cors',
  'webhooks',
  'provider-events',
  'sdk',
  'cli',
  'mcp',
  'browsers',
  'checks',
  'privacy',
  'self-hosting',
  'settings',
  'security',
] as const

export type GuideName = (typeof GUIDES)[number]

/** The Markdown of a guide. */
export function guideText(name: GuideName): string {
  return readFileSync(fileURLToPath(new URL(`../../docs/${name}.md`, import.meta.url)), 'utf8')
}

/** The title of a guide: its first heading. */
export function guideTitle(name: GuideName): string {
  return /^# (.+)$/m.exec(guideText(name))?.[1] ?? name
}
