/** @jsxImportSource @kitajs/html */

import { DocsPage } from '../../views/docs/docs.tsx'
import { STATUS } from '../core/codes.ts'
import { fingerprint } from '../core/hash.ts'
import type { Service } from '../core/service.ts'
import { page, pageApp } from '../http/page.ts'
import { empty, isUnchanged, text } from '../http/respond.ts'
import type { Operation } from '../operations/operation.ts'
import { problemSchema } from './json-schema.ts'
import { agentsText } from './llms.ts'
import { openApi } from './openapi.ts'

/** Serves the OpenAPI document, its page and `/llms.txt`. Loaded on the first request for one of them. */
export function reference(operations: readonly Operation[], service: Service) {
  const { name, origin } = service.config
  const document = openApi(operations, service)
  const json = JSON.stringify(document)
  const problem = problemSchema(Object.keys(STATUS), ['description', 'examples'])
  const docs = (<DocsPage site={{ name, origin }} document={document} problem={problem} />) as string
  const agents = agentsText(operations, service.config)
  const etag = `"${fingerprint(json)}"`
  const revalidated = { 'cache-control': 'no-cache' }
  return (
    pageApp()
      .get('/docs', () => page(docs, 200, { ...revalidated, 'referrer-policy': 'no-referrer' }))
      .get('/llms.txt', ({ request }) =>
        text(request, agents, { type: 'text/plain; charset=utf-8', headers: revalidated }),
      )
      // Open to tools on other origins: it contains nothing private.
      .get('/api/openapi.json', ({ request }) => {
        const anyOrigin = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }
        const headers = { ...revalidated, ...anyOrigin, etag }
        if (isUnchanged(request, etag)) return empty(304, headers)
        return text(request, json, { type: 'application/json', headers })
      })
  )
}
