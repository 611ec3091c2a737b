import createClient from 'openapi-fetch'
import type { paths } from './openapi-typescript.ts'

const { OPENALL_URL: baseUrl = '', OPENALL_KEY: key } = process.env
const anonymous = createClient<paths>({ baseUrl })
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })

const created = await anonymous.POST('/api/links', {
  body: { title: 'Launch day', urls: ['https://example.com/plan'], urlMetadata: [{ tags: ['live'] }] },
})
const { slug, claimToken } = created.data ?? fail(created.error)
const claimed = await client.POST('/api/claims', { body: { token: claimToken ?? fail('no token') } })
const { versionNumber } = claimed.data ?? fail(claimed.error)
const edited = await client.PATCH('/api/links/{slug}', {
  params: { path: { slug }, header: { 'If-Match': `"v${versionNumber}"` } },
  body: {
    title: 'Launch day, moved',
    resolutionPolicy: {
      version: 1,
      rules: [
        {
          name: 'On a phone',
          when: { op: 'equals', field: 'device', value: 'mobile' },
          tabs: [{ url: 'https://m.example.com/' }],
        },
      ],
    },
  },
})
const bundle = edited.data ?? fail(edited.error)
const listed = await client.GET('/api/links/{slug}/versions', { params: { path: { slug } } })
const { versions } = listed.data ?? fail(listed.error)
const counted = await client.GET('/api/links/{slug}/insights', { params: { path: { slug }, query: { range: '7d' } } })
const { totals, series } = counted.data ?? fail(counted.error)
console.log(
  JSON.stringify({
    slug: bundle.slug,
    title: bundle.title,
    rule: bundle.resolutionPolicy?.rules[0]?.name,
    tags: bundle.urlMetadata[0]?.tags,
    versions: versions.map((version) => version.versionNumber),
    views: totals.views,
    days: series.length,
  }),
)

function fail(error: unknown): never {
  throw new Error(JSON.stringify(error))
}
