/** @jsxImportSource @kitajs/html */

import { DocsPage } from '../../views/docs/docs.tsx'
import type { Config } from '../config/config.ts'
import { STATUS } from '../core/codes.ts'
import { fingerprint } from '../core/hash.ts'
import type { Service } from '../core/service.ts'
import { yieldToEventLoop } from '../core/yield-to-event-loop.ts'
import { page, pageApp } from '../http/page.ts'
import { empty, isUnchanged, JSON_TYPE, text } from '../http/respond.ts'
import { type Operation, scopeOf } from '../operations/operation.ts'
import { GUIDES, guideTitle } from './guides.ts'
import { openApi } from './openapi.ts'
import { problemSchema } from './problem-schema.ts'
import { SKILL } from './skill.ts'

/** Makes the OpenAPI document, its page and `/llms.txt`, in small pieces. */
export async function referenceOf(operations: readonly Operation[], service: Service) {
  const { name, origin, shortPaths } = service.config
  const document = await openApi(operations, service)
  const json = JSON.stringify(document)
  await yieldToEventLoop(performance.now())
  const problem = problemSchema(Object.keys(STATUS), ['description', 'examples'])
  const docs = (<DocsPage site={{ name, origin, shortPaths }} document={document} problem={problem} />) as string
  return { docs, json, agents: agentsText(operations, service.config), etag: `"${fingerprint(json)}"` }
}

/** Serves what `referenceOf` made. */
export function reference(made: () => ReturnType<typeof referenceOf>) {
  const revalidated = { 'cache-control': 'no-cache' }
  return (
    pageApp()
      .get('/docs', async () => page((await made()).docs, 200, { ...revalidated, 'referrer-policy': 'no-referrer' }))
      .get('/llms.txt', async ({ request }) =>
        text(request, (await made()).agents, { type: 'text/plain; charset=utf-8', headers: revalidated }),
      )
      // Open to tools on other origins: it contains nothing private.
      .get('/api/openapi.json', async ({ request }) => {
        const { json, etag } = await made()
        const anyOrigin = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }
        const headers = { ...revalidated, ...anyOrigin, etag }
        if (isUnchanged(request, etag)) return empty(304, headers)
        return text(request, json, { type: JSON_TYPE, headers })
      })
  )
}

/** `/llms.txt`: what an agent needs to get started, with links to the full documents. */
function agentsText(
  operations: readonly Operation[],
  { name, origin, anonymousBundles }: Pick<Config, 'name' | 'origin' | 'anonymousBundles'>,
): string {
  const needs = (operation: Operation) => {
    const scope = scopeOf(operation)
    return scope === undefined && operation.auth === 'public' ? '' : ` (${scope ?? 'any key'})`
  }
  const line = (operation: Operation) =>
    `- \`${operation.route.replace(' ', ' /api')}\` ${operation.name}${needs(operation)}: ${operation.summary}`
  const begin = anonymousBundles
    ? `Create a bundle without an account: POST ${origin}/api/links with {"urls": ["https://…"]}. The answer has its link, and a
claim token that is shown only once. Calls about your own bundles need an API key: Authorization: Bearer <key>. A person creates one at
${origin}/dashboard/keys.`
    : `Send an API key with every call: Authorization: Bearer <key>. A person creates one at ${origin}/dashboard/keys. Create a
bundle: POST ${origin}/api/links with {"urls": ["https://…"]}.`
  return `# ${name}

> ${name} shares launch bundles: up to 25 URLs behind one link, which opens them all. Owners edit bundles, show different
> tabs to different viewers, and see counts; every edit is a version that can be restored.

${begin}

Errors are {"error": "what to do", "code": "CODE", "docUrl": "what the code means"}. On 429 wait retryAfterSeconds. When you create something, send an
Idempotency-Key, so that you can safely retry. When you edit, send If-Match: "v<versionNumber>", with the
versionNumber that you read.

Read any bundle by its link, without a key: ${origin}/l/<slug> with Accept: text/markdown, or ${origin}/l/<slug>.md. It has
the tabs that you would get. The same as JSON: /l/<slug>.json. What changed: /l/<slug>/feed (Atom).

## For agents

- [MCP server](${origin}/api/mcp): Streamable HTTP, the same calls as tools; sign in by OAuth, or with an API key as the bearer token
- [Skill](${origin}${SKILL}): how to share, read, change and undo with these calls
- [OpenAPI 3.1](${origin}/api/openapi.json): every route, field, bound and error
- [API reference](${origin}/docs): the same for reading and trying

## Guides

${GUIDES.map((guide) => `- [${guideTitle(guide)}](${origin}/docs/${guide}.md)`).join('\n')}

## Calls

${operations.map(line).join('\n')}
`
}
