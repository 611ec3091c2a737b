import type { CONTENT } from '../../../src/bundles/content.ts'
import type { LoggedEvent } from '../../../src/events/shapes.ts'
import type { IconName } from '../../parts/icons.tsx'

type Kind = LoggedEvent['type'] extends infer Type ? (Type extends `${infer Of}.${string}` ? Of : never) : never

/** What each kind of event is about, as people call it. */
export const KINDS: Record<Kind, { name: string; icon: IconName }> = {
  bundle: { name: 'Bundles', icon: 'bundles' },
  proposal: { name: 'Suggestions', icon: 'idea' },
  key: { name: 'API keys', icon: 'key' },
  app: { name: 'Apps', icon: 'out' },
  webhook: { name: 'Webhooks', icon: 'webhook' },
  member: { name: 'Members', icon: 'people' },
  organization: { name: 'The organisation', icon: 'folder' },
  account: { name: 'Accounts', icon: 'settings' },
  data: { name: 'Exports', icon: 'download' },
}

export function kindOf({ type }: LoggedEvent): Kind {
  return type.slice(0, type.indexOf('.')) as Kind
}

/** How far back a list may be asked to go, in days. */
export const PERIODS = { '1': 'Last 24 hours', '7': 'Last 7 days', '30': 'Last 30 days' } as const

const FIELDS: Record<keyof typeof CONTENT | 'password' | 'externalId' | 'enabled' | 'url' | 'checkLinks', string> = {
  urls: 'the links',
  urlMetadata: 'the links',
  variables: 'the variables',
  title: 'the title',
  description: 'the description',
  opensAt: 'the opening time',
  closesAt: 'the closing time',
  closedNote: 'the note after closing',
  access: 'the access',
  copyable: 'whether viewers may copy',
  icons: 'icons',
  resolutionPolicy: 'the rules',
  password: 'the password',
  externalId: 'the ID',
  // Of webhooks.
  enabled: 'whether it is enabled',
  url: 'the URL',
  // Of organisations.
  checkLinks: 'whether links are checked',
}

/** A field that changed, within a sentence. */
export function fieldName(field: string): string {
  return Object.hasOwn(FIELDS, field) ? FIELDS[field as keyof typeof FIELDS] : `the ${field}`
}
