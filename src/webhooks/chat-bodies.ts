import type { ChatFormat } from './chats.ts'
import { topicIn } from './chats.ts'

/** A message before it is put into the format of a chat: a sentence with a link in it, and lines below it. */
export interface ChatMessage {
  before: string
  /** The name of a bundle, and its launcher; null if the sentence is about none. */
  title: { text: string; href: string | null } | null
  after: string
  lines: readonly string[]
}

/** The most that a message contains of a title, in UTF-16 units: every valid title is whole, and none has more escapes. */
const MAX_TITLE = 400

/** A request to a chat: where to, if not to the webhook's URL, and the body. */
export interface ChatRequest {
  url: string
  body: unknown
}

/**
 * A message in the format of a chat. All texts are from people: none may become markup, a link or a mention there. The limits of
 * each chat hold because the parts of a message are bounded: it has at most 1 500 characters.
 */
export function chatRequest(format: ChatFormat, url: string, message: ChatMessage): ChatRequest {
  return REQUESTS[format](url, message)
}

const REQUESTS: Record<ChatFormat, (url: string, message: ChatMessage) => ChatRequest> = {
  slack: (url, message) => ({ url, body: slackBody(message) }),
  discord: (url, message) => ({ url, body: discordBody(message) }),
  teams: (url, message) => ({ url, body: teamsBody(message) }),
  ntfy: ntfyRequest,
}

/**
 * Slack: Block Kit's rich text, whose texts are no markup. `text` is for notifications, and for services that imitate Slack; its
 * markup is mrkdwn.
 */
function slackBody({ before, title, after, lines }: ChatMessage) {
  const below = lines.map((line) => `\n${line}`).join('')
  const link = (text: string, href: string) => `<${mrkdwn(encodeMarks(href))}|${mrkdwn(text).replaceAll('|', '｜')}>`
  const named = title === null ? '' : title.href === null ? mrkdwn(title.text) : link(title.text, title.href)
  const texts = (text: string) => (text === '' ? [] : [{ type: 'text', text }])
  return {
    text: mrkdwn(before) + named + mrkdwn(after + below),
    blocks: [
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              ...texts(before),
              ...(title === null
                ? []
                : title.href === null
                  ? texts(title.text)
                  : [{ type: 'link', url: title.href, text: title.text }]),
              ...texts(after + below),
            ],
          },
        ],
      },
    ],
    unfurl_links: false,
    unfurl_media: false,
  }
}

/** Escapes the three characters that Slack's markup begins and ends with. */
function mrkdwn(text: string): string {
  return unmentioned(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Flags of a Discord message: no previews of its links. */
const SUPPRESS_EMBEDS = 4

function discordBody(message: ChatMessage) {
  const content = [sentenceOf(message), ...message.lines.map((line) => markdown(line))].join('\n')
  return { content, allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS }
}

/** Teams: the card that a workflow of the template “when a webhook request is received” posts. */
function teamsBody(message: ChatMessage) {
  const text = (text: string) => ({ type: 'TextBlock', text, wrap: true })
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            text(sentenceOf(message)),
            ...message.lines.map((line) => ({ ...text(markdown(line)), isSubtle: true, spacing: 'Small' })),
          ],
        },
      },
    ],
  }
}

/** The sentence in Markdown, for Discord and Teams. */
function sentenceOf({ before, title, after }: ChatMessage): string {
  if (title === null || title.href === null) return markdown(before + (title?.text ?? '') + after)
  return `${markdown(before)}[${markdown(title.text)}](${encodeMarks(title.href)})${markdown(after, false)}`
}

/**
 * Escapes a text for the Markdown of Discord and of Adaptive Cards. Brackets become others of the same look, because neither
 * parser honours escapes of brackets in the text of a link; addresses lose their look, and `{{` is a function of cards.
 * @param isStart whether it begins a line, where more characters are markup.
 */
function markdown(text: string, isStart = true): string {
  const escaped = unmentioned(text)
    .replaceAll('[', '［')
    .replaceAll(']', '］')
    .replaceAll('://', `:${JOINER}//`)
    .replace(/\{(?=\{)/g, `{${JOINER}`)
    .replace(/[\\`*_~<>|]/g, '\\$&')
    .replace(/&(?=#?\w+;)/g, '\\&')
  return isStart ? escaped.replace(/^(\s*)([#+-])/, '$1\\$2').replace(/^(\s*\d+)([.)])/, '$1\\$2') : escaped
}

/** ntfy: published as JSON to its server, not to the topic's address. It shows no markup, and a press opens the link. */
function ntfyRequest(url: string, { before, title, after, lines }: ChatMessage): ChatRequest {
  const { server, topic } = topicIn(url) ?? { server: url, topic: '' }
  const message = [before + (title?.text ?? '') + after, ...lines].join('\n')
  return {
    url: server,
    body: {
      topic,
      ...(title === null ? {} : { title: title.text }),
      message,
      ...(title?.href ? { click: title.href } : {}),
    },
  }
}

/** Invisible; keeps what is around it together. */
const JOINER = '\u2060'

/** A text without mentions: `@everyone` looks the same and names nobody. */
function unmentioned(text: string): string {
  return text.replace(/@(?=\S)/g, `@${JOINER}`)
}

/** An address without the characters that end a link's address in any markup. */
function encodeMarks(href: string): string {
  return href.replace(/[()<>|[\]\s]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}

const letters = new Intl.Segmenter('en')
const SPACES = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const FROM_THE_RIGHT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/**
 * A text from people as one line, cut between letters. One that is written from the right turns nothing around it.
 * @param max in UTF-16 units.
 */
export function lineOf(text: string, max = MAX_TITLE): string {
  const line = text.toWellFormed().replace(TURNS, '').replace(SPACES, ' ').trim()
  const kept = line.length <= max ? line : `${firstOf(line, max - 1)}…`
  return FROM_THE_RIGHT.test(kept) ? `\u2068${kept}\u2069` : kept
}

function firstOf(text: string, max: number): string {
  let end = 0
  // A single letter may be longer than the limit.
  for (const { index, segment } of letters.segment(text.slice(0, 2 * max))) {
    if (index + segment.length > max) break
    end = index + segment.length
  }
  return text.slice(0, end)
}
