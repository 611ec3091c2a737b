import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { need } from '../needs.ts'
import { command, type Runtime } from '../server.ts'

// Bind mounts, `--user`, and volumes of somebody else: what the operator reads when the service starts as a user who may not use a
// path. It needs root, who alone can start it as another user.

setDefaultTimeout(120_000)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The user of the image. */
const UID = 65532

let place: string
beforeAll(() => {
  need('root')
  place = mkdtempSync(join(tmpdir(), 'openall-faults-'))
  chmodSync(place, 0o755)
  for (const name of ['checkout', 'bin', 'home']) mkdirSync(join(place, name))
  chownSync(join(place, 'home'), UID, UID)
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** A folder that belongs to root, or to the image's user. */
function folder(name: string, owner: 'root' | 'service'): string {
  const path = join(place, name)
  mkdirSync(path)
  chmodSync(path, 0o755)
  if (owner === 'service') chownSync(path, UID, UID)
  return path
}

function file(path: string, owner: 'root' | 'service', text = 'a secret of the tests, forty characters long'): string {
  writeFileSync(path, text, { mode: 0o600 })
  if (owner === 'service') chownSync(path, UID, UID)
  return path
}

/** Starts the service, or runs a command, as the image's user; `mounted` is read-only for it; it is stopped once it prints `until`. */
async function runAs(
  env: Record<string, string>,
  words: string[] = [],
  runtime: Runtime = 'bun',
  mounted = '',
  until = '',
) {
  const readOnly =
    mounted === '' ? '' : `mount --bind '${mounted}' '${mounted}' && mount -o remount,bind,ro '${mounted}' &&`
  // Where the checkout and the runtime are, only root may be.
  const [program = '', ...args] = command(runtime)
  const programs = dirname(realpathSync(Bun.which(program) ?? program))
  const script = `mount --rbind ${ROOT} ${place}/checkout && mount --bind ${programs} ${place}/bin && ${readOnly}
    cd ${place}/checkout && exec setpriv --reuid=${UID} --regid=${UID} --clear-groups "$@"`
  const child = Bun.spawn(
    [
      'unshare',
      '--mount',
      'sh',
      '-c',
      script,
      'sh',
      join(place, 'bin', basename(realpathSync(Bun.which(program) ?? program))),
      ...args,
      'src/main.ts',
      ...words,
    ],
    {
      env: { PATH: process.env.PATH, HOME: join(place, 'home'), PORT: '3999', ...env },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  const timer = setTimeout(() => child.kill(), 60_000)
  const printed = (async () => {
    const decoder = new TextDecoder()
    let text = ''
    const reader = child.stdout.getReader()
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      text += decoder.decode(read.value, { stream: true })
      if (until !== '' && text.includes(until)) child.kill()
    }
    return text
  })()
  const [out, err] = await Promise.all([printed, new Response(child.stderr).text()])
  clearTimeout(timer)
  return { code: await child.exited, out, err }
}

const CHOWN = `the service runs as uid ${UID}, which may not`

describe('a start that may not use a path says whose it is and what helps, in one line', () => {
  const cases: [string, () => { env: Record<string, string>; says: string; mounted?: string }][] = [
    [
      'a folder of root',
      () => {
        const at = folder('of-root', 'root')
        return {
          env: { DATABASE_URL: `file:${at}/openall.db` },
          says: `DATABASE_URL cannot be used: ${CHOWN} write the folder ${at} of uid 0: chown ${UID}:${UID} ${at}.`,
        }
      },
    ],
    [
      'a folder that is missing in one of root',
      () => {
        const at = folder('missing-below', 'root')
        return {
          env: { DATABASE_URL: `file:${at}/deep/data/openall.db` },
          says: `DATABASE_URL cannot be used: ${CHOWN} write the folder ${at} of uid 0: install -d -m 700 -o ${UID} -g ${UID} ${at}/deep/data.`,
        }
      },
    ],
    [
      'a folder that only root may enter',
      () => {
        const at = folder('closed', 'root')
        chmodSync(at, 0o700)
        return {
          env: { DATABASE_URL: `file:${at}/data/openall.db` },
          says: `DATABASE_URL cannot be used: ${CHOWN} enter the folder ${at} of uid 0: chown ${UID}:${UID} ${at}.`,
        }
      },
    ],
    [
      'a secret of root',
      () => {
        const at = folder('secret-of-root', 'service')
        const secret = file(join(at, 'openall.db.secret'), 'root')
        return {
          env: { DATABASE_URL: `file:${at}/openall.db` },
          says: `DATABASE_URL cannot be used: ${CHOWN} read the file ${secret} of uid 0: chown ${UID}:${UID} ${secret}.`,
        }
      },
    ],
    [
      'a database of root',
      () => {
        const at = folder('database-of-root', 'service')
        const database = file(join(at, 'openall.db'), 'root', '')
        file(join(at, 'openall.db.secret'), 'service')
        return {
          env: { DATABASE_URL: `file:${database}` },
          says: `DATABASE_URL cannot be used: ${CHOWN} write the file ${database} of uid 0: chown ${UID}:${UID} ${database}.`,
        }
      },
    ],
    [
      'a read-only mount',
      () => {
        const at = folder('read-only', 'service')
        return {
          env: { DATABASE_URL: `file:${at}/openall.db` },
          says: `DATABASE_URL cannot be used: ${at} is mounted read-only: mount it writable`,
          mounted: at,
        }
      },
    ],
    [
      'a file where a folder is expected',
      () => {
        const at = file(join(folder('file-for-folder', 'service'), 'data'), 'service')
        return {
          env: { DATABASE_URL: `file:${at}/openall.db` },
          says: `DATABASE_URL cannot be used: ${at} is a file, where a folder is expected: move it away.`,
        }
      },
    ],
    [
      'a folder where the database is expected',
      () => {
        const at = folder('folder-for-file', 'service')
        mkdirSync(join(at, 'openall.db'))
        return {
          env: { DATABASE_URL: `file:${at}/openall.db` },
          says: `DATABASE_URL cannot be used: ${at}/openall.db is a folder, where a file is expected: move it away.`,
        }
      },
    ],
    [
      'a secret of SERVICE_SECRET_FILE that is root’s',
      () => {
        const secret = file(join(folder('secret-file', 'service'), 'secret'), 'root')
        return {
          env: { DATABASE_URL: `file:${place}/secret-file/openall.db`, SERVICE_SECRET_FILE: secret },
          says: `SERVICE_SECRET_FILE cannot be used: ${CHOWN} read the file ${secret} of uid 0: chown ${UID}:${UID} ${secret}.`,
        }
      },
    ],
    [
      'a file of blocked hosts of root',
      () => {
        const at = folder('hosts-of-root', 'service')
        const hosts = file(join(at, 'hosts.txt'), 'root')
        return {
          env: { DATABASE_URL: `file:${at}/openall.db`, SERVICE_BLOCKED_HOSTS_FILE: hosts },
          says: `SERVICE_BLOCKED_HOSTS_FILE cannot be used: ${CHOWN} read the file ${hosts} of uid 0: chown ${UID}:${UID} ${hosts}.`,
        }
      },
    ],
  ]
  for (const [what, arrange] of cases)
    test(what, async () => {
      const { env, says, mounted } = arrange()
      const { code, out, err } = await runAs(env, [], 'bun', mounted)
      expect([code, err]).toEqual([1, expect.stringContaining(says)])
      expect(err.trimEnd().split('\n')).toHaveLength(1)
      expect(out).not.toContain('    at ')
    })
})

test('a folder of backups that may not be written stops nobody from starting: log and check say why', async () => {
  const at = folder('backups-of-root', 'service')
  const to = join(at, "it's backed up")
  mkdirSync(to)
  const env = { DATABASE_URL: `file:${at}/openall.db`, SERVICE_BACKUP_DIR: to }
  const says = `${CHOWN} write the folder ${to} of uid 0: chown ${UID}:${UID} '${at}/it'\\''s backed up'`
  const { out } = await runAs(env, [], 'bun', '', 'the backup failed')
  const logged = out.split('\n').find((line) => line.includes('the backup failed'))
  expect((JSON.parse(logged ?? '{}') as { fault: string }).fault).toBe(says)
  expect((await runAs(env, ['check'])).out).toContain(`wrong    backups       ${says}.\n`)
})

test('on Deno too', async () => {
  const at = folder('on-deno', 'root')
  const { code, err } = await runAs({ DATABASE_URL: `file:${at}/openall.db` }, [], 'deno')
  expect([code, err]).toEqual([1, expect.stringContaining(`chown ${UID}:${UID} ${at}.`)])
})

test('an operator’s commands say the same', async () => {
  const at = folder('commands', 'root')
  const copy = file(join(at, 'openall-2026-11-21T03-00-00Z.db'), 'root')
  const env = { DATABASE_URL: `file:${join(at, 'openall.db')}`, SERVICE_BACKUP_DIR: at }
  const restored = await runAs(env, ['restore', at])
  expect([restored.code, restored.err]).toEqual([
    1,
    `${CHOWN} read the file ${copy} of uid 0: chown ${UID}:${UID} ${copy}.\n`,
  ])
  chownSync(copy, UID, UID)
  const checked = await runAs(env, ['check'])
  expect(checked.out).toContain(`${CHOWN} write the folder ${at} of uid 0`)
  expect(existsSync(join(at, 'openall.db'))).toBeFalse()
})
