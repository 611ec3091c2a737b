import { GONE } from './due.ts'

/** Who shows messages to people, and takes them in a format of its own. */
interface Chat {
  name: string
  host: RegExp
  /** What its addresses for messages begin with; by default all do. */
  path?: RegExp
  /** What becomes of an event there. */
  note: string
  /** What its refusals mean. */
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

/** The chat that a URL leads to. */
function chatAt(url: string): Chat | undefined {
  const { hostname, pathname } = new URL(url)
  const name = hostname.replace(/\.$/, '')
  return CHATS.find(({ host, path }) => host.test(name) && (path === undefined || path.test(pathname)))
}

/** What to know before events are sent to a URL, as a sentence; null unless it is that of a chat. */
export function chatNote(url: string): string | null {
  return chatAt(url)?.note ?? null
}

/** Why a receiver did not take an event, by the status of its answer; continues a sentence. */
export function refusalOf(url: string, status: number): string {
  const why = status === GONE ? 'the receiver wants no more events' : chatAt(url)?.refusals[status]
  return `it was answered with ${status}${why === undefined ? '' : `: ${why}`}`
}
