import { claimBundle, createBundle, getInsights, listVersions, updateBundle } from './orval-client.ts'

const headers = { authorization: `Bearer ${process.env.OPENALL_KEY}` }

const created = await createBundle({
  title: 'Launch day',
  urls: ['https://example.com/plan'],
  urlMetadata: [{ tags: ['live'] }],
})
if (created.status !== 201) fail(created.data)
const { slug, claimToken } = created.data
const claimed = await claimBundle({ token: claimToken ?? fail('no token') }, { headers })
if (claimed.status !== 200) fail(claimed.data)
const edited = await updateBundle(
  slug,
  {
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
  { headers: { ...headers, 'If-Match': `"v${claimed.data.versionNumber}"` } },
)
if (edited.status !== 200) fail(edited.data)
const bundle = edited.data
const listed = await listVersions(slug, undefined, { headers })
if (listed.status !== 200) fail(listed.data)
const counted = await getInsights(slug, { range: '7d' }, { headers })
if (counted.status !== 200) fail(counted.data)
const { totals, series } = counted.data
console.log(
  JSON.stringify({
    slug: bundle.slug,
    title: bundle.title,
    rule: bundle.resolutionPolicy?.rules[0]?.name,
    tags: bundle.urlMetadata[0]?.tags,
    versions: listed.data.versions.map((version) => version.versionNumber),
    views: totals.views,
    days: series.length,
  }),
)

function fail(error: unknown): never {
  throw new Error(JSON.stringify(error))
}
