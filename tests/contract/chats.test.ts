import { expect, test } from 'bun:test'
import { newPerson } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// What chats ask of a page before they show a card of it, by what they document (docs/sharing.md).

const AGENTS = {
  Slack: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  Discord: 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  Teams: 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
  'WhatsApp and Signal': 'WhatsApp/2.23.20.0 A',
  iMessage:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
  Telegram: 'TelegramBot (like TwitterBot)',
  LinkedIn: 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  Mastodon: 'Mastodon/4.3.0 (http.rb/5.2.0; +https://mastodon.example/) Bot',
  X: 'Twitterbot/1.0',
}

onEveryTarget({}, (server) => {
  test('each chat gets the same head, whole within what it reads, and a picture within its limits', async () => {
    const owner = await newPerson(server())
    const urls = Array.from({ length: 25 }, (_, at) => `https://site-${at}.example/${'long'.repeat(100)}`)
    const title = 'The plan & “everything” <else>'.padEnd(200, ' more')
    const { url } = await owner.makeBundle({ title, description: 'Words '.repeat(300), urls })
    const heads = new Set<string>()
    for (const [chat, agent] of Object.entries(AGENTS)) {
      const headers = { 'user-agent': agent, accept: chat === 'Mastodon' ? 'text/html' : '*/*' }
      const answer = await fetch(url, { headers, redirect: 'manual' })
      expect([chat, answer.status, answer.headers.get('content-type')]).toEqual([chat, 200, 'text/html; charset=utf-8'])
      const html = await answer.text()
      const [head = ''] = html.split('</head>', 1)
      heads.add(head)
      // Slack asks for the first 32 KB, WhatsApp reads 300.
      expect([chat, Buffer.byteLength(head) < 32 * 1024]).toEqual([chat, true])
      const meta = (name: string) =>
        [...head.matchAll(/<meta (?:property|name)="([^"]+)" content="([^"]*)"/g)].find(([, is]) => is === name)?.[2] ??
        ''
      for (const name of ['og:title', 'og:description', 'og:url', 'og:image', 'og:image:alt']) {
        expect([chat, name, meta(name) !== '']).toEqual([chat, name, true])
      }
      expect([meta('og:type'), meta('twitter:card')]).toEqual(['website', 'summary_large_image'])
      expect([meta('og:image:type'), meta('og:image:width'), meta('og:image:height')]).toEqual([
        'image/png',
        '1200',
        '630',
      ])
      // WhatsApp wants the title without the service's name, and Discord drops a card with a longer name.
      expect(meta('og:title')).not.toContain('Openall')
      expect(Buffer.byteLength(meta('og:site_name'))).toBeLessThan(254)
      expect(meta('og:description').length).toBeLessThan(1000)
      const image = meta('og:image').replaceAll('&amp;', '&')
      expect(image).toStartWith(`${server().origin}/`)
      const picture = await fetch(image, { headers: { 'user-agent': agent, accept: 'image/*' }, redirect: 'manual' })
      expect([chat, picture.status, picture.headers.get('content-type')]).toEqual([chat, 200, 'image/png'])
      expect(picture.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(picture.headers.get('content-length')).toBe(String((await picture.arrayBuffer()).byteLength))
    }
    expect(heads.size).toBe(1)
  })

  test('robots.txt lets them read links and pictures', async () => {
    const lines = (await (await fetch(`${server().origin}/robots.txt`)).text()).split('\n')
    expect(lines.filter((line) => /^Disallow: \/(?:l\/|\s*$)/.test(line))).toEqual([])
  })
})
