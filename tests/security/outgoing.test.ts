import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Socket } from 'bun'
import { makeCertificate, trusting } from '../certificate.ts'
import { startNameServer } from '../name-server.ts'
import { isLeftOut } from '../needs.ts'
import { prng } from '../prng.ts'
import { command, RUNTIMES } from '../server.ts'
import type { Attempt, Attempts } from './outgoing-requests.ts'

// The guard of requests that users have the service send, with real servers and a real name server.

setDefaultTimeout(180_000)

const PROGRAM = fileURLToPath(new URL('./outgoing-requests.ts', import.meta.url))
const NOT_PUBLIC = 'its URL must lead to a public address'

/** Addresses that are nobody's on the internet, written down from the registries of IANA. */
const PRIVATE_V4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32'
const PRIVATE_V6 =
  ':: ::1 ::ffff:0:0 64:ff9b:: 64:ff9b:1:: 100:: 2001:: 2001:2:: 2001:10:: 2001:20:: 2001:db8:: 2002:: 3fff:: 5f00:: fc00:: fd00:ec2::254 fe80:: fec0:: ff02::1 4000:: 8000::1 e000::'
const PUBLIC = [
  '93.184.216.34',
  '1.1.1.1',
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '192.167.1.1',
  '169.253.1.1',
  '198.17.1.1',
  '198.20.0.1',
  '223.255.255.254',
  '11.0.0.1',
  '126.1.1.1',
  '128.0.0.1',
]

/** Some address in a network: its first, its last, and some in between. */
function samples(network: string, random: () => number): number[] {
  const [base = '', bits = ''] = network.split('/')
  const first = base.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const size = 2 ** (32 - Number(bits))
  return [first, first + size - 1, ...Array.from({ length: 4 }, () => first + Math.floor(random() * size))]
}

/** Every way to write an IPv4 address that some parser of URLs takes, and every IPv6 address that leads to it. */
function notations(ip: number): string[] {
  const [a, b, c, d] = [ip >>> 24, (ip >>> 16) & 255, (ip >>> 8) & 255, ip & 255] as const
  const dotted = `${a}.${b}.${c}.${d}`
  const hex = (number: number) => number.toString(16)
  const [high, low] = [hex((a << 8) | b), hex((c << 8) | d)]
  const hosts = [
    dotted,
    `${dotted}.`,
    `${ip}`,
    `0x${hex(ip)}`,
    `0${ip.toString(8)}`,
    [a, b, c, d].map((part) => `0x${hex(part)}`).join('.'),
    [a, b, c, d].map((part) => `0${part.toString(8)}`).join('.'),
    `${a}.${ip & 0xffffff}`,
    `${a}.${b}.${ip & 0xffff}`,
    `0x${hex(a)}.0${b.toString(8)}.${c}.${d}`,
    dotted.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    dotted.replaceAll('.', '。'),
    dotted.replace(/^\d/, (digit) => `%3${digit}`),
    `[::ffff:${dotted}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[::ffff:0:${dotted}]`,
    `[::${dotted}]`,
    `[64:ff9b::${dotted}]`,
    `[64:ff9b:1::${dotted}]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:${high}:${low}::1]`,
    `[2001::${hex(0xffff ^ ((a << 8) | b))}:${hex(0xffff ^ ((c << 8) | d))}]`,
  ]
  return hosts.flatMap((host) => [`http://${host}/`, `https://${host}:8443/x`])
}

const PROXY = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' }

/** Small as it is sent, and 50 MiB for whoever unpacks it. */
const BOMB = gzipSync(new Uint8Array(50 * 2 ** 20))

/** Servers that behave as badly as a receiver can. */
function startReceivers() {
  const received: { path: string; host: string | null; body: string; header: string | null }[] = []
  let released = false
  const forever = (chunk: Uint8Array, everyMs: number) =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          if (everyMs > 0) await Bun.sleep(everyMs)
          if (released) return controller.close()
          controller.enqueue(chunk)
        },
      }),
    )
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const { headers } = request
      received.push({
        path: pathname,
        host: headers.get('host'),
        body: await request.text(),
        header: headers.get('x-test'),
      })
      const [, what = '', number = ''] = pathname.split('/')
      const to = (location: string) => new Response(null, { status: Number(number), headers: { location } })
      if (what === 'redirect') return to(searchParams.get('to') ?? '')
      if (what === 'again') return Number(number) === 0 ? new Response('end') : to_(307, `/again/${Number(number) - 1}`)
      if (what === 'endless') return forever(new Uint8Array(64 * 1024), 0)
      if (what === 'slow') return forever(new Uint8Array(1), 50)
      if (what === 'large') return new Response(new Uint8Array(Number(number)))
      if (what === 'bomb') return new Response(BOMB, { headers: { 'content-encoding': 'gzip' } })
      if (what === 'silent') return new Promise<Response>(() => {})
      return new Response('ok', { status: Number(what) || 200 })
    },
  })
  /** Speaks raw bytes: answers that are no HTTP, or end too early. */
  const raw = Bun.listen({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      data(socket, data) {
        const [, path = ''] = data.toString().split(' ')
        if (path === '/cut') socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nten bytes.')
        if (path === '/nonsense') socket.write('220 mail.example ESMTP\r\n')
        if (path === '/headers') return flood(socket, 'HTTP/1.1 200 OK\r\n', `x-y: ${'z'.repeat(1_000)}\r\n`)
        if (path === '/continue') return flood(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n')
        socket.end()
      },
    },
  })
  return {
    received,
    port: server.port ?? 0,
    rawPort: raw.port,
    async stop() {
      released = true
      raw.stop(true)
      await server.stop(true)
    },
  }
}

/** Sends something again and again, until the other side hangs up. */
function flood(socket: Socket, first: string, again: string): void {
  socket.write(first)
  const timer = setInterval(() => {
    if (socket.readyState === 1) socket.write(again.repeat(50))
    else clearInterval(timer)
  }, 1)
}

function to_(status: number, location: string): Response {
  return new Response(null, { status, headers: { location } })
}

describe.each(RUNTIMES.map((runtime) => ({ runtime })))('on $runtime', ({ runtime }) => {
  let receivers: ReturnType<typeof startReceivers>
  let names: Awaited<ReturnType<typeof startNameServer>>
  beforeAll(async () => {
    receivers = startReceivers()
    names = await startNameServer({
      // Public when it is checked, private when somebody connects.
      'rebinding.example': [['3ffe::1'], ['127.0.0.1']],
      'mixed.example': [['93.184.216.34', '10.0.0.1']],
      'mixed-six.example': [['93.184.216.34', 'fd00::1']],
      'metadata.example': [['169.254.169.254']],
      'loopback.example': [['127.0.0.1']],
      'secure.example': [['127.0.0.1']],
      // Whoever asks twice is sent to another machine.
      'moving.example': [['127.0.0.1'], ['127.0.0.99']],
      'moving-on.example': [['127.0.0.1'], ['127.0.0.99']],
    })
  })
  afterAll(async () => {
    names.stop()
    await receivers.stop()
  })

  const outcomes = async (attempts: Attempt[], env: Record<string, string> = {}): Promise<(number | string)[]> => {
    const child = Bun.spawn([...command(runtime), PROGRAM], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
      // A proxy would look names up by itself.
      env: { ...process.env, ...PROXY, ...env },
    })
    const input: Attempts = { nameServer: names.port, attempts }
    child.stdin.write(JSON.stringify(input))
    child.stdin.end()
    return JSON.parse(await new Response(child.stdout).text())
  }
  const at = (path: string, host = '127.0.0.1') => `http://${host}:${receivers.port}${path}`
  const raw = (path: string) => `http://127.0.0.1:${receivers.rawPort}${path}`

  test('no notation of a private address is public, and no public address is private', async () => {
    const random = prng(20)
    const ips = PRIVATE_V4.split(' ').flatMap((network) => samples(network, random))
    const networks = PRIVATE_V6.split(' ').flatMap((network) => [
      `http://[${network}]/`,
      `https://[${network.includes('::') && network.endsWith('::') ? `${network}7` : network}]:8443/`,
    ])
    const urls = [
      ...ips.flatMap(notations),
      ...networks,
      'http://localhost/',
      'http://LOCALHOST./',
      'http://any.localhost/',
      'http://loopback.example/',
      'http://mixed.example/',
      'http://mixed-six.example/',
      'http://metadata.example/',
      'http://nowhere.example/',
      'http://[fe80::1%25eth0]/',
    ]
    const found = await outcomes(urls.map((url) => ({ url, privateNetworks: false, checkOnly: true })))
    const wrong = urls.filter((_, index) => found[index] !== NOT_PUBLIC && found[index] !== 'no URL')
    expect(wrong).toEqual([])
    // Most of them are URLs: what this shows is not that nothing parses.
    expect(found.filter((one) => one === NOT_PUBLIC).length).toBeGreaterThan(urls.length * 0.9)
    const allowed = await outcomes(
      PUBLIC.map((ip) => ({ url: `https://${ip}/`, privateNetworks: false, checkOnly: true })),
    )
    expect(allowed).toEqual(PUBLIC.map(() => 'may be sent'))
    const [six] = await outcomes([{ url: 'https://[2606:4700:4700::1111]/', privateNetworks: false, checkOnly: true }])
    expect(six).toBe('may be sent')
  })

  test('an operator who allows the intranet does not allow what clouds keep at local addresses, nor other schemes', async () => {
    const tried: [url: string, outcome: string][] = [
      ['http://10.0.0.1/', 'may be sent'],
      ['http://192.168.1.1:8080/', 'may be sent'],
      ['http://[fd00::1]/', 'may be sent'],
      ['http://loopback.example/', 'may be sent'],
      ['http://localhost:8080/', 'may be sent'],
      ['http://nowhere.example/', 'its URL must have a host that name servers know; /etc/hosts does not count'],
      // Not the intranet itself, but ways by which IPv6 leads to IPv4: to local addresses too.
      ['http://[::169.254.169.254]/', NOT_PUBLIC],
      ['http://[64:ff9b::169.254.169.254]/', NOT_PUBLIC],
      ['http://[64:ff9b:1::169.254.169.254]/', NOT_PUBLIC],
      ['http://[2002:a9fe:a9fe::1]/', NOT_PUBLIC],
      ['http://[fd00:ec2::23]/', NOT_PUBLIC],
      ['http://[fd00:42::42]/', NOT_PUBLIC],
      ['http://169.254.169.254/latest/meta-data/', NOT_PUBLIC],
      ['http://metadata.example/', NOT_PUBLIC],
      ['http://100.100.100.200/', NOT_PUBLIC],
      ['http://168.63.129.16/', NOT_PUBLIC],
      ['http://[fd00:ec2::254]/', NOT_PUBLIC],
      ['http://[::ffff:169.254.169.254]/', NOT_PUBLIC],
      ['http://0.0.0.0/', NOT_PUBLIC],
      ['http://224.0.0.1/', NOT_PUBLIC],
      ['ftp://10.0.0.1/', 'its URL must begin with https: or http:'],
      ['file:///etc/passwd', 'its URL must begin with https: or http:'],
      ['http://user@10.0.0.1/', 'its URL must have no user name or password: check the signature instead'],
      [
        'http://10.0.0.1:22/',
        'its URL must have a port that web servers use: 80, 443, or one above 1023 that browsers do not refuse',
      ],
      ['http://10.0.0.1:6379/', 'may be sent'],
    ]
    const found = await outcomes(tried.map(([url]) => ({ url, privateNetworks: true, checkOnly: true })))
    expect(found).toEqual(tried.map(([, outcome]) => outcome))
  })

  test('the connection goes to the address that was checked, whatever the name leads to by then', async () => {
    const before = receivers.received.length
    const found = await outcomes([
      { url: at('/', 'rebinding.example'), privateNetworks: false, timeoutMs: 500 },
      { url: at('/200', 'moving.example'), privateNetworks: true },
    ])
    expect(found[0]).toMatch(/^(no connection could be made|there was no complete answer)/)
    expect(found[1]).toBe(200)
    expect(names.asked.filter((name) => /^(rebinding|moving)/.test(name))).toEqual([
      'rebinding.example',
      'moving.example',
    ])
    expect(receivers.received.slice(before)).toEqual([
      { path: '/200', host: `moving.example:${receivers.port}`, body: '{"a":"ü"}', header: 'yes' },
    ])
  })

  test.skipIf(isLeftOut('openssl'))(
    'over https the certificate must be of the name in the URL, not only of somebody, and no redirect leads to plain http',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'openall-'))
      const { key, cert } = makeCertificate(folder, 'secure.example')
      const tls = { key: Bun.file(key), cert: Bun.file(cert) }
      const answer = ({ url }: Request) => (url.endsWith('/plain') ? to_(307, at('/200')) : new Response('ok'))
      const server = Bun.serve({ port: 0, hostname: '127.0.0.1', tls, fetch: answer })
      const attempts = ['secure.example', 'loopback.example', '127.0.0.1'].map((host) => ({
        url: `https://${host}:${server.port}/`,
        privateNetworks: true,
      }))
      const lost = 'no connection could be made, or it was lost'
      expect(await outcomes(attempts)).toEqual([lost, lost, lost])
      expect(await outcomes(attempts, trusting(cert))).toEqual([200, lost, lost])
      const before = receivers.received.length
      const plain = [{ url: `https://secure.example:${server.port}/plain`, privateNetworks: true }]
      expect(await outcomes(plain, trusting(cert))).toEqual(['it was redirected to plain http'])
      expect(receivers.received.slice(before)).toEqual([])
      await server.stop(true)
      rmSync(folder, { recursive: true })
    },
  )

  test('redirects keep the POST or are not followed, are checked anew each, and end', async () => {
    const redirect = (status: number, to: string) => at(`/redirect/${status}?to=${encodeURIComponent(to)}`)
    const tried: [url: string, outcome: number | string][] = [
      [redirect(307, '/201'), 201],
      [redirect(308, at('/202', 'loopback.example')), 202],
      [redirect(302, '/200'), 302],
      [redirect(301, '/200'), 301],
      [redirect(303, '/200'), 303],
      [redirect(307, 'http://169.254.169.254/'), NOT_PUBLIC],
      [redirect(307, 'http://metadata.example/'), NOT_PUBLIC],
      [redirect(307, '//[::ffff:169.254.169.254]/'), NOT_PUBLIC],
      [redirect(308, 'ftp://loopback.example/'), 'its URL must begin with https: or http:'],
      [
        redirect(308, 'http://a:b@loopback.example/'),
        'its URL must have no user name or password: check the signature instead',
      ],
      [
        redirect(308, 'http://127.0.0.1:25/'),
        'its URL must have a port that web servers use: 80, 443, or one above 1023 that browsers do not refuse',
      ],
      [redirect(307, 'http://['), 'it was redirected to something that is no URL'],
      [at('/again/5'), 200],
      [at('/again/6'), 'it was redirected more than 5 times'],
    ]
    const before = receivers.received.length
    const found = await outcomes(tried.map(([url]) => ({ url, privateNetworks: true })))
    expect(found).toEqual(tried.map(([, outcome]) => outcome))
    const bodies = new Set(receivers.received.slice(before).map(({ body, header }) => `${body} ${header}`))
    expect([...bodies]).toEqual(['{"a":"ü"} yes'])
  })

  test('after a redirect the guard still holds: a public host leads nowhere that the first URL could not', async () => {
    const redirect = (to: string) => at(`/redirect/307?to=${encodeURIComponent(to)}`)
    const tried: [to: string, outcome: number | string][] = [
      [at('/200'), NOT_PUBLIC],
      ['/200', NOT_PUBLIC],
      [at('/200', 'loopback.example'), NOT_PUBLIC],
      [`http://localhost:${receivers.port}/200`, NOT_PUBLIC],
      [`http://[::ffff:127.0.0.1]:${receivers.port}/200`, NOT_PUBLIC],
      ['http://10.0.0.1/', NOT_PUBLIC],
    ]
    const before = receivers.received.length
    const found = await outcomes(
      tried.map(([to]) => ({ url: redirect(to), privateNetworks: false, beginsInPublic: true })),
    )
    expect(found).toEqual(tried.map(([, outcome]) => outcome))
    // Each has been redirected, and nothing was sent to where it led.
    const paths = receivers.received.slice(before).map(({ path }) => path)
    expect(paths).toEqual(tried.map(() => '/redirect/307'))
    // Where a redirect leads is looked up once, too.
    const moved = { url: redirect(at('/200', 'moving-on.example')), privateNetworks: true }
    expect(await outcomes([moved])).toEqual([200])
    expect(names.asked.filter((name) => name === 'moving-on.example')).toHaveLength(1)
  })

  test('what is got is guarded like what is posted: by address, at each redirect, by time and by size', async () => {
    const redirect = (status: number, to: string) => at(`/redirect/${status}?to=${encodeURIComponent(to)}`)
    const lost = /^(the answer was cut off|no connection could be made, or it was lost)$/
    const tooSlow = 'there was no complete answer in time'
    const tried: [attempt: Omit<Attempt, 'isGet' | 'privateNetworks'>, outcome: number | string | RegExp][] = [
      ...[301, 302, 303, 307, 308].map((status): [{ url: string }, string] => [
        { url: redirect(status, '/200') },
        '200 ok',
      ]),
      [{ url: at('/again/5') }, '200 end'],
      [{ url: at('/again/6') }, 'it was redirected more than 5 times'],
      [{ url: redirect(302, 'http://169.254.169.254/') }, NOT_PUBLIC],
      [{ url: redirect(303, 'http://metadata.example/') }, NOT_PUBLIC],
      [{ url: redirect(301, '//[::ffff:169.254.169.254]/') }, NOT_PUBLIC],
      [{ url: redirect(302, 'file:///etc/passwd') }, 'its URL must begin with https: or http:'],
      [{ url: at('/large/65000') }, 200],
      [{ url: at('/large/65536') }, 'the answer has more than 64 KiB'],
      [{ url: at('/endless') }, 'the answer has more than 64 KiB'],
      [{ url: at('/slow'), timeoutMs: 500 }, tooSlow],
      [{ url: at('/silent'), timeoutMs: 500 }, tooSlow],
      [{ url: raw('/headers') }, lost],
      [{ url: raw('/continue') }, 'the answer was preceded by more than 20 interim ones'],
      [{ url: raw('/cut') }, lost],
      [{ url: raw('/nonsense') }, lost],
    ]
    const found = await outcomes(tried.map(([attempt]) => ({ ...attempt, privateNetworks: true, isGet: true })))
    for (const [index, [{ url }, outcome]] of tried.entries()) {
      const matches = outcome instanceof RegExp ? outcome.test(String(found[index])) : found[index] === outcome
      expect([url, found[index], matches]).toEqual([url, found[index], true])
    }
    const before = receivers.received.length
    const refused = [
      { url: at('/200'), privateNetworks: false },
      { url: redirect(302, at('/200')), privateNetworks: false, beginsInPublic: true as const },
      { url: redirect(302, at('/200', 'loopback.example')), privateNetworks: false, beginsInPublic: true as const },
    ]
    expect(await outcomes(refused.map((attempt) => ({ ...attempt, isGet: true })))).toEqual(
      refused.map(() => NOT_PUBLIC),
    )
    expect(receivers.received.slice(before).map(({ path }) => path)).toEqual(['/redirect/302', '/redirect/302'])
  })

  test('an answer that is slow, endless, too large, cut off or no HTTP is given up, and holds nothing open', async () => {
    const tooSlow = 'there was no complete answer within 10 seconds'
    const lost = /^(the answer was cut off|no connection could be made, or it was lost)$/
    const tried: [url: string, outcome: number | string | RegExp][] = [
      [at('/endless'), 'the answer has more than 64 KiB'],
      // With the head, 64 KiB are a little more than that.
      [at('/large/65000'), 200],
      [at('/large/65536'), 'the answer has more than 64 KiB'],
      [at('/slow'), tooSlow],
      [at('/silent'), tooSlow],
      [at('/bomb'), 200],
      [raw('/headers'), lost],
      [raw('/continue'), 'the answer was preceded by more than 20 interim ones'],
      [raw('/cut'), lost],
      [raw('/nonsense'), lost],
      [raw('/closed'), lost],
    ]
    const found = await outcomes(
      tried.map(([url, outcome]) => ({
        url,
        privateNetworks: true,
        ...(outcome === tooSlow ? { timeoutMs: 500 } : {}),
      })),
    )
    for (const [index, [url, outcome]] of tried.entries()) {
      if (outcome instanceof RegExp)
        expect([url, outcome.test(String(found[index])), found[index]]).toEqual([url, true, found[index]])
      else expect([url, found[index]]).toEqual([url, outcome])
    }
  })
})
