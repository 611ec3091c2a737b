import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Glob } from 'bun'
import { JOURNAL } from '../../db/file.ts'
import { blocksOf, pageOf } from '../docs/run.ts'
import { eventually } from '../eventually.ts'
import { bootMachine, type Machine } from '../machine.ts'

// docs/self-hosting.md as written: its commands are run in order, as root on a Debian machine with a stock hosts file.

setDefaultTimeout(900_000)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CHECKOUT = '/root/openall'

/** Commands that cannot run on a machine without a network, and why; image.test.ts runs the first. */
const ELSEWHERE: { has: RegExp; why: string }[] = [
  { has: /^docker |^sh deploy\/secrets\.sh|\(docker exec/m, why: 'there is no Docker here' },
  { has: /^npx /m, why: 'the packages come from the network: the executable is built before' },
  { has: /^fly /m, why: 'Fly is a service' },
  { has: /create-key/, why: 'these are examples: tests/contract/operator-*.test.ts run every command' },
  {
    has: /litestream|openall\.db\.secret/,
    why: 'run below, once the rest is: it needs a bucket, which is a folder here',
  },
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

/**
 * What people would do meanwhile: an account makes a bundle. A day passes, after which the service makes its next backup; here
 * the one of the empty service, made a moment ago, is put away instead.
 */
const A_DAY = `
key=$(openall-admin create-key --email you@example.com --scopes links:read,links:write --name deploys)
curl -sSf https://go.example.com/api/links -H "Authorization: Bearer $key" -H 'content-type: application/json' \
  -d '{"urls":["https://a.example/"],"slug":"kept"}' >/dev/null
rm /var/lib/openall/backups/openall-* && systemctl restart openall
for _ in $(seq 100); do ls /var/lib/openall/backups/openall-*Z.db.sha256 2>/dev/null && break; sleep 0.2; done`

let machine: Machine
let other: Machine
const ran: { block: string; code: number; text: string }[] = []
const ranOnOther: typeof ran = []
const IN_EARNEST = here.findIndex((block) => block.startsWith('systemctl stop openall\n'))
const PRACTICE = here.findIndex((block) => block.startsWith('openall-admin backups'))
const INSTALL = here.findIndex((block) => block.startsWith('install -m 755 dist/openall-server'))

/** Boots a machine with the checkout and the executable. */
async function bootWithCheckout(executable: string): Promise<Machine> {
  const booted = await bootMachine()
  const checkout = join(booted.root, CHECKOUT)
  mkdirSync(join(checkout, 'dist'), { recursive: true })
  cpSync(join(ROOT, 'deploy'), join(checkout, 'deploy'), { recursive: true })
  cpSync(executable, join(checkout, 'dist/openall-server'))
  const litestream = join(booted.root, 'usr/local/bin/litestream')
  cpSync(join(ROOT, 'node_modules/@flydotio/litestream-linux-x64/litestream'), litestream)
  chmodSync(litestream, 0o755)
  expect(await booted.run(AUTHORITY, CHECKOUT)).toMatchObject({ code: 0 })
  writeFileSync(join(booted.root, 'root/state'), '')
  return booted
}

beforeAll(async () => {
  const place = mkdtempSync(join(tmpdir(), 'openall-executable-'))
  const executable = join(place, 'openall-server')
  const build = Bun.spawn([process.execPath, 'tools/single.ts', executable], { cwd: ROOT })
  expect(await build.exited).toBe(0)
  machine = await bootWithCheckout(executable)
  for (const [at, block] of here.entries()) {
    if (at === PRACTICE) expect(await machine.run(A_DAY, CHECKOUT)).toMatchObject({ code: 0 })
    // A person types them into one shell, which keeps functions.
    const script = `. /root/state\n${block}\ndeclare -f > /root/state`
    ran.push({ block, ...(await machine.run(script, CHECKOUT)) })
  }
  // The first machine is lost. Only what was copied to yet another one is left.
  other = await bootWithCheckout(executable)
  rmSync(place, { recursive: true })
  const run = async (block: string) => ranOnOther.push({ block, ...(await other.run(block, CHECKOUT)) })
  // Caddy starts on what it was installed with; a person does the same again.
  for (const block of here.slice(INSTALL, INSTALL + 2)) await run(block)
  await run('for _ in $(seq 100); do ls /var/lib/openall/backups/openall-*Z.db.sha256 && break; sleep 0.2; done')
  const backups = 'var/lib/private/openall/backups'
  for (const name of readdirSync(join(machine.root, backups)).filter((name) => name.startsWith('openall-')))
    cpSync(join(machine.root, backups, name), join(other.root, backups, name))
  await run(here[IN_EARNEST] ?? '')
})
/** The page's blocks about Litestream: installing it, restoring, and the secret on another machine. */
const [LITESTREAM = '', RESTORE = '', THE_SECRET = ''] = blocks.filter((block) => ELSEWHERE[4]?.has.test(block))
/** A folder takes the place of the bucket, which cannot be reached. */
const A_FOLDER = `sed -i 's/type: s3/type: file/; s/bucket: .*/path: "\\/var\\/lib\\/openall\\/\${LITESTREAM_BUCKET}"/; /path: openall$/d; /region:/d' deploy/litestream.yml`
/** The restore begins with the service stopped, and ends with its start, before which the secret is put into its place. */
const [STOPPED = '', STARTED = ''] = RESTORE.split(/(?=^systemctl start)/m)

afterAll(async () => {
  await machine?.remove()
  await other?.remove()
})

/** Rows of a database in the service's folder. */
function rowsIn(on: Machine, file: string, sql: string): unknown[] {
  const folder = join(on.root, 'var/lib/private/openall')
  const [path = ''] = new Glob(file).scanSync(folder)
  const database = new Database(join(folder, path), { readonly: true })
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

test('every command succeeds as written, in order', () => {
  expect(ran.filter(({ code }) => code !== 0)).toEqual([])
})

test('afterwards the service is reached through the proxy, by either name of localhost', async () => {
  expect(await say('curl -sS https://go.example.com/readyz')).toBe('ready')
  expect(await say('curl -sS -H "Host: go.example.com" http://127.0.0.1:3000/readyz')).toBe('ready')
  expect(await say('systemctl is-active openall caddy prometheus')).toBe('active\nactive\nactive')
  // Closed by the settings of the private instance, which were written after the first start.
  const create = `curl -sS https://go.example.com/api/links -H 'content-type: application/json' -d '{"urls":["https://a.example"]}'`
  expect(await say(`${create} -o /dev/null -w '%{http_code}'`)).toBe('401')
})

test('Prometheus reads the service, and sees the certificate through the proxy', async () => {
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
})

test('the restored database is the backup’s, and every file is the service’s alone', async () => {
  const { text } = ran.find(({ block }) => block.includes('openall-admin add-account'))!
  expect(text).toContain('you@example.com')
  for (const at of [PRACTICE, IN_EARNEST])
    expect(ran[at]?.text).toMatch(/Found \S+Z\.db: 1 bundle, 1 account, last change/)
  expect(await say('curl -sS -o /dev/null -w "%{http_code}" https://go.example.com/l/kept')).toBe('200')
  const bundles = 'SELECT slug FROM bundles'
  expect(rowsIn(machine, 'before-*/openall.db', bundles)).toEqual([{ slug: 'kept' }])
  // Who did it is known, and the journal names nobody.
  const logged = `SELECT operator, command FROM operator_log WHERE command = 'add-account'`
  expect(rowsIn(machine, 'before-*/openall.db', logged)).toEqual([{ operator: 'root', command: 'add-account' }])
  expect(await say('journalctl --output=cat | grep -c "openall-admin add-account"')).not.toBe('0')
  expect(await say('journalctl --output=cat | grep -c you@example.com || true')).toBe('0')
  const others = await say('find -L /var/lib/openall -perm /077 ! -type l 2>/dev/null | grep -v before || true')
  expect(others).toBe('')
})

test('on another machine, whose new service has made a newer backup, the page brings back everything', async () => {
  expect(ranOnOther.filter(({ code }) => code !== 0)).toEqual([])
  expect(ranOnOther.at(-1)?.text).toMatch(/Found \S+Z\.db: 1 bundle, 1 account, last change/)
  const on = async (script: string) => (await other.run(script, CHECKOUT)).text.trim()
  expect(
    await on('curl -sS -o /dev/null -w "%{http_code}" -H "Host: go.example.com" http://127.0.0.1:3000/l/kept'),
  ).toBe('200')
  expect(rowsIn(other, 'before-*/openall.db', 'SELECT slug FROM bundles')).toEqual([])
  expect(rowsIn(other, 'openall.db', 'SELECT email FROM user')).toEqual([{ email: 'you@example.com' }])
  const told = JSON.parse(await on('openall-admin check --json || true')) as { name: string; state: string }[]
  expect(told.filter(({ name }) => ['store', 'data', 'files', 'backups'].includes(name))).toEqual(
    ['store', 'data', 'files', 'backups'].map((name) => expect.objectContaining({ name, state: 'ok' })),
  )
})

test('with Litestream, the page restores a moment on this machine, and on another that has the secret', async () => {
  const run = async (on: Machine, script: string) => {
    const ran = await on.run(script, CHECKOUT)
    expect([script, ran]).toEqual([script, { code: 0, text: expect.any(String) }])
    return ran.text.trim()
  }
  for (const on of [machine, other]) await run(on, A_FOLDER)
  const statusOf = (on: Machine, slug: string) =>
    run(on, `curl -sS -o /dev/null -w '%{http_code}' -H 'Host: go.example.com' http://127.0.0.1:3000/l/${slug}`)
  await run(machine, LITESTREAM)
  const bucket = 'var/lib/private/openall/my-bucket'
  const isCopied = () => existsSync(join(machine.root, bucket, 'generations'))
  await eventually(isCopied, 'the database is copied', 60_000)
  await Bun.sleep(3_000)
  const moment = await run(machine, 'date -u +%FT%TZ')
  await Bun.sleep(3_000)
  await run(machine, 'openall-admin block kept "after that moment"')
  await eventually(async () => (await statusOf(machine, 'kept')) === '451', 'it is blocked')
  await Bun.sleep(3_000)
  const then = (block: string) => block.replace('2026-11-21T14:30:00Z', moment)
  await run(machine, then(STOPPED) + STARTED)
  expect(await statusOf(machine, 'kept')).toBe('200')
  // Litestream alone is started by the last line there: it would copy the new, empty database.
  await run(other, LITESTREAM.replace('enable --now', 'enable'))
  cpSync(join(machine.root, bucket), join(other.root, bucket), {
    recursive: true,
    // Litestream goes by them.
    preserveTimestamps: true,
  })
  cpSync(
    join(machine.root, 'var/lib/private/openall/openall.db.secret'),
    join(other.root, CHECKOUT, 'openall.db.secret'),
  )
  await run(other, 'chown -R --reference=/var/lib/openall/. /var/lib/openall/my-bucket')
  await run(other, then(STOPPED) + THE_SECRET + STARTED)
  expect(await statusOf(other, 'kept')).toBe('200')
  expect(await run(other, 'systemctl is-active openall litestream')).toBe('active\nactive')
  const told = JSON.parse(await run(other, 'openall-admin check --json || true')) as { name: string; state: string }[]
  expect(told.filter(({ name }) => ['data', 'files'].includes(name)).map(({ state }) => state)).toEqual(['ok', 'ok'])
})

test('an upgrade keeps everything, an older version refuses a newer database, and the backup made before leads back', async () => {
  const run = async (script: string) => {
    const ran = await machine.run(script, CHECKOUT)
    expect([script, ran]).toEqual([script, { code: 0, text: expect.any(String) }])
    return ran.text.trim()
  }
  const status = () =>
    run(`curl -sS -o /dev/null -w '%{http_code}' -H 'Host: go.example.com' http://127.0.0.1:3000/l/kept || true`)
  await run('systemctl stop litestream && openall-admin backup before-upgrade.db')
  const file = join(machine.root, CHECKOUT, 'dist/newer')
  const build = Bun.spawn([process.execPath, 'tools/single.ts', file], {
    cwd: ROOT,
    env: { ...process.env, COMMIT: 'newer12' },
  })
  expect(await build.exited).toBe(0)
  await run('install -m 755 dist/newer /usr/local/bin/openall-server && systemctl restart openall')
  expect([await status(), await run('openall-admin --version')]).toEqual(['200', expect.stringContaining('newer12')])
  // It is killed, and systemd starts it again.
  await run('kill -9 "$(systemctl show --property=MainPID --value openall)"')
  await eventually(async () => (await status()) === '200', 'it is up again', 60_000)

  // What a newer version would have migrated, which the older one does not know.
  await run('systemctl stop openall')
  const database = new Database(join(machine.root, 'var/lib/private/openall/openall.db'))
  database.run(`INSERT INTO ${JOURNAL} (hash, created_at) VALUES ('of a newer version', 9999999999999)`)
  database.close()
  const bytes = () => readFileSync(join(machine.root, 'var/lib/private/openall/openall.db')).toString('base64')
  const before = bytes()
  await run('install -m 755 dist/openall-server /usr/local/bin/openall-server; systemctl start openall || true')
  expect(await run('systemctl show --property=ExecMainStatus openall')).toBe('ExecMainStatus=78')
  expect(await run('systemctl show --property=NRestarts openall')).toBe('NRestarts=0')
  expect(await run('journalctl --unit openall --output=cat --lines=20')).toContain('newer version')
  expect(bytes() === before).toBe(true)
  const aside = `mv /var/lib/openall/openall.db* "$(mktemp -d /var/lib/openall/before-XXXXXX)"`
  await run(`${aside} && openall-admin restore /var/lib/openall/before-upgrade.db && systemctl start openall`)
  expect(await status()).toBe('200')
})

test('systemd accepts the units', async () => {
  const units = ['openall', 'litestream'].map((name) => `deploy/${name}.service`)
  expect(await say(`systemd-analyze verify ${units.join(' ')} 2>&1`)).toBe('')
  const settings = (unit: string) =>
    readFileSync(join(ROOT, unit), 'utf8').match(/^(?:DynamicUser|StateDirectory\w*)=.*/gm)
  expect(settings(units[1]!)).toEqual(expect.arrayContaining(['DynamicUser=yes', 'StateDirectory=openall']))
})
