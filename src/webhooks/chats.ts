import type { WebhookFormat } from '../../db/schema.ts'
import { GONE } from './due.ts'

export type ChatFormat = Exclude<WebhookFormat, 'standard'>

/** A chat service that accepts messages in a format of its own. */
interface Chat {
  name: string
  host: RegExp
  /** Matches the paths of its message addresses; by default every path. */
  path?: RegExp
  /** What becomes of a signed event there. */
  ofEvents: string
  /** The meaning of its refusals, by status. */
  refusals: Readonly<Record<number, string>>
  /** Statuses besides 410 by which it says that an address leads nowhere any more. */
  gone: readonly number[]
}

const chat = (name: string, about: Pick<Chat, 'host' | 'path' | 'gone'>): Chat => ({
  name,
  ...about,
  ofEvents: `${name} takes messages in a format of its own, and refuses signed events`,
  refusals: {
    400: `${name} takes messages in a format of its own, which an event is not`,
    404: `${name} has no webhook at this URL, or has none any more`,
  },
})

export const CHATS: Readonly<Record<ChatFormat, Chat>> = {
  slack: chat('Slack', { host: /^hooks\.slack(?:-gov)?\.com$/, gone: [404] }),
  discord: chat('Discord', {
    host: /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/,
    // Below it is Discord's imitation of other services.
    path: /^\/api\/(?:v\d+\/)?webhooks\/[^/]+\/[^/]+\/?$/,
    gone: [404],
  }),
  // A workflow without its owner may come back, and its 404 is not documented.
  teams: chat('Teams', {
    host: /\.(?:webhook\.office\.com|logic\.azure\.com|api\.powerplatform\.com|api\.powerautomate\.com)$/,
    gone: [],
  }),
  ntfy: {
    name: 'ntfy',
    host: /^ntfy\.sh$/,
    ofEvents: 'ntfy shows what it is sent as it is, so that each message would be an event as JSON',
    refusals: {
      400: 'ntfy takes messages at the address of a topic, https://ntfy.sh/<topic>',
      404: 'ntfy has no topic at this URL',
    },
    gone: [],
  },
}

const FORMATS = Object.keys(CHATS) as ChatFormat[]

/** The format that a URL's host asks for. */
export function formatFor(url: string): WebhookFormat {
  const { hostname, pathname } = new URL(url)
  const name = hostname.replace(/\.$/, '')
  const isAt = ({ host, path }: Chat) => host.test(name) && (path === undefined || path.test(pathname))
  return FORMATS.find((format) => isAt(CHATS[format])) ?? 'standard'
}

/** The address of a topic, in parts; null if the URL has none. */
export function topicIn(url: string): { server: string; topic: string } | null {
  const at = new URL(url)
  const [, before = '', topic] = /^(.*\/)([\w-]{1,64})\/?$/.exec(at.pathname) ?? []
  if (topic === undefined) return null
  at.pathname = before
  return { server: at.href, topic }
}

/** A sentence about a format that the receiver may refuse; null if it fits. */
export function formatHint({ url, format }: { url: string; format: WebhookFormat }): string | null {
  const wanted = formatFor(url)
  if (format === 'ntfy' && topicIn(url) === null) {
    return 'ntfy takes messages at the address of a topic, such as https://ntfy.sh/launches.'
  }
  if (wanted === format) return null
  if (wanted === 'standard') {
    const { name } = CHATS[format as ChatFormat]
    return `This is no address of ${name}: the receiver must take messages in the format of ${name}.`
  }
  const { name, ofEvents } = CHATS[wanted]
  const why =
    format === 'standard' ? ofEvents : `${name} takes messages in a format of its own, not ${CHATS[format].name}’s`
  return `${why}: set the format to ${wanted}.`
}

/** Whether a status says that there is nothing at a URL any more (410: Standard Webhooks), so that nothing more is sent. */
export function isGone(url: string, status: number | null): boolean {
  if (status === GONE) return true
  const at = formatFor(url)
  return status !== null && at !== 'standard' && CHATS[at].gone.includes(status)
}

/** Why a receiver refused an event, by the status of its answer; continues a sentence. */
export function refusalOf({ url, format }: { url: string; format: WebhookFormat }, status: number): string {
  const at = formatFor(url)
  const why =
    status === GONE ? 'the receiver wants no more events' : at === 'standard' ? undefined : whyAt(at, format, status)
  return `it was answered with ${status}${why === undefined ? '' : `: ${why}`}`
}

function whyAt(at: ChatFormat, format: WebhookFormat, status: number): string | undefined {
  const { name, refusals } = CHATS[at]
  return status === 400 && at === format && at !== 'ntfy' ? `${name} did not understand the message` : refusals[status]
}
