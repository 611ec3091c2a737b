import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { eventually } from './eventually.ts'
import { need } from './needs.ts'

// A Debian machine of its own: made by debootstrap, booted by systemd-nspawn, with a stock hosts file and no network.

const SUITE = 'bookworm'
/** What the documentation installs on Debian: there is no network in the machine, so it is there before. */
const PACKAGES = [
  'systemd',
  'systemd-sysv',
  'dbus',
  'ca-certificates',
  'curl',
  'openssl',
  'procps',
  'caddy',
  'prometheus',
  'prometheus-blackbox-exporter',
]
/** As Debian's installer writes it: `localhost` is both addresses, and the machine's own name is a third. */
const HOSTS = '127.0.0.1\tlocalhost\n127.0.1.1\tgo.example.com\tgo\n::1\tlocalhost ip6-localhost ip6-loopback\n'

/** The result of a script in the machine. */
interface Ran {
  code: number
  text: string
}

export interface Machine {
  /** Its root, as a folder of this machine. */
  root: string
  /** Runs a script with bash as root in a folder of the machine. */
  run(script: string, cwd: string): Promise<Ran>
  /** Turns it off and removes it. */
  remove(): Promise<void>
}

/** Debian with the packages, made once for all clones of a user and kept with their caches: it takes two minutes of a core. */
function debian(): string {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const made = join(caches, 'openall', `${SUITE}-${Bun.hash(PACKAGES.join()).toString(36)}`)
  if (existsSync(made)) return made
  const mirrors = Bun.spawnSync(['apt-get', 'indextargets', '--format', '$(REPO_URI)', `Codename: ${SUITE}`])
  const [mirror] = mirrors.stdout.toString().split('\n')
  mkdirSync(dirname(made), { recursive: true })
  const options = ['--variant=minbase', `--include=${PACKAGES.join()}`, '--cache-dir=/var/cache/apt/archives']
  const words = ['debootstrap', ...options, SUITE, `${made}.part`, ...(mirror ? [mirror] : [])]
  // One at a time: another test may want it too, and then finds it made.
  const once = 'made=$0; [ -e "$made" ] || { rm -rf "$made.part" && "$@" && mv "$made.part" "$made"; }'
  must('flock', `${made}.lock`, 'sh', '-c', once, made, ...words)
  return made
}

/** Boots a machine whose files are Debian's until it writes them. */
export async function bootMachine(): Promise<Machine> {
  need('root', 'debootstrap')
  const place = mkdtempSync(join(tmpdir(), 'openall-machine-'))
  const [root, upper, work] = ['root', 'upper', 'work'].map((name) => join(place, name)) as [string, string, string]
  for (const folder of [root, upper, work]) mkdirSync(folder)
  must('mount', '-t', 'overlay', 'overlay', '-o', `lowerdir=${debian()},upperdir=${upper},workdir=${work}`, root)
  writeFileSync(join(root, 'etc/hosts'), HOSTS)
  const options = ['--register=no', '--keep-unit', '--private-network', '--resolv-conf=off']
  const nspawn = Bun.spawn(['systemd-nspawn', '--quiet', `--directory=${root}`, ...options, '--boot'], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  /** The machine's first process, by its number here. */
  const leader = () =>
    Bun.spawnSync(['pgrep', '-P', String(nspawn.pid)])
      .stdout.toString()
      .split('\n')[0] ?? ''
  const run = async (script: string, cwd: string): Promise<Ran> => {
    writeFileSync(join(root, 'root/script'), `cd ${cwd}\nset -e\n${script}\n`)
    const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' }
    const words = ['nsenter', '--target', leader(), '--all', 'bash', '-c', 'exec bash /root/script 2>&1']
    const child = Bun.spawn(words, { env, stdin: 'ignore', stdout: 'pipe' })
    const text = await new Response(child.stdout).text()
    return { code: await child.exited, text }
  }
  const remove = async () => {
    if (leader() !== '') await run('systemctl poweroff', '/')
    const isOff = await Promise.race([nspawn.exited.then(() => true), Bun.sleep(20_000).then(() => false)])
    if (!isOff) nspawn.kill('SIGKILL')
    await nspawn.exited
    must('umount', root)
    rmSync(place, { recursive: true })
  }
  const isUp = async () =>
    leader() !== '' && /running|degraded/.test((await run('systemctl is-system-running || true', '/')).text)
  await eventually(isUp, 'the machine is up', 60_000)
  return { root, run, remove }
}

function must(...words: string[]): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync(words)
  if (exitCode !== 0) throw new Error(`${words.join(' ')}: ${stdout}${stderr}`)
}
