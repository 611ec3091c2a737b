import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeCertificate, trusting } from '../certificate.ts'
import { startMailSink } from '../mail-sink.ts'
import { need } from '../needs.ts'
import { runOperator } from '../operator.ts'
import { newOrganization, newPerson, URL_B, Visitor } from '../people.ts'
import { freePort } from '../ports.ts'
import { startRedis } from '../redis.ts'
import { onEveryTarget } from '../targets.ts'

setDefaultTimeout(120_000)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SECRET = { SERVICE_SECRET: 'a secret of the tests, forty characters long' }

interface Check {
  name: string
  state: 'ok' | 'warning' | 'wrong'
  says: string
}

let folder: string
beforeAll(() => {
  need('openssl')
  folder = mkdtempSync(join(tmpdir(), 'openall-operator-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a command without `--json`, in a folder of its own. */
function run(words: string[], { env = {}, cwd = folder, script = ['src/main.ts'] } = {}) {
  const [first = '', ...rest] = script
  const at = first.startsWith('/') ? [first] : [process.execPath, join(ROOT, first)]
  const child = Bun.spawnSync([...at, ...rest, ...words], {
    cwd,
    env: { PATH: `${join(process.execPath, '..')}:/usr/bin:/bin`, HOME: process.env.HOME, ...env },
  })
  return { code: child.exitCode, out: child.stdout.toString(), err: child.stderr.toString() }
}

/** The operator's script, in another place. */
function copied(to: string): string {
  copyFileSync(join(ROOT, 'deploy/openall-admin'), to)
  return to
}

const checked = (out: string) =>
  Object.fromEntries((JSON.parse(out) as Check[]).map(({ name, state, says }) => [name, { state, says }]))

describe('an operator’s commands', () => {
  test('check names a wrong setting, looks at everything else, and makes nothing', () => {
    const misspelt = run(['check'], { env: { SERVICE_SIGNUP: 'closed' } })
    expect([misspelt.code, misspelt.out]).toEqual([1, expect.stringMatching(/^wrong .*did you mean SERVICE_SIGN_UP/)])
    const { code, out } = run(['check', '--json'])
    expect([code, existsSync(join(folder, 'data'))]).toEqual([1, false])
    expect(checked(out)).toMatchObject({
      store: { state: 'wrong', says: expect.stringContaining('there is no database at') },
      mail: { state: 'warning', says: expect.stringContaining('SMTP_URL is not set') },
      address: { state: 'wrong', says: expect.stringContaining('does not answer') },
    })
  })

  test('check finds a database that others can read, a mail server that is down, and a missing backup', async () => {
    const env = {
      DATABASE_URL: `file:${join(folder, 'open.db')}`,
      SMTP_URL: `smtp://127.0.0.1:${freePort()}`,
      SERVICE_BACKUP_DIR: join(folder, 'backups'),
      SERVICE_BASE_URL: 'https://go.example',
    }
    expect(run(['migrate'], { env })).toMatchObject({ code: 0, out: expect.stringMatching(/ [1-9]\d* changes made/) })
    expect(run(['migrate'], { env }).out).toContain(' 0 changes made')
    chmodSync(join(folder, 'open.db'), 0o644)
    expect(checked(run(['check', '--json'], { env }).out)).toMatchObject({
      store: { state: 'ok' },
      files: { state: 'wrong', says: expect.stringContaining('chmod 600') },
      backups: { state: 'wrong' },
      mail: { state: 'wrong', says: expect.stringContaining('ECONNREFUSED') },
      'proxy header': {
        state: 'warning',
        says: expect.stringContaining('all clients behind the proxy share one limit'),
      },
    })
    writeFileSync(join(folder, 'open.db'), 'not a database', { flag: 'r+' })
    expect(checked(run(['check', '--json'], { env }).out)).toMatchObject({ store: { state: 'wrong' } })
  })

  test('check asks Redis, the sign-in provider and the mail server, and names what to set for a company’s authority', async () => {
    const { key, cert } = makeCertificate(folder, 'localhost')
    const tls = { key: readFileSync(key), cert: readFileSync(cert) }
    const provider = Bun.serve({ port: 0, tls, fetch: () => Response.json({ issuer: 'https://localhost' }) })
    const redis = await startRedis()
    const sink = await startMailSink(freePort())
    const ask = async (env: Record<string, string>) => {
      const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), 'check', '--json'], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
        stdout: 'pipe',
      })
      const { redis, mail, 'sign-in': signIn } = checked(await new Response(child.stdout).text())
      return { redis, mail, signIn }
    }
    const env = {
      OIDC_ISSUER: `https://localhost:${provider.port}`,
      OIDC_CLIENT_ID: 'links',
      REDIS_URL: redis.url,
      SMTP_URL: sink.url,
    }
    expect(await ask({ ...env, ...trusting(cert) })).toMatchObject({
      redis: { state: 'ok' },
      mail: { state: 'ok' },
      signIn: { state: 'ok' },
    })
    await redis.kill()
    const untrusted = {
      state: 'wrong',
      says: expect.stringMatching(/(?:unable to verify|self[- ]signed).*set NODE_EXTRA_CA_CERTS/),
    }
    expect(await ask({ ...env, SMTP_URL: `smtps://localhost:${provider.port}` })).toMatchObject({
      redis: { state: 'wrong', says: expect.stringContaining('ECONNREFUSED') },
      mail: untrusted,
      signIn: untrusted,
    })
    await provider.stop(true)
    await sink.stop()
  })

  test('send-test-mail waits for the mail server’s answer, and says it', async () => {
    const sink = await startMailSink(freePort())
    const sent = await runOperator({ database: '/nowhere.db' }, ['send-test-mail', 'Ada@people.example'], {
      env: { SMTP_URL: sink.url, SERVICE_NAME: 'Links', SERVICE_BASE_URL: 'https://go.example' },
    })
    expect(sent).toEqual({ sent: 'ada@people.example' })
    expect((await sink.mailTo('ada@people.example')).subject).toBe('A test of Links')
    await sink.stop()
    const env = { SMTP_URL: sink.url }
    const down = await runOperator({ database: '/nowhere.db' }, ['send-test-mail', 'ada@people.example'], { env })
    expect(down).toEqual({ error: expect.stringContaining('the mail server did not take the mail') })
    expect(run(['send-test-mail', 'ada@people.example'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('set SMTP_URL'),
    })
  })

  test('what is no command, or lacks its words, ends with 2 and shows the commands', () => {
    for (const words of [
      ['nonsense'],
      ['users'],
      ['users', 'disable'],
      ['create-key', '--mail', 'x'],
      ['block', 'slug'],
    ])
      expect([words, run(words)]).toEqual([
        words,
        { code: 2, out: '', err: expect.stringContaining('users disable <who>') },
      ])
  })

  test('a word that the program gives itself is an argument like any other', () => {
    const env = { DATABASE_URL: `file:${join(folder, 'named.db')}` }
    expect(run(['migrate'], { env }).code).toBe(0)
    expect(run(['unblock', 'draw-icons'], { env })).toMatchObject({ code: 0, out: 'It was not blocked.\n' })
  })

  test('deploy/openall-admin runs in the folder of the service, from anywhere', () => {
    const place = join(folder, 'service')
    mkdirSync(join(place, 'deploy'), { recursive: true })
    mkdirSync(join(place, 'data'))
    const script = copied(join(place, 'deploy/openall-admin'))
    const executable = `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'src/main.ts')}" "$@"\n`
    writeFileSync(join(place, 'openall-server'), executable, { mode: 0o755 })
    const at = { cwd: '/', script: [script] }
    expect(run(['migrate'], at)).toMatchObject({ code: 0 })
    expect(existsSync(join(place, 'data/openall.db'))).toBeTrue()
    expect(run(['add-account', 'ada@people.example'], at)).toMatchObject({ code: 0 })
    const made = run(['create-key', '--email', 'ada@people.example', '--name', 'two words'], at)
    expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^oa_\S+\n$/)])
    expect(run(['users', 'list'], at).out).toContain('ada@people.example')
    expect(run(['log'], at).out).toMatch(/\tcreate-key\tuser:\S+\n/)
    expect(run([], at)).toMatchObject({ code: 0, out: expect.stringContaining('send-test-mail <address>') })
    expect(run(['users'], at).code).toBe(2)
    rmSync(join(place, 'openall-server'))
    expect(run(['check'], at)).toMatchObject({ code: 1, err: expect.stringContaining('no folder of the service') })
  })

  test('deploy/openall-admin runs beside a container that is stopped, with its settings, files and image', () => {
    const place = join(folder, 'engine')
    mkdirSync(place)
    // What Docker answers about one stopped container, and how it runs another.
    const engine = `#!/bin/sh
case "$1 $*" in
  "ps "*--all*) echo c1 ;;
  "inspect "*Env*) printf 'SERVICE_BASE_URL=https://go.example.com\\n\\n' ;;
  "inspect "*Image*) echo i1 ;;
  "run "*) cat /dev/stdin && echo "$@" ;;
esac
`
    writeFileSync(join(place, 'docker'), engine, { mode: 0o755 })
    const script = [copied(join(place, 'openall-admin'))]
    const env = { PATH: `${place}:/usr/bin:/bin`, DATABASE_URL: 'file:/data/drill/openall.db', SUDO_USER: 'ada' }
    expect(run(['restore', '/data/backups/a b.db'], { cwd: '/', script, env })).toEqual({
      code: 0,
      out: 'SERVICE_BASE_URL=https://go.example.com\nrun --rm --env-file /dev/stdin -e OPENALL_OPERATOR=ada --volumes-from c1 -e DATABASE_URL=file:/data/drill/openall.db i1 restore /data/backups/a b.db\n',
      err: '',
    })
  })

  onEveryTarget({}, (at) => {
    test('export prints everyone, every organisation and every bundle with its versions, and no secret', async () => {
      const [person, anonymous] = [await newPerson(at()), new Visitor(at())]
      const { id } = await newOrganization(person)
      const { body } = await person.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'k' })
      const owned = await person.makeBundle({ title: 'Owned' })
      await person.api('PATCH', `/api/links/${owned.slug}`, { urls: [URL_B] })
      const free = await anonymous.makeBundle({ title: 'Free' })
      await runOperator(at(), ['block', free.slug, 'phishing'])
      const url = at().database.startsWith('http:') ? at().database : `file:${at().database}`
      const { out, code } = run(['export'], {
        env: { DATABASE_URL: url, DATABASE_AUTH_TOKEN: at().token ?? '', SERVICE_BASE_URL: at().origin, ...SECRET },
      })
      const rows = out.trimEnd().split('\n').join(',')
      const lines = JSON.parse(`[${rows}]`) as {
        type: string
        id?: string
        blocked?: string | null
        bundle?: { slug: string; owner: unknown; versions: { urls: string[] }[] }
      }[]
      const bundle = (slug: string) => lines.find((line) => line.bundle?.slug === slug)
      expect([code, lines[0]?.type]).toEqual([0, 'instance'])
      expect(lines).toContainEqual(expect.objectContaining({ type: 'user', id: person.userId, email: person.email }))
      expect(lines).toContainEqual(expect.objectContaining({ type: 'organization', id }))
      expect(bundle(owned.slug)?.bundle?.versions).toHaveLength(2)
      expect(bundle(free.slug)).toMatchObject({ blocked: 'phishing', bundle: { owner: null } })
      const hashes = await at().sql('SELECT lower(hex(secret_hash)) AS hash FROM api_keys')
      for (const secret of [body.rawKey, free.claimToken, ...hashes.map(({ hash }) => String(hash))])
        expect(out.includes(secret)).toBeFalse()
    })
  })
})
