/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { Elysia } from 'elysia'
import { type CopyForm, CopyPage } from '../../views/launcher/copy.tsx'
import { loadFor } from '../bundles/roles.ts'
import { besideField } from '../core/field-words.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { RAW, readForm } from '../http/body.ts'
import { callContext } from '../http/client.ts'
import { page } from '../http/page.ts'
import { seeOther } from '../http/respond.ts'
import type { Caller } from '../identity/caller.ts'
import { duplicateBundle } from '../launcher/duplicate.ts'
import { seenBy } from '../launcher/seen.ts'
import { execute } from '../operations/execute.ts'
import { resultPath } from './result.ts'
import { siteFor } from './site.ts'

/** The page on which viewers make a copy of a launcher whose owner lets them. */
export function copyPages(service: Service) {
  const { config } = service
  const form = async (request: Request, slug: string, sent: CopyForm | null, problem?: Problem) => {
    const { bundle } = await seenBy(request, slug, service)
    if (!bundle.isCopyable) throw notCopyable()
    const site = await siteFor(request, service)
    const isGated = site.user === null && !config.anonymousBundles
    const fresh = { title: bundle.title ?? '', errors: {}, idempotencyKey: randomUUID() }
    const address = `/l/${bundle.slug}/copy${new URL(request.url).search}`
    const view = <CopyPage site={site} bundle={bundle} address={address} form={isGated ? null : (sent ?? fresh)} />
    return page(view, problem?.status ?? 200, { 'x-robots-tag': 'noindex', ...problem?.headers })
  }
  return new Elysia()
    .get('/l/:slug/copy', async ({ request, params: { slug } }) => {
      const { caller } = await callContext(request, service)
      // Whoever may read all of it copies all of it.
      const isReader = await isReadBy(caller, slug, service)
      return isReader
        ? seeOther(`/dashboard/links/new?${new URLSearchParams({ from: slug })}`)
        : form(request, slug, null)
    })
    .post(
      '/l/:slug/copy',
      async ({ request, params: { slug } }) => {
        const fields = await readForm(request)
        const title = (fields.get('title') ?? '').trim()
        const idempotencyKey = fields.get('idempotencyKey') || null
        try {
          const conditions = () => ({ idempotencyKey, expectedVersion: null })
          const context = { ...(await callContext(request, service)), source: 'web' as const, conditions }
          const { output } = await execute(duplicateBundle, () => ({ slug, title }), context, service)
          const bundles = [{ slug: output.slug, claimToken: output.claimToken ?? null }]
          return seeOther(resultPath({ bundles, left: { skipped: 0, changed: 0, duplicates: 0 } }, config))
        } catch (error) {
          if (!(error instanceof Problem)) throw error
          return form(request, slug, { title, errors: explain(error), idempotencyKey: randomUUID() }, error)
        }
      },
      RAW,
    )
}

function notCopyable(): Problem {
  return new Problem('FORBIDDEN', 'The owner of this page doesn’t let viewers copy it.')
}

async function isReadBy(caller: Caller, slug: string, { store }: Service): Promise<boolean> {
  if (caller.kind === 'anonymous') return false
  try {
    await loadFor(store.db, caller, slug, 'viewer')
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

function explain({ issues, message }: Problem): CopyForm['errors'] {
  const reason = issues.find(({ path }) => path[0] === 'title')?.reason
  return reason === undefined ? { form: message } : { title: besideField(reason) }
}
