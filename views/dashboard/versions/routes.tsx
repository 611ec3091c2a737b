/** @jsxImportSource @kitajs/html */

import { listVersions, restoreVersion, type Version } from '../../../src/bundles/edit/history.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { typed, versionIn } from '../../../src/http/body.ts'
import { htmxTarget } from '../../../src/http/respond.ts'
import { withFlash } from '../../parts/messages.ts'
import { madeVersion } from '../parts/flash.tsx'
import { iconsFor, resultOrProblem, run, type Screen, type ScreenPage, type Visit } from '../parts/screens.tsx'
import type { Comparison, HistoryProps } from './version-step.tsx'
import { History, HistoryView } from './view.tsx'

/** Versions per page; each is compared with the one before. */
const PAGE = 20

/** A bundle's history, with restore. */
export const versionScreens: readonly Screen[] = [
  {
    path: routes.bundle.versions.path,
    async get(visit) {
      const props = await history(visit, visit.query)
      if (htmxTarget(visit.request) === 'history') return { part: <History {...props} /> }
      return historyPage(props, props.alert === null ? undefined : new Problem('BAD_REQUEST', props.alert))
    },
  },
  {
    path: routes.bundle.restoreVersion.path,
    async post(visit, form) {
      const { slug, versionNumber } = visit.params
      const expectedVersion = versionIn(form.get('expectedVersion') ?? '')
      if (expectedVersion === null) throw new Problem('BAD_REQUEST', 'expectedVersion must be the version you last saw')
      const input = typed(restoreVersion.input, { slug: slug ?? '', versionNumber: versionNumber ?? '' })
      const restored = await resultOrProblem(() => run(visit, restoreVersion, input, { expectedVersion }))
      if (restored instanceof Problem) {
        const props = await history(visit, new URLSearchParams())
        const isStale = restored.code === 'VERSION_CONFLICT'
        const alert = isStale
          ? `Nothing was restored: version ${props.latest} was saved in the meantime. See what it changed, then restore again.`
          : `Nothing was restored. ${restored.message}`
        return historyPage({ ...props, alert }, restored)
      }
      return { to: withFlash(routes.bundle.versions.href({ slug: restored.slug }), 'reverted', madeVersion(restored)) }
    },
  },
]

function historyPage(props: HistoryProps, problem?: Problem): ScreenPage {
  return {
    section: 'bundles',
    title: 'Versions',
    view: <HistoryView {...props} />,
    problem,
  }
}

/** The content of a query: a page of versions with one in full, or a comparison of two. */
async function history(visit: Visit, query: URLSearchParams): Promise<HistoryProps> {
  const slug = visit.params.slug ?? ''
  const wanted = versionIn(query.get('version') ?? '')
  const { bundle, versions: found, before } = await pageOf(visit, slug, query.get('before'), wanted)
  const versions = found.slice(0, PAGE)
  const latest = Math.max(bundle.versionNumber, found[0]?.versionNumber ?? 0)
  const isCompared = query.has('from') || query.has('to')
  const [from, to] = ['from', 'to'].map((name) => versionUpTo(query.get(name), latest)) as [
    number | null,
    number | null,
  ]
  const comparison = from === null || to === null ? null : await compared(visit, slug, from, to)
  const pick = versionUpTo(query.get('pick'), latest)
  const isOpen = comparison === null && pick === null
  const at = versions.findIndex(({ versionNumber }) => versionNumber === wanted)
  // Includes the previous version, for links that have been removed since.
  const [open, previous] = isOpen ? found.slice(Math.max(0, at)) : []
  const inFull = comparison === null ? [open, previous] : [comparison.from, comparison.to]
  return {
    site: visit.site,
    bundle,
    icons: await iconsFor(
      visit,
      ...inFull.filter((one) => one !== undefined).map((one) => ({ ...one, icons: bundle.icons })),
    ),
    versions,
    earlier: found[PAGE] ?? null,
    latest,
    open: open?.versionNumber ?? null,
    before,
    comparison,
    pick: comparison === null ? pick : null,
    alert: isCompared && comparison === null ? `This bundle has versions 1 to ${latest}.` : null,
  }
}

/** A page of versions before `before`, or with `wanted`, and one more for comparison with the last of them. */
async function pageOf(visit: Visit, slug: string, before: string | null, wanted: number | null) {
  const page = async (from: string | null) => {
    const input = typed(listVersions.input, { slug, ...(from === null ? {} : { before: from }) })
    const found = await run(visit, listVersions, { ...input, limit: PAGE + 1 })
    return { ...found, before: from === null ? null : Number(from) }
  }
  const found = await page(before)
  const isFar = before === null && wanted !== null && wanted <= found.bundle.versionNumber - PAGE
  return isFar ? page(String(wanted + 1)) : found
}

/** A version that the bundle has; null for any other text. */
function versionUpTo(text: string | null, latest: number): number | null {
  const version = versionIn(text ?? '')
  return version !== null && version <= latest ? version : null
}

async function compared(visit: Visit, slug: string, from: number, to: number): Promise<Comparison | null> {
  const [one, other] = await Promise.all([oneVersion(visit, slug, from), oneVersion(visit, slug, to)])
  return one === undefined || other === undefined ? null : { from: one, to: other }
}

async function oneVersion(visit: Visit, slug: string, version: number): Promise<Version | undefined> {
  const { versions } = await run(visit, listVersions, { slug, before: version + 1, limit: 1 })
  return versions[0]
}
