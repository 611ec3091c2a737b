import { createClient } from './hey-api/client/index.ts'
import { claimBundle, createBundle, getInsights, listVersions, updateBundle } from './hey-api/index.ts'

const { OPENALL_URL: baseUrl = '', OPENALL_KEY: auth = '' } = process.env
const anonymous = createClient({ baseUrl })
const client = createClient({ baseUrl, auth })

const created = await createBundle({
  client: anonymous,
  body: { title: 'Launch day', urls: ['https://example.com/plan'], urlMetadata: [{ tags: ['live'] }] },
})
const { slug, claimToken } = created.data ?? fail(created.error)
const claimed = await claimBundle({ client, body: { token: claimToken ?? fail('no token') } })
const { versionNumber } = claimed.data ?? fail(claimed.error)
const edited = await updateBundle({
  client,
  path: { slug },
  headers: { 'If-Match': `"v${versionNumber}"` },
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
const listed = await listVersions({ client, path: { slug } })
const { versions } = listed.data ?? fail(listed.error)
const counted = await getInsights({ client, path: { slug }, query: { range: '7d' } })
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
