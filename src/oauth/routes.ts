import { Elysia } from 'elysia'
import { optionsOf, share } from '../api/cors.ts'
import { refuseMethod } from '../api/json.ts'
import { lazy } from '../core/lazy.ts'
import type { Service } from '../core/service.ts'
import { RAW } from '../http/body.ts'
import { JSON_TYPE, text } from '../http/respond.ts'
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
  // The library and the schemas are loaded with the first request for them.
  const endpoints = lazy(() => import('./endpoints.ts'))
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
      .post(path, async ({ request }) => share(request, await (await endpoints()).answer(name, request, service)), RAW)
      .options(path, () => optionsOf(['POST']), RAW)
  }
  return app
}

/** The pages where a person decides whether an app may act for them; loaded with the library, too. */
export function consentPages(service: Service) {
  const consent = lazy(() => import('./consent.tsx'))
  const documents = lazy(async () => new (await import('./client-documents.ts')).ClientDocuments(service))
  const device = lazy(() => import('./device-pages.tsx'))
  return new Elysia()
    .get('/oauth/authorize', async ({ request }) => (await consent()).consentPage(request, service, await documents()))
    .post('/oauth/authorize', async ({ request }) => (await consent()).decide(request, service, await documents()), RAW)
    .get('/device', async ({ request }) => (await device()).devicePage(request, service))
    .post('/device', async ({ request }) => (await device()).typedCode(request, service), RAW)
}
