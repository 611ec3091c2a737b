import { dlopen } from 'bun:ffi'
import { eventually } from './eventually.ts'

const [AF_UNIX, SOCK_DGRAM, MSG_DONTWAIT] = [1, 2, 0x40]
const MAX_BYTES = 4_096

/** The socket that systemd opens for a service of `Type=notify`: a Unix datagram socket, which Bun does not support. */
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
  const lines: string[] = []
  const receive = () => {
    const bytes = Buffer.alloc(MAX_BYTES)
    const length = Number(libc.recv(socket, bytes, bytes.length, MSG_DONTWAIT))
    if (length > 0) lines.push(...bytes.toString('utf8', 0, length).split('\n'))
    return length > 0
  }
  return {
    /** Resolves once a line has been received. */
    received(line: string): Promise<void> {
      const isReceived = () => {
        while (receive());
        return lines.includes(line)
      }
      return eventually(isReceived, `systemd receives ${line}`)
    },
    /** Every line so far. */
    lines,
    close() {
      libc.close(socket)
      close()
    },
  }
}
