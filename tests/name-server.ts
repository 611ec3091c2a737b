import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'

/** What a name server answers, by name: addresses, to be given out one set after the other; the last one stays. */
export type Zone = Record<string, string[][]>

/** A real name server on this machine, on a port of its own. */
export async function startNameServer(zone: Zone) {
  /** Each question for addresses of IPv4, as it was asked. */
  const asked: string[] = []
  const socket = createSocket('udp4')
  const turns = new Map<string, number>()
  socket.on('message', (message, { port, address }) => {
    const labels: string[] = []
    let at = 12
    for (let length = message[at]!; length > 0; length = message[at]!) {
      labels.push(message.subarray(at + 1, at + 1 + length).toString())
      at += length + 1
    }
    const name = labels.join('.').toLowerCase()
    const isSix = message.readUInt16BE(at + 1) === 28
    const key = `${name} ${isSix}`
    const turn = turns.get(key) ?? 0
    turns.set(key, turn + 1)
    if (!isSix) asked.push(name)
    const sets = zone[name] ?? []
    const addresses = (sets[Math.min(turn, sets.length - 1)] ?? []).filter((one) => one.includes(':') === isSix)
    const header = Buffer.from(message.subarray(0, 12))
    header.writeUInt16BE(sets.length === 0 ? 0x8183 : 0x8180, 2)
    header.writeUInt16BE(addresses.length, 6)
    header.writeUInt32BE(0, 8)
    const answers = addresses.map((one) => {
      const bytes = isSix ? six(one) : one.split('.').map(Number)
      return Buffer.from([0xc0, 12, 0, isSix ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes])
    })
    socket.send(Buffer.concat([header, message.subarray(12, at + 5), ...answers]), port, address)
  })
  await new Promise<void>((ready) => socket.bind(0, '127.0.0.1', ready))
  return { port: socket.address().port, asked, stop: () => socket.close() }
}

/** The bytes of an IPv6 address in full or with one `::`. */
function six(address: string): number[] {
  const [left = '', right = ''] = address.split('::')
  const words = (part: string) => (part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16)))
  const [before, after] = [words(left), words(right)]
  const all = [...before, ...Array(8 - before.length - after.length).fill(0), ...after]
  return all.flatMap((word: number) => [word >> 8, word & 255])
}

/**
 * Leads names to this machine, for all requests of this process: the machine's own name servers know none of them.
 * @returns ends it.
 */
export async function leadHere(names: readonly string[]): Promise<() => void> {
  const { resolve4, resolve6 } = Resolver.prototype
  const nameServer = await startNameServer(Object.fromEntries(names.map((name) => [name, [['127.0.0.1']]])))
  const ours = new Resolver({ timeout: 2_000, tries: 1 })
  ours.setServers([`127.0.0.1:${nameServer.port}`])
  Resolver.prototype.resolve4 = ((name: string) => resolve4.call(ours, name, undefined as never)) as typeof resolve4
  Resolver.prototype.resolve6 = ((name: string) => resolve6.call(ours, name, undefined as never)) as typeof resolve6
  return () => {
    Object.assign(Resolver.prototype, { resolve4, resolve6 })
    nameServer.stop()
  }
}
