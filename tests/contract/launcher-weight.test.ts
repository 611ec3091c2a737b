import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { asset, assetNames } from '../../views/parts/static.ts'
import { ORDINARY } from '../browser/ordinary.ts'
import { onEveryTarget } from '../targets.ts'
import { newSlug } from './support.ts'

/** As README.md and the home page say it. */
const LIMIT = { bytes: 13 * 1024, words: 'is at most 13 KB including style, script and icon' }

/** What a browser with scripts loads for a page besides itself: those for others are in `noscript`. */
const LOADED = /<(?:script src|link rel="(?:icon|stylesheet)" href)="([^"]+)"/g

/** A script as it is without comments and white space, and without what makes it a module. */
const bare = (script: string) => {
  const plain = script.replace(/^import [^;]*?'\n/gm, '').replace(/^export /gm, '')
  return new Bun.Transpiler({ loader: 'js', minifyWhitespace: true }).transformSync(plain).replace(/;\s*$/, '')
}

onEveryTarget({}, (server) => {
  const load = async (path: string, encoding = 'br') => {
    const options = { headers: { 'accept-encoding': encoding }, decompress: false }
    const answer = await fetch(server().origin + path, options)
    expect([path, answer.status, answer.headers.get('content-encoding')]).toEqual([
      path,
      200,
      encoding === 'br' ? 'br' : null,
    ])
    return new Uint8Array(await answer.arrayBuffer())
  }
  const text = async (path: string) => new TextDecoder().decode(await load(path, 'identity'))

  /** A page, and how many bytes it is as sent with all that a browser loads for it. */
  const weigh = async (path: string) => {
    const page = await load(path)
    const html = brotliDecompressSync(page).toString()
    const loaded = Array.from(html.replace(/<noscript>.*?<\/noscript>/gs, '').matchAll(LOADED), ([, path = '']) => path)
    const parts = await Promise.all(loaded.map((path) => load(path)))
    return { html, loaded, bytes: [page, ...parts].reduce((sum, { length }) => sum + length, 0) }
  }

  test('a launcher of 25 ordinary links is as light as README.md and the home page say, with all that a browser loads for it', async () => {
    const { html, loaded, bytes } = await weigh(`/l/${await newSlug(server(), ORDINARY)}`)
    expect(html.match(/<a class="tab"/g)).toHaveLength(25)
    expect(loaded.map((path) => path.replace(/^.*\.(?=\w+$)/, '')).sort()).toEqual(['css', 'js', 'svg'])
    expect(bytes).toBeLessThanOrEqual(LIMIT.bytes)
    expect(readFileSync('README.md', 'utf8').replace(/\s+/g, ' ')).toContain(LIMIT.words)
    expect((await text('/')).replace(/\s+/g, ' ')).toContain(LIMIT.words)
  })

  test('one with variables is at most 20 KB with all of it, blank, filled and refused', async () => {
    const slug = await newSlug(server(), {
      ...ORDINARY,
      title: 'Launch of {product} in {region}',
      variables: [
        { name: 'product', label: 'Name of the product' },
        { name: 'region', options: ['eu', 'us'] },
      ],
      urls: ORDINARY.urls.map((url) => {
        const [before, fragment] = url.split('#')
        const filled = `${before}${url.includes('?') ? '&' : '?'}product={product}`
        return fragment === undefined ? filled : `${filled}#${fragment}`
      }),
    })
    for (const query of ['', '?product=Desk+lamp&region=eu', '?product=..']) {
      const { html, bytes } = await weigh(`/l/${slug}${query}`)
      expect(html.match(/data-link=/g)).toHaveLength(25)
      expect([query, bytes <= 20 * 1024, bytes]).toEqual([query, true, bytes])
    }
  })

  test('styles and scripts are sent without their comments and margins, and are otherwise what is in views/', async () => {
    const names = assetNames.filter((name) => /\.(?:css|js)$/.test(name) && name !== 'htmx.js')
    const sent = await Promise.all(names.map((name) => text(asset(name))))
    expect(sent.filter((body) => /\/\*|^[ \t]|^\/\//m.test(body))).toEqual([])
    const sentScripts = sent.filter((_, at) => names[at]?.endsWith('.js'))
    // No name of a module is one of the page's.
    expect(sentScripts.filter((body) => !/^\(\(\)=>\{'use strict';\n.*\n\}\)\(\)\n$/s.test(body))).toEqual([])
    const scripts = sentScripts.map(bare)
    const sources = [
      ...new Bun.Glob('**/*.js').scanSync('views'),
      '../src/core/template.js',
      '../src/core/fixed-links.js',
      '../src/core/dates.js',
    ]
    expect(sources.length).toBeGreaterThan(15)
    const isSent = (source: string) => {
      const script = bare(readFileSync(source, 'utf8')).replace(/(?<=")static:([\w-]+\.\w+)(?=")/g, (_, name) =>
        asset(name),
      )
      return scripts.some((sent) => sent.includes(script))
    }
    expect(sources.filter((source) => !isSent(`views/${source}`))).toEqual([])
  })
})
