import { agent, must, printPieces, sendAs } from './held-service.ts'

// Run by contract/held.test.ts on each runtime, in its own process: prints for bodies that are wrong wherever they can be, of the
// largest size, the longest piece of work on the event loop’s thread, in ms of processor time.

/** Almost as much as a body may have of bytes, and of objects and lists. */
const [BYTES, NODES] = [250 * 1024, 9_900]

/** As many of an entry as fit, `most` at most. */
function full<Entry>(entry: Entry, most = NODES): Entry[] {
  const size = JSON.stringify(entry)
  const nodes = size.match(/[{[]/g)?.length ?? 0
  const fitting = Math.floor(Math.min(BYTES / (size.length + 1), NODES / Math.max(1, nodes)))
  return Array(Math.min(most, fitting)).fill(entry)
}

/** The same as the values of fields. */
const fields = (value: unknown, most = NODES) =>
  Object.fromEntries(full({ key1234: value }, most).map((_, at) => [`k ${at}`, value]))

const metadata = { note: 1, section: '', tags: [1, 1, 1], openPolicy: 'x', check: 1, more: 1 }
const links = { urls: Array(25).fill('x'), urlMetadata: Array(25).fill(metadata), title: 1, description: 1 }
const tab = { url: 'x', note: 1, section: '', more: 1 }
const when = { op: 'and', of: Array(20).fill({ op: 'equals', field: 'x', value: 1 }) }
const rule = { id: 1, name: '', when, tabs: Array(20).fill(tab), more: 1 }
const policy = { version: 1, rules: Array(50).fill(rule) }
const variable = { name: '1', label: '', example: '', default: '', options: Array(50).fill('\n') }
const edit = {
  setMetadata: fields({ note: 1, tags: [1] }, 1_500),
  addUrls: Array(25).fill({ url: 'x', at: 'x', ...metadata }),
}
const bundle = { ...links, variables: Array(5).fill(variable), metadata: fields(1, 2_000), resolutionPolicy: policy }

/** A whole body of entries that fill it together. */
const bulk = (entry: object) => full(entry, 100)
const small = { urls: Array(12).fill('x'), urlMetadata: Array(12).fill(metadata), resolutionPolicy: null }
const rules = { urls: ['x'], resolutionPolicy: { version: 1, rules: Array(40).fill({ more: 1 }) } }

await must('/api/links', { slug: 'one', urls: ['https://one.example/'] })
const post = (path: string, body: unknown) => () => sendAs('POST', path, body)
const patch = (path: string, body: unknown) => () => sendAs('PATCH', path, body)
const form = (path: string, body: Record<string, string>) => () =>
  sendAs('POST', path, new URLSearchParams(body).toString(), { 'content-type': 'application/x-www-form-urlencoded' })
const tool = (name: string, input: object) => agent('tools/call', { name, arguments: input })

await printPieces(
  {
    create_bundle: post('/api/links', bundle),
    'create_bundle with wrong conditions': post('/api/links', {
      resolutionPolicy: { version: 1, rules: full({ when }, 50) },
    }),
    'create_bundle with options': post('/api/links', {
      urls: ['x'],
      variables: full({ ...variable, options: full('', 5_000) }),
    }),
    create_bundles: post('/api/links/bulk', { bundles: bulk(small) }),
    'create_bundles with rules': post('/api/links/bulk', { bundles: bulk(rules) }),
    'create_bundles of unknown fields': post('/api/links/bulk', { bundles: bulk(fields(1, 95)) }),
    'create_bundles as a tool': tool('create_bundles', { bundles: bulk(small) }),
    update_bundle: patch('/api/links/one', { ...edit, metadata: fields(1, 2_000) }),
    update_bundles: patch('/api/links/bulk', { edits: bulk({ addUrls: Array(9).fill({ url: 1, ...metadata }) }) }),
    put_bundle: () => sendAs('PUT', '/api/links/ext:one', bundle),
    preview_policy: post('/api/links/one/policy/preview', { viewer: fields(1, 900), resolutionPolicy: policy }),
    propose_edit: post('/api/links/one/proposals', { ...edit, ...links, resolutionPolicy: policy }),
    duplicate_bundle: post('/api/links/one/duplicate', bundle),
    inspect_urls: post('/api/links/inspect', { urls: full('x'), ...fields(1, 8_000) }),
    create_webhook: post('/api/me/webhooks', { url: 1, events: full('x'), ...fields(1, 8_000) }),
    create_key: post('/api/me/keys', { scopes: full('x'), allowedNetworks: full('x', 9_000) }),
    record_event: post('/api/links/one/events', { type: 'x', values: fields(1, 9_000) }),
    'preview_policy as a tool': tool('preview_policy', { slug: 'one', resolutionPolicy: policy }),
    'the page of rules': form('/dashboard/links/one/policy', { policy: JSON.stringify(policy) }),
    'the page of an import': form('/dashboard/links/import', { text: full('x.example').join('\n') }),
  },
  (status) => status < 500,
)
