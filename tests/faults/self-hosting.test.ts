import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blocksOf, pageOf } from '../docs/run.ts'
import { eventually } from '../eventually.ts'
import { bootMachine, type Machine, whyNoMachine } from '../machine.ts'

// docs/self-hosting.md as written: its commands are run in order, as root on a Debian machine with a stock hosts file.

setDefaultTimeout(900_000)
if (whyNoMachine !== null) console.warn(`self-hosting.test.ts is skipped: ${whyNoMachine}`)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CHECKOUT = '/root/openall'

/** Commands that cannot run on a machine without a network, and why; image.test.ts runs the first. */
const ELSEWHERE: { has: RegExp; why: string }[] = [
  { has: /^docker |^sh deploy\/secrets\.sh|\(docker exec/m, why: 'there is no Docker here' },
  { has: /^npx /m, why: 'the packages come from the network: the executable is built before' },
  { has: /^fly /m, why: 'Fly is a service' },
  { has: /create-key/, why: 'these are examples: tests/contract/operator-*.test.ts run every command' },
  { has: /litestream/, why: 'there is no bucket: the unit is checked below' },
]
const blocks = blocksOf(pageOf('self-hosting.md'), 'sh')
const here = blocks.filter((block) => !ELSEWHERE.some(({ has }) => has.test(block)))

/**
 * What the world outside would do: a certificate authority that the machine trusts. Caddy's own takes the place of Let's
 * Encrypt, which cannot be reached.
 */
const AUTHORITY = `
printf '{\\n\\tlocal_certs\\n\\tskip_install_trust\\n}\\ngo.example.com {\\n\\trespond ok\\n}\\n' > /etc/caddy/Caddyfile
systemctl restart caddy
root=/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt
for _ in $(seq 50); do [ -s $root ] && break; sleep 0.2; done
cp $root /usr/local/share/ca-certificates/outside.crt && update-ca-certificates >/dev/null
sed -i '0,/^{/s//{\\n\\tlocal_certs\\n\\tskip_install_trust/' deploy/Caddyfile`

let machine: Machine
const ran: { block: string; code: number; text: string }[] = []
beforeAll(async () => {
  if (whyNoMachine !== null) return
  machine = await bootMachine()
  const checkout = join(machine.root, CHECKOUT)
  mkdirSync(join(checkout, 'dist'), { recursive: true })
  cpSync(join(ROOT, 'deploy'), join(checkout, 'deploy'), { recursive: true })
  const build = Bun.spawn([process.execPath, 'tools/single.ts', join(checkout, 'dist/openall-server')], { cwd: ROOT })
  expect(await build.exited).toBe(0)
  expect(await machine.run(AUTHORITY, CHECKOUT)).toMatchObject({ code: 0 })
  writeFileSync(join(machine.root, 'root/state'), '')
  for (const block of here) {
    // A person types them into one shell, which keeps functions and variables.
    const script = `. /root/state\n${block}\n{ declare -f; declare -p latest 2>/dev/null || true; } > /root/state`
    ran.push({ block, ...(await machine.run(script, CHECKOUT)) })
  }
})
afterAll(async () => machine?.remove())

/** Rows of a database in the service's folder. */
async function rowsIn(file: string, sql: string): Promise<unknown[]> {
  const database = new Database(join(machine.root, 'var/lib/private/openall', file), { readonly: true })
  try {
    return database.query(sql).all()
  } finally {
    database.close()
  }
}

const say = async (script: string) => (await machine.run(script, CHECKOUT)).text.trim()

test('each block is either run here, or has a reason', () => {
  for (const { has, why } of ELSEWHERE) expect([why, blocks.some((block) => has.test(block))]).toEqual([why, true])
  expect(here.length).toBeGreaterThan(8)
})

test.skipIf(whyNoMachine !== null)('every command succeeds as written, in order', () => {
  expect(ran.filter(({ code }) => code !== 0)).toEqual([])
})

test.skipIf(whyNoMachine !== null)(
  'afterwards the service is reached through the proxy, by either name of localhost',
  async () => {
    expect(await say('curl -sS https://go.example.com/readyz')).toBe('ready')
    expect(await say('curl -sS -H "Host: go.example.com" http://127.0.0.1:3000/readyz')).toBe('ready')
    expect(await say('systemctl is-active openall caddy prometheus')).toBe('active\nactive\nactive')
    // Closed by the settings of the private instance, which were written after the first start.
    const create = `curl -sS https://go.example.com/api/links -H 'content-type: application/json' -d '{"urls":["https://a.example"]}'`
    expect(await say(`${create} -o /dev/null -w '%{http_code}'`)).toBe('401')
  },
)

test.skipIf(whyNoMachine !== null)(
  'Prometheus reads the service, and sees the certificate through the proxy',
  async () => {
    const value = async (expr: string) => {
      const answer = await say(`curl -sS -G http://127.0.0.1:9090/api/v1/query --data-urlencode 'query=${expr}'`)
      return (JSON.parse(answer) as { data: { result: { value: [number, string] }[] } }).data.result[0]?.value[1]
    }
    await eventually(async () => (await value('up{job="openall"}')) === '1', 'the service is read', 60_000)
    await eventually(
      async () => (await value('probe_success{job="openall-outside"}')) === '1',
      'the proxy is probed',
      90_000,
    )
    expect(Number(await value('probe_ssl_earliest_cert_expiry'))).toBeGreaterThan(Date.now() / 1000)
  },
)

test.skipIf(whyNoMachine !== null)(
  'the restored database is the backup’s, and every file is the service’s alone',
  async () => {
    const { text } = ran.find(({ block }) => block.includes('openall-admin add-account'))!
    expect(text).toContain('you@example.com')
    // The backup is older than the account; what was moved away has it.
    const accounts = `SELECT email FROM user`
    expect(await rowsIn('before/openall.db', accounts)).toEqual([{ email: 'you@example.com' }])
    expect(await rowsIn('openall.db', accounts)).toEqual([])
    // Who did it is known, and the journal names nobody.
    const logged = `SELECT operator, command FROM operator_log WHERE command = 'add-account'`
    expect(await rowsIn('before/openall.db', logged)).toEqual([{ operator: 'root', command: 'add-account' }])
    expect(await say('journalctl --output=cat | grep -c "openall-admin add-account"')).not.toBe('0')
    expect(await say('journalctl --output=cat | grep -c you@example.com || true')).toBe('0')
    const others = await say('find -L /var/lib/openall -perm /077 ! -type l 2>/dev/null | grep -v before || true')
    expect(others).toBe('')
  },
)

test.skipIf(whyNoMachine !== null)('systemd accepts the units', async () => {
  const units = ['openall', 'litestream'].map((name) => `deploy/${name}.service`)
  writeFileSync(join(machine.root, 'usr/local/bin/litestream'), '', { mode: 0o755 })
  expect(await say(`systemd-analyze verify ${units.join(' ')} 2>&1`)).toBe('')
  const settings = (unit: string) =>
    readFileSync(join(ROOT, unit), 'utf8').match(/^(?:DynamicUser|StateDirectory\w*)=.*/gm)
  expect(settings(units[1]!)).toEqual(expect.arrayContaining(['DynamicUser=yes', 'StateDirectory=openall']))
})
