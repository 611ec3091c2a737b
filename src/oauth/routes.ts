import { Elysia } from 'elysia'
import { optionsOf, share } from '../api/cors.ts'
import { refuseMethod } from '../api/json.ts'
import type { Service } from '../core/service.ts'
import { RAW } from '../http/body.ts'
import { JSON_TYPE, text } from '../http/respond.ts'
import { ClientDocuments } from './client-documents.ts'
import { consentPage, decide } from './consent.tsx'
import { devicePage, typedCode } from './device-pages.tsx'
import { answer } from './endpoints.ts'
import { documents } from './resources.ts'

const NAMES = ['register', 'token', 'revoke', 'introspect', 'device_authorization'] as const

/** Clients may be pages of other sites; the documents hold nothing private. */
const PUBLIC = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=3600',
}

/** Sign-in of apps by OAuth 2.1: documents, and what machines ask for. */
export function oauth(service: Service) {
  const { origin, name } = service.config
  const app = new Elysia()
  for (const [path, document] of documents(origin, name)) {
    const body = JSON.stringify(document)
    app
      .get(path, ({ request }) => text(request, body, { type: JSON_TYPE, headers: PUBLIC }))
      .all(path, () => refuseMethod(['GET', 'HEAD']), RAW)
  }
  for (const name of NAMES) {
    const path = `/oauth/${name}`
    app
      .post(path, async ({ request }) => share(request, await answer(name, request, service)), RAW)
      .options(path, () => optionsOf(['POST']), RAW)
  }
  return app
}

/** The pages where a person decides whether an app may act for them. */
export function consentPages(service: Service) {
  const documents = new ClientDocuments(service)
  return new Elysia()
    .get('/oauth/authorize', ({ request }) => consentPage(request, service, documents))
    .post('/oauth/authorize', ({ request }) => decide(request, service, documents), RAW)
    .get('/device', ({ request }) => devicePage(request, service))
    .post('/device', ({ request }) => typedCode(request, service), RAW)
}
