/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { Elysia } from 'elysia'
import { resultPath } from '../../../src/bundles/claims/result.ts'
import { loadFor } from '../../../src/bundles/edit/bundles.ts'
import { besideField } from '../../../src/core/field-words.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { RAW, readForm } from '../../../src/http/body.ts'
import { callContext } from '../../../src/http/request.ts'
import { page, seeOther } from '../../../src/http/respond.ts'
import type { Caller } from '../../../src/identity/caller.ts'
import { duplicateBundle } from '../../../src/launcher/duplicate.ts'
import { seenBy } from '../../../src/launcher/seen.ts'
import { execute } from '../../../src/operations/execute.ts'
import { siteFor } from '../../parts/visitor.ts'
import { type CopyForm, CopyPage } from './view.tsx'

/** The page on which viewers copy a launcher whose owner allows it. */
export function copyPages(service: Service) {
  const { config } = service
  const form = async (request: Request, slug: string, sent: CopyForm | null, problem?: Problem) => {
    const { bundle } = await seenBy(request, slug, service)
    if (!bundle.isCopyable) throw notCopyable()
    const site = await siteFor(request, service)
    const isGated = site.user === null && !config.anonymousBundles
    const fresh = { title: bundle.title ?? '', errors: {}, idempotencyKey: randomUUID() }
    const address = `${routes.launcher.copy.href({ slug: bundle.slug })}${new URL(request.url).search}`
    const view = <CopyPage site={site} bundle={bundle} address={address} form={isGated ? null : (sent ?? fresh)} />
    return page(view, problem?.status ?? 200, { 'x-robots-tag': 'noindex', ...problem?.headers })
  }
  return new Elysia()
    .get(routes.launcher.copy.path, async ({ request, params: { slug } }) => {
      const { caller } = await callContext(request, service)
      // A caller who may read the whole bundle copies the whole bundle.
      const isReader = await isReadBy(caller, slug, service)
      return isReader
        ? seeOther(`${routes.newBundle.page.href()}?${new URLSearchParams({ from: slug })}`)
        : form(request, slug, null)
    })
    .post(
      routes.launcher.copy.path,
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
