import { isbot } from 'isbot'

/** The kinds of client that are told apart: people's browsers, agents that read for somebody, and other programs. */
export const CLIENTS = ['browser', 'agent', 'script'] as const

export type Client = (typeof CLIENTS)[number]

/** Who asks for a launcher: a request, or what stands for one. */
export interface LauncherViewer extends Pick<Request, 'headers' | 'url'> {
  /** The kind of client, where it is known from elsewhere than the headers. */
  client?: Client
}

/** What agents and the models behind them call themselves. What one does not say, nobody can know. */
const AGENTS = [
  'anthropic',
  'chatgpt',
  'claude',
  'codex',
  'cohere',
  'deepseek',
  'devin',
  'duckassist',
  'firecrawl',
  'gemini',
  'googleagent',
  'google-notebooklm',
  'gptbot',
  'grok',
  'langchain',
  'llamaindex',
  'manus-user',
  'mcp',
  'meta-external(?:agent|fetcher)',
  'mistralai',
  'modelcontextprotocol',
  'novaact',
  'oai-searchbot',
  'openai',
  'opencode',
  'perplexity',
  'qwen',
]
const AGENT = new RegExp(`\\b(?:${AGENTS.join('|')})`, 'i')
const BROWSER = /^(?:mozilla|opera)\//i

/** The kind of client that a User-Agent names. Crawlers and previews of links are scripts. */
export function clientOf(userAgent: string): Client {
  if (AGENT.test(userAgent)) return 'agent'
  return BROWSER.test(userAgent) && !isbot(userAgent) ? 'browser' : 'script'
}
