import { freePort } from './ports.ts'

// Slack, Discord, Teams and ntfy as their documentation says: each refuses what it would refuse there, and says what its
// readers would see. What each was written from:
// Slack: “Sending messages using incoming webhooks”, “Formatting message text”, the reference of the rich text block.
// Discord: “Execute Webhook”, “Message resource” (allowed mentions, flags), “Rate limits”.
// Teams: “Create incoming webhooks with Workflows” (28 KB), “Format cards in Teams”, the schema of Adaptive Cards 1.5.
// ntfy: “Publish as JSON”, “Limitations” (4096 bytes; a longer message becomes a file).

/** What the readers of a chat see. */
interface Seen {
  text: string
  links: { text: string; href: string }[]
  /** Who is notified, beside those who follow the channel. */
  mentions: string[]
}

type Json = Record<string, unknown>

/** An answer other than success. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: string,
  ) {
    super(`${status} ${body}`)
  }
}

const refuse = (status: number, body: string): never => {
  throw new Refusal(status, body)
}

/** Refuses fields that the documentation does not name, because a misspelt one would be ignored there without a word. */
function onlyKnown(value: unknown, known: readonly string[], refusal: () => never): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refusal()
  for (const key of Object.keys(value)) if (!known.includes(key)) refusal()
  return value as Json
}

const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length > 0 && [...value].length <= max
const isWebAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value) && value.length <= 3000

export const CHAT_HOSTS = {
  slack: 'hooks.slack.com',
  discord: 'discord.com',
  teams: 'prod-1.westus.logic.azure.com',
  ntfy: 'ntfy.sh',
} as const

export type ChatName = keyof typeof CHAT_HOSTS

export const CHAT_PATHS: Record<ChatName, string> = {
  slack: '/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
  discord: '/api/webhooks/123456789012345678/AbC-dEf_123',
  teams: '/workflows/0a1b/triggers/manual/paths/invoke?api-version=2016-06-01&sig=x',
  ntfy: '/launches',
}

const RECEIVERS: Record<ChatName, { status: number; take(path: string, text: string): Seen }> = {
  slack: { status: 200, take: takeSlack },
  discord: { status: 204, take: takeDiscord },
  teams: { status: 202, take: takeTeams },
  ntfy: { status: 200, take: takeNtfy },
}

function parsed(text: string, refusal: () => never): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refusal()
  }
}

function takeSlack(path: string, text: string): Seen {
  const invalid = () => refuse(400, 'invalid_payload')
  if (!path.startsWith('/services/')) refuse(404, 'no_service')
  const body = onlyKnown(parsed(text, invalid), ['text', 'blocks', 'unfurl_links', 'unfurl_media'], invalid)
  if (!isText(body.text, 40_000)) return refuse(400, 'no_text')
  const blocks = body.blocks ?? []
  if (!Array.isArray(blocks) || blocks.length > 50) return refuse(400, 'invalid_blocks')
  const wrong = () => refuse(400, 'invalid_blocks')
  const seen: Seen = { text: '', links: [], mentions: mrkdwnMentions(body.text) }
  for (const block of blocks) {
    const { type, elements } = onlyKnown(block, ['type', 'block_id', 'elements'], wrong)
    if (type !== 'rich_text' || !Array.isArray(elements) || elements.length === 0) return wrong()
    for (const section of elements) {
      const { type, elements: parts } = onlyKnown(section, ['type', 'elements'], wrong)
      if (type !== 'rich_text_section' || !Array.isArray(parts) || parts.length === 0) return wrong()
      for (const part of parts) readSlackPart(part, seen, wrong)
    }
  }
  // The notification says the same as the message.
  const { text: notified, links } = mrkdwn(body.text)
  if (tidy(notified) !== tidy(seen.text) || links.length !== seen.links.length) refuse(400, `text differs: ${notified}`)
  return seen
}

function readSlackPart(part: unknown, seen: Seen, wrong: () => never): Seen {
  const { type, text, url } = onlyKnown(part, ['type', 'text', 'url', 'style'], wrong)
  if (!isText(text, 3000)) return wrong()
  if (type === 'link') {
    if (!isWebAddress(url)) return wrong()
    seen.links.push({ text, href: url })
  } else if (type !== 'text') return wrong()
  seen.text += text
  return seen
}

const MENTION = /<[@!#][^>]*>/g

/** What mrkdwn mentions, in Slack and in services that imitate it, where a bare `@channel` does. */
function mrkdwnMentions(text: string): string[] {
  return [...(text.match(MENTION) ?? []), ...(text.match(/@(?:channel|here|everyone|all)\b/g) ?? [])]
}

function mrkdwn(text: string): Pick<Seen, 'text' | 'links'> {
  const links: Seen['links'] = []
  const unescaped = (part: string) => part.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  const shown = text.replace(/<([^<>|]*)(?:\|([^<>]*))?>|[<>]/g, (whole, href = '', label = href) => {
    if (whole.length === 1) refuse(400, `a bare ${whole}`)
    links.push({ text: unescaped(label), href: unescaped(href) })
    return label
  })
  return { text: unescaped(shown), links }
}

const FLAGS = 4 | 4096

function takeDiscord(path: string, text: string): Seen {
  const invalid = () => refuse(400, '{"message":"Invalid Form Body","code":50035}')
  if (!/^\/api\/(v\d+\/)?webhooks\/\d+\/[\w-]+$/.test(path)) refuse(404, '{"message":"Unknown Webhook","code":10015}')
  const body = onlyKnown(parsed(text, invalid), ['content', 'allowed_mentions', 'flags'], invalid)
  if (body.content === '') refuse(400, '{"message":"Cannot send an empty message","code":50006}')
  // Whichever way Discord counts.
  if (!isText(body.content, 2000) || body.content.length > 2000) return invalid()
  if (typeof body.flags !== 'number' || (body.flags & ~FLAGS) !== 0) invalid()
  const { parse } = onlyKnown(body.allowed_mentions, ['parse', 'roles', 'users', 'replied_user'], invalid)
  if (!Array.isArray(parse) || !parse.every((kind) => ['roles', 'users', 'everyone'].includes(kind))) return invalid()
  return markdown(body.content, parse.length === 0 ? [] : (body.content.match(/@everyone|@here|<@[!&]?\d+>/g) ?? []))
}

/** Discord's and Teams' Markdown: links, and what would be seen as other markup fails. */
function markdown(source: string, mentions: string[]): Seen {
  const links: Seen['links'] = []
  let text = ''
  let rest = source
  while (rest !== '') {
    const [link, label = '', href = ''] = /^\[((?:\[[^\]]*\]|[^[\]]|\](?=[^[]*\]))*)\]\(([^()\s]+)\)/.exec(rest) ?? []
    const [backslash, escaped = ''] = /^\\([^0-9A-Za-z\s])/.exec(rest) ?? []
    if (link !== undefined) {
      const inner = markdown(label, [])
      if (inner.links.length > 0) refuse(400, `a link in a link: ${label}`)
      if (/https?:\/\//.test(inner.text)) refuse(400, `Discord shows no link whose text is an address: ${label}`)
      if (!isWebAddress(href)) refuse(400, `no address: ${href}`)
      links.push({ text: inner.text, href })
      text += inner.text
      rest = rest.slice(link.length)
    } else if (backslash !== undefined) {
      text += escaped
      rest = rest.slice(backslash.length)
    } else {
      if (/^(?:[*_~`<[\]]|\|\||&#?\w+;|https?:\/\/|\{\{)/.test(rest)) refuse(400, `markup: ${rest.slice(0, 40)}`)
      if ((text === '' || text.endsWith('\n')) && /^(?:[#>+-]|\d+[.)])/.test(rest)) refuse(400, `a block: ${rest}`)
      const letter = rest.match(/^[\s\S]/u)?.[0] ?? ''
      text += letter
      rest = rest.slice(letter.length)
    }
  }
  return { text, links, mentions }
}

const TEXT_BLOCK = ['type', 'text', 'wrap', 'isSubtle', 'spacing', 'size', 'weight', 'color', 'maxLines', 'separator']
const SPACINGS = [undefined, 'None', 'Small', 'Default', 'Medium', 'Large', 'ExtraLarge', 'Padding']

function takeTeams(path: string, text: string): Seen {
  const invalid = () => refuse(400, '{"error":{"code":"InvalidBody"}}')
  if (!path.startsWith('/workflows/')) refuse(404, '{"error":{"code":"WorkflowNotFound"}}')
  if (Buffer.byteLength(text) > 28 * 1024) refuse(413, '{"error":{"code":"RequestEntityTooLarge"}}')
  const { type, attachments } = onlyKnown(parsed(text, invalid), ['type', 'attachments'], invalid)
  if (type !== 'message' || !Array.isArray(attachments) || attachments.length !== 1) return invalid()
  const attachment = onlyKnown(attachments[0], ['contentType', 'contentUrl', 'content'], invalid)
  if (attachment.contentType !== 'application/vnd.microsoft.card.adaptive' || attachment.contentUrl !== null) invalid()
  const card = onlyKnown(attachment.content, ['$schema', 'type', 'version', 'body', 'msteams', 'actions'], invalid)
  if (card.type !== 'AdaptiveCard' || !['1.2', '1.3', '1.4', '1.5'].includes(String(card.version))) invalid()
  if (!Array.isArray(card.body) || card.body.length === 0) return invalid()
  const shown = card.body.map((element) => {
    const block = onlyKnown(element, TEXT_BLOCK, invalid)
    if (block.type !== 'TextBlock' || typeof block.text !== 'string' || block.wrap !== true) return invalid()
    if (!SPACINGS.includes(block.spacing as string | undefined)) invalid()
    return markdown(block.text, [])
  })
  return {
    text: shown.map(({ text }) => text).join('\n'),
    links: shown.flatMap(({ links }) => links),
    mentions: card.msteams === undefined ? [] : ['an entity'],
  }
}

const NTFY = ['topic', 'message', 'title', 'tags', 'priority', 'actions', 'click', 'markdown', 'icon']

function takeNtfy(path: string, text: string): Seen {
  const invalid = () =>
    refuse(400, '{"code":40024,"http":400,"error":"invalid request: request body must be valid JSON"}')
  // To a topic's own address, JSON would be shown as it is.
  if (path !== '/') refuse(400, 'published as plain text')
  const body = onlyKnown(parsed(text, invalid), NTFY, invalid)
  if (typeof body.topic !== 'string' || !/^[-_A-Za-z0-9]{1,64}$/.test(body.topic)) return invalid()
  if (typeof body.message !== 'string' || Buffer.byteLength(body.message) > 4096) return invalid()
  if (body.title !== undefined && !isText(body.title, 250)) invalid()
  if (body.click !== undefined && !isWebAddress(body.click)) invalid()
  const { title = '', click } = body as { title?: string; click?: string }
  return { text: body.message, links: click === undefined ? [] : [{ text: title, href: click }], mentions: [] }
}

/** A text as it reads: without what is invisible, and with the look of the letters that stand for others. */
function tidy(text: string): string {
  return text
    .replace(/[\u2060\u2068\u2069]/g, '')
    .replaceAll('［', '[')
    .replaceAll('］', ']')
    .replaceAll('｜', '|')
}

/** A chat on this machine. */
export interface Chat {
  port: number
  /** What it showed, as it reads, oldest first. */
  seen: Seen[]
  /** The headers of each request. */
  headers: Headers[]
  /** What it refused. */
  refused: string[]
  /** Answers in place of it; null to let it answer. */
  answer: (() => Response) | null
  stop(): Promise<void>
}

export function startChat(name: ChatName): Chat {
  const port = freePort()
  const { status, take } = RECEIVERS[name]
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    async fetch(request) {
      const text = await request.text()
      chat.headers.push(request.headers)
      if (chat.answer !== null) return chat.answer()
      try {
        const isJson = request.headers.get('content-type')?.startsWith('application/json') ?? false
        if (request.method !== 'POST' || !isJson) refuse(405, 'POST JSON')
        const { text: shown, links, mentions } = take(new URL(request.url).pathname, text)
        const tidied = links.map(({ text, href }) => ({ text: tidy(text), href }))
        chat.seen.push({ text: tidy(shown), links: tidied, mentions })
        return new Response(null, { status })
      } catch (error) {
        chat.refused.push(String(error))
        const { status = 500, body = '' } = error as Partial<Refusal>
        return new Response(body, { status })
      }
    },
  })
  const chat: Chat = { port, seen: [], headers: [], refused: [], answer: null, stop: () => server.stop(true) }
  return chat
}
