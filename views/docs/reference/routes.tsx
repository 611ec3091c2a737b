/** @jsxImportSource @kitajs/html */

import { finder, guidePlaces, type Place, QUERY_CHARACTERS, split, wordsOf } from '../../../src/api/guide-search.ts'
import { GUIDES, guideTitle, SKILL } from '../../../src/api/guides.ts'
import { openApi } from '../../../src/api/openapi.ts'
import { problemSchema } from '../../../src/api/openapi-answers.ts'
import type { Config } from '../../../src/config/config.ts'
import { STATUS } from '../../../src/core/codes.ts'
import { routes } from '../../../src/core/routes.ts'
import { yieldToEventLoop } from '../../../src/core/scheduling.ts'
import { fingerprint } from '../../../src/core/secrets.ts'
import type { Service } from '../../../src/core/service.ts'
import { empty, isUnchanged, JSON_TYPE, page, pageApp, text } from '../../../src/http/respond.ts'
import { type Operation, scopeOf } from '../../../src/operations/operation.ts'
import { FoundPage } from './found.tsx'
import { DocsPage } from './view.tsx'

/** Builds the OpenAPI document, its page and `/llms.txt`, yielding to the event loop in between. */
export async function referenceOf(operations: readonly Operation[], service: Service) {
  const { name, origin, shortPaths } = service.config
  const document = await openApi(operations, service)
  const json = JSON.stringify(document)
  await yieldToEventLoop(performance.now())
  const problem = problemSchema(Object.keys(STATUS), ['description', 'examples'])
  const docs = (<DocsPage site={{ name, origin, shortPaths }} document={document} problem={problem} />) as string
  await yieldToEventLoop(performance.now())
  const find = finder([...(await guidePlaces()), ...operations.map(placeOf)])
  const search = (asked: string) => {
    const words = wordsOf(asked)
    return (<FoundPage site={{ name }} asked={asked} words={words} {...find(words)} />) as string
  }
  return { docs, json, search, agents: agentsText(operations, service.config), etag: `"${fingerprint(json)}"` }
}

/** An operation as a search finds it. */
function placeOf({ name, summary, description }: Operation): Place {
  const sentences = split(description.replaceAll('`', ''))
  return {
    href: `${routes.docs.reference.path}#${name}`,
    page: 'API reference',
    heading: summary,
    sentences: [...sentences, name],
  }
}

/** Serves the result of `referenceOf`. */
export function reference(made: () => ReturnType<typeof referenceOf>) {
  const revalidated = { 'cache-control': 'no-cache' }
  return (
    pageApp()
      .get(routes.docs.reference.path, async ({ request }) => {
        const { docs, search } = await made()
        const asked = new URL(request.url).searchParams.get('q')?.trim().slice(0, QUERY_CHARACTERS)
        const html = asked === undefined ? docs : search(asked)
        return page(html, 200, { ...revalidated, 'referrer-policy': 'no-referrer' })
      })
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

/** `/llms.txt`: a short introduction for agents, with links to the full documents. */
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
${origin}${routes.keys.list.href()}.`
    : `Send an API key with every call: Authorization: Bearer <key>. A person creates one at ${origin}${routes.keys.list.href()}. Create a
bundle: POST ${origin}/api/links with {"urls": ["https://…"]}.`
  return `# ${name}

> ${name} shares launch bundles: up to 25 URLs behind one link, which opens them all. Owners edit bundles, show different
> tabs to different viewers, and see counts; every edit is a version that can be restored.

${begin}

Errors are {"error": "what to do", "code": "CODE", "docUrl": "what the code means"}. On 429 wait retryAfterSeconds. When you create something, send an
Idempotency-Key, so that you can safely retry. When you edit, send If-Match: "v<versionNumber>", with the
versionNumber that you read.

Read any bundle by its link, without a key: ${origin}${routes.launcher.page.start}<slug> with Accept: text/markdown, or ${origin}${routes.launcher.page.start}<slug>.md. It has
the tabs that you would get. The same as JSON: ${routes.launcher.page.start}<slug>.json. What changed: ${routes.launcher.page.start}<slug>/feed (Atom).

## For agents

- [MCP server](${origin}/api/mcp): Streamable HTTP, the same calls as tools; sign in by OAuth, or with an API key as the bearer token
- [Skill](${origin}${SKILL}): how to share, read, change and undo with these calls
- [OpenAPI 3.1](${origin}/api/openapi.json): every route, field, bound and error
- [API reference](${origin}${routes.docs.reference.href()}): the same for reading and trying

## Guides

${GUIDES.map((guide) => `- [${guideTitle(guide)}](${origin}${routes.docs.markdown.href({ guide })})`).join('\n')}

## Calls

${operations.map(line).join('\n')}
`
}
