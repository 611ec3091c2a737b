import type { CONTENT } from '../../../src/bundles/content.ts'
import type { LoggedEvent } from '../../../src/events/shapes.ts'

type Kind = LoggedEvent['type'] extends infer Type ? (Type extends `${infer Of}.${string}` ? Of : never) : never

/** What each kind of event is about, as people call it. */
export const KINDS: Record<Kind, string> = {
  bundle: 'Bundles',
  proposal: 'Suggestions',
  key: 'API keys',
  app: 'Apps',
  webhook: 'Webhooks',
  member: 'Members',
  organization: 'The organisation',
  account: 'Accounts',
  data: 'Exports',
}

/** How far back a list may be asked to go, in days. */
export const PERIODS = { '1': 'Last 24 hours', '7': 'Last 7 days', '30': 'Last 30 days' } as const

const FIELDS: Record<keyof typeof CONTENT | 'password', string> = {
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
}

/** A field that changed, within a sentence. */
export function fieldName(field: string): string {
  return Object.hasOwn(FIELDS, field) ? FIELDS[field as keyof typeof FIELDS] : `the ${field}`
}
