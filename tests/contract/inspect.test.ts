import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newPerson, type Person, Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { startSites } from './sites.ts'

// inspect_urls, with real servers on this machine. What receivers may do to the guard that it shares with webhooks:
// tests/security/outgoing*.test.ts.

interface Found {
  url: string
  finalUrl: string | null
  status: number | null
  title: string | null
  icon: string | null
  problem: string | null
}

const inspect = (by: Visitor, urls: unknown) =>
  by.api<{ links: Found[]; code?: string; retryAfterSeconds?: number }>('POST', '/api/links/inspect', { urls })

const NO_ANSWER = 'It did not answer: the site may be down, or not public.'
const UNSEEN = { finalUrl: null, status: null, title: null, icon: null }

/** The same once all sites have answered in time, which a machine that is busy may prevent. */
async function inspectAnswered(server: Server, urls: string[]) {
  for (let tries = 1; ; tries += 1) {
    const answer = await inspect(await newPerson(server), urls)
    const isAnswered = answer.body.links.every(({ problem }) => problem !== NO_ANSWER)
    if (isAnswered || tries === 10) return answer
  }
}

const sites = startSites()
afterAll(() => sites.stop())
const at = (path: string) => `http://localhost:${sites.port}${path}`

/**
 * A site that is far away, or on a busy machine: its queue of connections is full for 0.9 s, so that whoever knocks is let
 * in at the second knock, which systems make after a second. Its other address, `::1`, refuses at once.
 */
async function startDistantSite() {
  const site = `use Socket; $| = 1;
    socket(S, PF_INET, SOCK_STREAM, 0); bind(S, pack_sockaddr_in(0, INADDR_LOOPBACK)); listen(S, 0);
    socket(C, PF_INET, SOCK_STREAM, 0); connect(C, getsockname(S));
    print((unpack_sockaddr_in(getsockname(S)))[0], "\n");
    select(undef, undef, undef, 0.9); close(C);
    while (accept(A, S)) { sysread(A, $_, 9999); print A "HTTP/1.1 200 OK\\r\\ncontent-type: text/html\\r\\nconnection: close\\r\\n\\r\\n<title>Far away</title>"; close(A) }`
  const process = Bun.spawn(['perl', '-e', site], { stdout: 'pipe', stderr: 'inherit' })
  const { value } = await process.stdout.getReader().read()
  const stop = () => {
    process.kill()
    return process.exited
  }
  return { port: Number(new TextDecoder().decode(value)), stop }
}

describe('what pages say', () => {
  onEveryTarget({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (server) => {
    let person: Person
    beforeAll(async () => {
      person = await newPerson(server())
    })
    const titles = async (paths: string[]) => {
      const { status, body } = await inspectAnswered(server(), paths.map(at))
      expect(status).toBe(200)
      expect(body.links.map(({ url }) => url)).toEqual(paths.map(at))
      return body.links.map(({ title }) => title)
    }

    test('a link has the title of its page, the address it leads to, and the status there', async () => {
      const urls = ['/plan', '/moved', '/gone', '/members'].map(at)
      const { status, body } = await inspectAnswered(server(), urls)
      const page = { status: 200, title: 'The plan', icon: null, problem: null }
      expect([status, body.links]).toEqual([
        200,
        [
          { url: at('/plan'), finalUrl: at('/plan'), ...page },
          { url: at('/moved'), finalUrl: at('/plan'), ...page },
          {
            ...{ url: at('/gone'), finalUrl: at('/gone'), status: 404, title: null, icon: null },
            problem: 'The site answered 404: there is no such page.',
          },
          {
            ...{ url: at('/members'), finalUrl: at('/members'), status: 403, title: null, icon: null },
            problem: 'The site answered 403: it may want you to sign in, or let no service look.',
          },
        ],
      ])
    })

    test('a site that takes a second to connect to has answered, though its other address refuses', async () => {
      const site = await startDistantSite()
      try {
        const { body } = await inspect(person, [`http://localhost:${site.port}/`])
        expect(body.links).toMatchObject([{ status: 200, title: 'Far away', problem: null }])
      } finally {
        await site.stop()
      }
    })

    test('the encoding is that of the answer, the byte order mark or the page, else UTF-8 or that of the old Web', async () => {
      const paths = ['/header/shift_jis', '/meta/shift_jis', '/header/gb18030', '/meta/gb18030', '/header/windows-1251']
      const more = ['/meta/windows-1251', '/header/utf-16le', '/bom', '/undeclared', '/latin', '/header/nonsense']
      expect(await titles([...paths, ...more])).toEqual([
        ...['日本語の題', '日本語の題', '中文标题', '中文标题', 'Привет мир'],
        ...['Привет мир', 'Grüße', 'Grüße', 'Grüße', 'Grüße', 'Grüße'],
      ])
    })

    test('a title is on one line, without what would turn or hide text, and is cut', async () => {
      expect(
        await titles(['/lines', '/entities', '/turning', '/long', '/og', '/picture', '/untitled', '/file']),
      ).toEqual([
        'One two three',
        'Q&A – “why” <b>',
        'safe gpj.exe',
        `${'ü'.repeat(199)}…`,
        'What it is called when shared',
        'The page',
        null,
        null,
      ])
    })

    test('only the head of a page is read, whatever comes after it, and no answer is unpacked', async () => {
      expect(await titles(['/endless', '/five-megabytes', '/bomb', '/drip-after-head'])).toEqual([
        'Endless',
        null,
        null,
        'Before the drip',
      ])
    })

    test('twenty-five links that never answer take no longer than one, and are no error', async () => {
      const urls = Array.from({ length: 25 }, (_, index) => at(`/silent/${index}`))
      const { status, body } = await inspect(await newPerson(server()), urls)
      expect([status, body.links]).toEqual([200, urls.map((url) => ({ url, ...UNSEEN, problem: NO_ANSWER }))])
      // None waited for another to be given up.
      expect(sites.silentAtOnce()).toBeGreaterThan(1)
    })

    test('what sends interim answers, redirects or half a page without end did not answer', async () => {
      const urls = [
        at('/again/9'),
        sites.raw('/continue'),
        sites.raw('/cut'),
        sites.raw('/nonsense'),
        sites.raw('/closed'),
      ]
      const { body } = await inspect(await newPerson(server()), urls)
      expect(body.links).toEqual(urls.map((url) => ({ url, ...UNSEEN, problem: NO_ANSWER })))
    })

    test('requests say who asks and where to read about it, and carry nothing of anybody', async () => {
      await inspectAnswered(server(), [at('/who')])
      const { headers } = sites.received.findLast(({ path }) => path === '/who')!
      expect(headers['user-agent']).toMatch(/^Openall\/\d+\.\d+\.\d+ \(\+http:\/\/localhost:\d+\/docs\/checks\)$/)
      expect([headers.cookie, headers.authorization, headers.referer, headers['accept-encoding']]).toEqual([
        ...Array(3).fill(undefined),
        'identity',
      ])
      const page = await new Visitor(server()).fetch('/docs/checks')
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('User-Agent')])
    })

    test('it takes 1 to 25 web addresses, and names what is none', async () => {
      expect(await inspect(person, [])).toMatchObject({ status: 400, body: { code: 'INVALID_URLS' } })
      expect(await inspect(person, Array(26).fill(at('/plan')))).toMatchObject({ status: 400 })
      const { status, body } = await inspect(person, [at('/plan'), 'ftp://a.example'])
      expect([status, body]).toMatchObject([400, { code: 'INVALID_URLS', error: expect.stringContaining('urls[1]') }])
      const odd = ['http://user:word@localhost/', 'http://localhost:22/']
      const problem = 'It was not looked at: its address has a password, or a port that web servers do not use.'
      expect((await inspect(person, odd)).body.links).toEqual(odd.map((url) => ({ url, ...UNSEEN, problem })))
    })

    test('an address that is longer than a link may be is not told as where one leads', async () => {
      const { body } = await inspectAnswered(server(), [at('/far')])
      expect(body.links).toEqual([
        { url: at('/far'), finalUrl: null, status: 200, title: 'The plan', icon: null, problem: null },
      ])
    })

    test('a bundle of one site is looked at, and however many people ask, the site is not flooded', async () => {
      const { body: one } = await inspectAnswered(server(), Array(25).fill(at('/plan')))
      expect(one.links.map(({ title }) => title)).toEqual(Array(25).fill('The plan'))
      const people = await Promise.all(Array.from({ length: 6 }, () => newPerson(server())))
      const [before, began] = [sites.received.length, performance.now()]
      const answers = await Promise.all(people.map((one) => inspect(one, Array(25).fill(at('/plan')))))
      const seconds = (performance.now() - began) / 1000
      expect(sites.received.length - before).toBeLessThanOrEqual(20 + Math.ceil(seconds * 10))
      const links = answers.flatMap(({ body }) => body.links)
      const busy = links.filter(({ problem }) =>
        problem?.startsWith('It was not looked at: too many links of its site'),
      )
      expect(busy.length).toBeGreaterThan(0)
      expect(busy[0]).toMatchObject(UNSEEN)
    })

    test('a person has 60 links looked at per minute, over all their sessions and keys', async () => {
      const busy = await newPerson(server())
      const program = await busy.program({ scopes: ['links:read'] })
      const many = Array(25).fill(at('/plan'))
      expect([(await inspect(busy, many)).status, (await inspect(program, many)).status]).toEqual([200, 200])
      expect((await inspect(busy, many.slice(0, 10))).status).toBe(200)
      const refused = await inspect(busy, [at('/plan')])
      expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', retryAfterSeconds: 60 } })
      expect(refused.headers.get('retry-after')).toBe('60')
    })
  })
})

describe('who may ask', () => {
  const asAnonymous = (server: Server) => inspect(new Visitor(server), ['http://localhost:22/'])
  onEveryTarget({}, (server) => {
    test('by default whoever has signed in', async () => {
      expect(await asAnonymous(server())).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
    })

    test('a private address takes as long as one that is unknown, and is told in the same words', async () => {
      const person = await newPerson(server())
      const redirecting = ['http://127.0.0.1:8081/', 'http://10.0.0.1/', 'http://[::1]/', 'http://nowhere.invalid/']
      const urls = [at('/plan'), ...redirecting, 'http://169.254.169.254/latest', 'http://0x7f000001/']
      const before = sites.received.length
      const took = await Promise.all(
        urls.map(async (url) => {
          const start = performance.now()
          const { body } = await inspect(person, [url])
          expect(body.links).toEqual([{ url, ...UNSEEN, problem: NO_ANSWER }])
          return performance.now() - start
        }),
      )
      // Never before its time is up, when whatever is silent would be given up.
      expect(took.filter((ms) => ms < 3_990)).toEqual([])
      expect(sites.received.slice(before)).toEqual([])
    })
  })
  onEveryTarget({ SERVICE_INSPECT: 'anyone' }, (server) => {
    test('anyone, where the operator allows it, 60 links per minute from an address', async () => {
      expect((await asAnonymous(server())).status).toBe(200)
      const links = Array(25).fill('http://localhost:22/')
      const answers = [1, 2, 3].map(() => inspect(new Visitor(server()), links))
      expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([200, 200, 429])
    })
  })
  onEveryTarget({ SERVICE_INSPECT: 'off' }, (server) => {
    test('nobody, where the operator has switched it off', async () => {
      const { status, body } = await inspect(await newPerson(server()), [at('/plan')])
      expect([status, body]).toMatchObject([403, { code: 'FORBIDDEN' }])
      expect((await asAnonymous(server())).status).toBe(401)
    })
  })
})
