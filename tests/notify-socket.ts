import { dlopen } from 'bun:ffi'
import { eventually } from './eventually.ts'

const [AF_UNIX, SOCK_DGRAM, MSG_DONTWAIT] = [1, 2, 0x40]
const MOST_BYTES = 4_096

/** What systemd listens on for a service of `Type=notify`: a datagram socket in the file system, which Bun has none of. */
export function openNotifySocket(path: string) {
  const { symbols: libc, close } = dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    bind: { args: ['i32', 'buffer', 'u32'], returns: 'i32' },
    recv: { args: ['i32', 'buffer', 'u64', 'i32'], returns: 'i64' },
    close: { args: ['i32'], returns: 'i32' },
  })
  const socket = libc.socket(AF_UNIX, SOCK_DGRAM, 0)
  // struct sockaddr_un: the family, then the path and a NUL.
  const address = Buffer.concat([new Uint8Array(new Uint16Array([AF_UNIX]).buffer), Buffer.from(`${path}\0`)])
  if (libc.bind(socket, address, address.length) !== 0) throw new Error(`cannot listen at ${path}`)
  const told: string[] = []
  const receive = () => {
    const bytes = Buffer.alloc(MOST_BYTES)
    const length = Number(libc.recv(socket, bytes, bytes.length, MSG_DONTWAIT))
    if (length > 0) told.push(...bytes.toString('utf8', 0, length).split('\n'))
    return length > 0
  }
  return {
    /** Resolves once the line has been received. */
    hears(line: string): Promise<void> {
      const isHeard = () => {
        while (receive());
        return told.includes(line)
      }
      return eventually(isHeard, `systemd hears ${line}`)
    },
    /** Every line so far. */
    told,
    close() {
      libc.close(socket)
      close()
    },
  }
}
