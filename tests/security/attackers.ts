import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer as listen, type Server, type Socket } from 'node:net'
import { createServer as listenSecurely } from 'node:tls'

// Run by outgoing-attacks.test.ts as a process of its own, so that what it sends takes no time of who measures: receivers
// that answer with whatever might occupy a client, for as long as the client listens. The attack is the path of the request.
// `attackers.ts <key> <certificate>` prints the ports: plain, over TLS, and of what only looks like TLS.

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`

/** What a receiver sends first, and then without end. */
const FLOODS: Record<string, [first: string, again: string]> = {
  '/continue': ['', 'HTTP/1.1 100 Continue\r\n\r\n'],
  '/early-hints': ['', `HTTP/1.1 103 Early Hints\r\n${'link: </a>\r\n'.repeat(20)}\r\n`],
  '/one-byte-chunks': [CHUNKED, '1\r\na\r\n'],
  '/size-of-zeros': [CHUNKED, '0'],
  '/chunk-extensions': [`${CHUNKED}1`, ';a=b'],
  '/trailers': [`${CHUNKED}0\r\n`, 'a: b\r\n'],
  '/headers': [OK, 'a: b\r\n'],
  '/long-header': [`${OK}a: `, 'b'],
  '/huge-body': [`${OK}content-length: 999999999999\r\n\r\n`, 'b'],
  '/until-closed': [`${OK}\r\n`, 'b'],
  '/no-http': ['', '\0\x01'],
  '/long-status': ['HTTP/1.1 200 ', 'K'],
  '/answers-after-the-answer': [`${OK}content-length: 0\r\n\r\n`, `${OK}content-length: 0\r\n\r\n`],
  '/bytes-after-the-answer': [`${OK}content-length: 0\r\n\r\n`, 'b'],
  '/redirect': [
    `HTTP/1.1 307 Temporary Redirect\r\nlocation: /redirect\r\ntransfer-encoding: chunked\r\n\r\n`,
    '1\r\na\r\n',
  ],
}

/** Of TLS: a handshake message that says it has 16 MB, and the records that middleboxes expect. */
const HANDSHAKE = Buffer.concat([Buffer.from([22, 3, 3, 0x40, 0, 2, 0xff, 0xff, 0xff]), Buffer.alloc(0x3ffc)])
const CHANGE_CIPHER = Buffer.from([20, 3, 3, 0, 1, 1])

/** Enough at a time that no client gets ahead of it. */
function many(bytes: Uint8Array): Uint8Array {
  return Buffer.concat(Array.from({ length: Math.ceil(2 ** 20 / bytes.byteLength) }, () => bytes))
}

function flood(socket: Socket, first: string, again: Uint8Array): void {
  socket.write(first)
  const go = () => {
    // Once in a while the buffer is full, and `drain` tells when it is not.
    while (socket.writable && socket.write(again)) {}
  }
  socket.on('drain', go)
  go()
}

const repeated = new Map(Object.entries(FLOODS).map(([path, [, again]]) => [path, many(Buffer.from(again))]))

function attack(socket: Socket): void {
  socket.on('error', () => {})
  socket.once('data', (request) => {
    const [, path = ''] = request.toString().split(' ')
    const again = repeated.get(path)
    if (again !== undefined) return flood(socket, FLOODS[path]?.[0] ?? '', again)
    if (path !== '/drip') return void socket.end(`${OK}content-length: 2\r\n\r\nok`)
    socket.write(`${OK}\r\n`)
    const timer = setInterval(() => socket.write('b'), 5)
    socket.on('close', () => clearInterval(timer))
  })
}

function portOf(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, 'localhost', () => resolve((server.address() as AddressInfo).port))
  })
}

const [key = '', certificate = ''] = process.argv.slice(2)
const tls = { key: readFileSync(key), cert: readFileSync(certificate) }
const notTls = (bytes: Uint8Array) =>
  listen((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => flood(socket, '', bytes))
  })
const servers = [listen(attack), listenSecurely(tls, attack), notTls(many(HANDSHAKE)), notTls(many(CHANGE_CIPHER))]
console.log(JSON.stringify(await Promise.all(servers.map(portOf))))
