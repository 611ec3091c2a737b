import { GONE } from './due.ts'

/** A chat service that accepts messages in a format of its own. */
interface Chat {
  name: string
  host: RegExp
  /** Matches the paths of its message addresses; by default every path. */
  path?: RegExp
  /** What the chat does with an event. */
  note: string
  /** The meaning of its refusals, by status. */
  refusals: Readonly<Record<number, string>>
}

const chat = (name: string, host: RegExp, path?: RegExp): Chat => ({
  name,
  host,
  ...(path === undefined ? {} : { path }),
  note: `${name} takes messages in a format of its own, and refuses events as they are sent: have them sent to a program of yours that puts them into words.`,
  refusals: {
    400: `${name} takes messages in a format of its own, which an event is not`,
    404: `${name} has no webhook at this URL, or has none any more`,
  },
})

const CHATS: readonly Chat[] = [
  chat('Slack', /^hooks\.slack(?:-gov)?\.com$/),
  chat('Discord', /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/, /^\/api\/(?:v\d+\/)?webhooks\//),
  chat('Teams', /\.(?:webhook\.office\.com|logic\.azure\.com|api\.powerplatform\.com)$/),
  {
    name: 'ntfy',
    host: /^ntfy\.sh$/,
    note: 'ntfy shows what it is sent as it is: each message will be an event as JSON.',
    refusals: {
      400: 'ntfy takes messages at the address of a topic, https://ntfy.sh/<topic>',
      404: 'ntfy has no topic at this URL',
    },
  },
]

/** The chat to which a URL belongs. */
function chatAt(url: string): Chat | undefined {
  const { hostname, pathname } = new URL(url)
  const name = hostname.replace(/\.$/, '')
  return CHATS.find(({ host, path }) => host.test(name) && (path === undefined || path.test(pathname)))
}

/** A sentence to read before events are sent to a URL; null unless the URL is a chat's. */
export function chatNote(url: string): string | null {
  return chatAt(url)?.note ?? null
}

/** Why a receiver refused an event, by the status of its answer; continues a sentence. */
export function refusalOf(url: string, status: number): string {
  const why = status === GONE ? 'the receiver wants no more events' : chatAt(url)?.refusals[status]
  return `it was answered with ${status}${why === undefined ? '' : `: ${why}`}`
}
