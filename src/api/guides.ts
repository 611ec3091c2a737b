import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { lazy } from '../core/lazy.ts'

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

export function isGuide(name: string): name is GuideName {
  return (GUIDES as readonly string[]).includes(name)
}

/** The Markdown of a guide. */
export function guideText(name: GuideName): string {
  return readFileSync(fileURLToPath(new URL(`../../docs/${name}.md`, import.meta.url)), 'utf8')
}

const PICTURE = /\]\(pictures\/([\w-]+\.png)\)/g

/** The names of the pictures that guides show: the only files of `docs/pictures/` that are served. */
export const guidePictures = lazy(
  (): ReadonlySet<string> =>
    new Set(GUIDES.flatMap((guide) => Array.from(guideText(guide).matchAll(PICTURE), ([, name = '']) => name))),
)

/** One of `guidePictures`, as PNG. */
export function guidePicture(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(fileURLToPath(new URL(`../../docs/pictures/${name}`, import.meta.url))))
}

/** The title of a guide: its first heading. */
export function guideTitle(name: GuideName): string {
  return /^# (.+)$/m.exec(guideText(name))?.[1] ?? name
}
