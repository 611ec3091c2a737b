import { existsSync, readFileSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { Issue, Path } from '../core/issue.ts'
import { everyLink, type Linking } from '../core/links.ts'
import { invalid } from '../core/problem.ts'
import { type Loop, repeat } from '../core/scheduling.ts'

// Hosts as serialised by the URL parser (WHATWG), which already unifies 0x7f.1, 2130706433 and 127.0.0.1.

/** A host in canonical form: no trailing dots, IPv4-mapped addresses as IPv4. */
function plainHost(hostname: string): string {
  let end = hostname.length
  while (end > 0 && hostname[end - 1] === '.') end -= 1
  const host = hostname.slice(0, end)
  const groups = groupsOf(host)
  return groups !== null && startsWith(groups, [0, 0, 0, 0, 0, 0xffff]) ? dotted(groups, 6) : host
}

/** IPv6 prefixes that embed an IPv4 address, and the group where it starts: IPv4-compatible, NAT64, 6to4. */
const IPV4_PREFIXES = [
  { prefix: [0, 0, 0, 0, 0, 0], at: 6 },
  { prefix: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 },
  { prefix: [0x64, 0xff9b, 1], at: 6 },
  { prefix: [0x2002], at: 1 },
]

/** The IPv4 address embedded in an IPv6 address; null for any other host. */
function embeddedIpv4(host: string): string | null {
  const groups = groupsOf(host)
  const carrier = groups === null ? undefined : IPV4_PREFIXES.find(({ prefix }) => startsWith(groups, prefix))
  return groups === null || carrier === undefined ? null : dotted(groups, carrier.at)
}

/** The eight groups of an IPv6 address, which URLs abbreviate and bracket; null for any other host. */
function groupsOf(host: string): number[] | null {
  if (!host.startsWith('[')) return null
  const [before = '', after] = host.slice(1, -1).split('::')
  const read = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [head, tail] = [read(before), read(after ?? '')]
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function startsWith(groups: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((group, at) => groups[at] === group)
}

function dotted(groups: readonly number[], at: number): string {
  const [high = 0, low = 0] = groups.slice(at)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

declare module '../core/service.ts' {
  interface Service {
    /** Hosts that bundles may not link to. */
    blockedHosts: BlockedHosts
  }
}

const POLL_MS = 1_000

/**
 * Hosts that bundles may not link to, from a file with one per line and `#` comments. An entry covers its subdomains,
 * and an IPv4 address the IPv6 addresses that embed it. Hosts files (`0.0.0.0 bad.example`) work too. The file is
 * reloaded when it changes, and `changed` is called. Without a file nothing is blocked.
 */
export class BlockedHosts {
  #hosts: ReadonlySet<string> = new Set()
  #seen = ''
  #loop: Loop | undefined

  private constructor(
    readonly file: string | undefined,
    readonly log: Logger,
  ) {}

  /**
   * Without the file, no host is blocked until it appears: the first `block-host` creates it.
   * @throws what reading the file throws.
   */
  static open(file: string | undefined, log: Logger): BlockedHosts {
    const blocked = new BlockedHosts(file, log)
    if (file === undefined) return blocked
    if (!existsSync(file)) {
      log.warn({ file }, 'there is no file of blocked hosts: no host is blocked until it appears')
      return blocked
    }
    blocked.#seen = stamp(statSync(file))
    blocked.#take(readFileSync(file, 'utf8'))
    return blocked
  }

  /** Starts watching the file. */
  watch(changed: () => void): void {
    const { file, log } = this
    if (file === undefined) return
    const look = async () => {
      const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
        if (this.#seen === '' && error.code === 'ENOENT') return null
        throw error
      })
      if (found === null) return
      const now = stamp(found)
      if (now === this.#seen) return
      this.#take(await readFile(file, 'utf8'))
      this.#seen = now
      changed()
    }
    // A failure keeps the list: some editors remove the file for a moment when saving.
    this.#loop = repeat(POLL_MS, look, log, 'cannot read the file of blocked hosts')
  }

  async stop(): Promise<void> {
    await this.#loop?.stop()
  }

  /** The host of a URL if it is blocked, else null. */
  of(url: string): string | null {
    if (this.#hosts.size === 0) return null
    const host = plainHost(new URL(url).hostname)
    for (let name = host; name !== ''; name = name.slice(name.indexOf('.') + 1)) {
      if (this.#hosts.has(name)) return host
      if (!name.includes('.')) break
    }
    const carried = embeddedIpv4(host)
    return carried !== null && this.#hosts.has(carried) ? host : null
  }

  /** Whether a bundle has a blocked URL, in its rules too. */
  isIn(bundle: Linking): boolean {
    return this.#hosts.size > 0 && everyLink(bundle).some(({ url }) => this.of(url) !== null)
  }

  /**
   * Refuses a bundle with a blocked URL.
   * @throws Problem INVALID_URLS; BAD_REQUEST for a URL of a rule.
   */
  refuse(bundle: Linking): void {
    if (this.#hosts.size === 0) return
    const issues = everyLink(bundle).flatMap(({ url, path }) => this.#issue(url, path))
    if (issues.length > 0) throw invalid(issues)
  }

  #issue(url: string, path: Path): Issue[] {
    const host = this.of(url)
    return host === null ? [] : [{ path, reason: { code: 'host_blocked', host } }]
  }

  #take(text: string): void {
    const lines = text.split(/\r?\n/).map((line) => line.replace(/#.*$/, '').trim())
    const unread = lines.flatMap((line, index) => (line !== '' && hostIn(line) === '' ? [index + 1] : []))
    if (unread.length > 0)
      this.log.warn({ lines: unread.slice(0, 20) }, 'the file of blocked hosts has lines without a host')
    this.#hosts = new Set(lines.map(hostIn).filter((host) => host !== ''))
    this.log.info({ hosts: this.#hosts.size }, 'blocked hosts read')
  }
}

/** The host in a line, in canonical form; `''` if there is none. */
export function hostIn(line: string): string {
  const name = (line.split(/\s+/).at(-1) ?? '').replace(/^\*?\./, '')
  // Lists write IPv6 addresses without the brackets of URLs.
  const url = `http://${name.split(':').length > 2 && !name.startsWith('[') ? `[${name}]` : name}/`
  if (!URL.canParse(url)) return ''
  const { hostname, href } = new URL(url)
  return href === `http://${hostname}/` ? plainHost(hostname) : ''
}

function stamp({ mtimeMs, size, ino }: { mtimeMs: number; size: number; ino: number }): string {
  return `${mtimeMs} ${size} ${ino}`
}
