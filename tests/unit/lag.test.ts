import { expect, test } from 'bun:test'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }

/** What `bun run lag` prints with a registry; it throws if the command fails. */
async function lag(registry: string): Promise<string> {
  const env = { ...process.env, NPM_CONFIG_REGISTRY: registry, BUN_CONFIG_REGISTRY: registry }
  const { stdout } = await promisify(execFile)(process.execPath, ['tools/lag.ts'], { env })
  return stdout
}

/** A registry where each package has its version of package.json, one of the next major, and `more`. */
function registryWith(more: Record<string, string>) {
  return Bun.serve({
    port: 0,
    hostname: 'localhost',
    fetch(request) {
      const name = decodeURIComponent(new URL(request.url).pathname.slice(1))
      const now: string = (manifest.dependencies as Record<string, string>)[name] ?? '0.0.0'
      const versions = [now, `${Number.parseInt(now, 10) + 1}.0.0`, ...(name in more ? [more[name] as string] : [])]
      const dist = { tarball: new URL('/x.tgz', request.url).href, shasum: '0'.repeat(40), integrity: '' }
      return Response.json({
        name,
        'dist-tags': { latest: versions[1] },
        versions: Object.fromEntries(versions.map((version) => [version, { name, version, dist }])),
      })
    },
  })
}

test('a newer release of a package of signing in, of the same major version, is said and fails nothing', async () => {
  const ours = manifest.dependencies['better-auth']
  const newer = ours.replace(/\d+$/, (patch) => String(Number(patch) + 1))
  const registry = registryWith({ 'better-auth': newer })
  try {
    const said = await lag(registry.url.href)
    expect(said).toContain(`better-auth ${ours} lags behind ${newer}\n`)
    expect(said).toMatch(/^nodemailer \S+ is the newest \d+$/m)
    expect(said.match(/lags/g)).toHaveLength(1)
  } finally {
    await registry.stop(true)
  }
})

test('a registry that cannot be reached fails nothing either', async () => {
  const said = await lag('http://localhost:1/')
  expect(said.match(/could not be asked/g)).toHaveLength(4)
})
