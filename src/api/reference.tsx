/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { DocsPage } from '../../views/docs/docs.tsx'
import type { Operation } from '../core/operation.ts'
import { HTML, text } from '../http/respond.ts'
import type { Service } from '../service.ts'
import { agentsText } from './llms.ts'
import { openApi } from './openapi.ts'

/** What the service says of itself: the OpenAPI document, its page, and a text for agents. Loaded when first asked for. */
export function reference(operations: readonly Operation[], service: Service) {
  const { name, origin } = service.config
  const document = openApi(operations, service)
  const json = JSON.stringify(document)
  const page = (<DocsPage site={{ name, origin }} document={document} />) as string
  const agents = agentsText(operations, service.config)
  const kept = { 'cache-control': 'no-cache' }
  return (
    new Elysia()
      .get('/docs', ({ request }) => text(request, page, { type: HTML, headers: kept }))
      .get('/llms.txt', ({ request }) => text(request, agents, { type: 'text/plain; charset=utf-8', headers: kept }))
      // Read by tools of other sites' pages too: it says nothing that is not public.
      .get('/api/openapi.json', ({ request }) => {
        const open = { ...kept, 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }
        return text(request, json, { type: 'application/json', headers: open })
      })
  )
}
