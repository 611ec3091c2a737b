import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startServer } from '../server.ts'
import { openChromium } from './chromium.ts'
import { prepareWorld, type Scene, scenes } from './scenes.ts'
import { watchRequests } from './waiting.ts'

// `bun run readme-pictures`: makes the pictures of the README anew from the service: the one that moves is the home page's.
const FOLDER = join(import.meta.dir, '../../docs')
const TALL = 1200
const PICTURES: [name: string, scene: Scene, height: number][] = [
  ['launcher', scenes.launcher, 940],
  ['editor', scenes.bundle, 860],
  ['insights', scenes.insights, TALL],
]

const server = await startServer()
const world = await prepareWorld(server)
const browser = await openChromium({ popups: 'allowed' })
for (const [name, scene, height] of PICTURES) {
  const context = await browser.newContext({ viewport: { width: 1280, height }, colorScheme: 'light' })
  const page = await context.newPage()
  const quiet = watchRequests(page)
  await scene(page, world)
  await quiet()
  await page.screenshot({ path: join(FOLDER, `${name}.png`) })
  await context.close()
}
const page = await browser.newPage()
await page.goto(server.origin)
await Bun.write(join(FOLDER, 'one-press.svg'), await movingPicture(page))
await browser.close()
await server.stop()
process.exit()

/** The drawing of the home page with its styles, as a file of its own. */
function movingPicture(page: Page): Promise<string> {
  return page.evaluate(() => {
    const svg = document.querySelector('.magic > svg')
    if (!(svg instanceof SVGElement)) throw new Error('the home page has no drawing')
    const markup = svg.innerHTML
    const used = new Set(markup.match(/--[\w-]+/g))
    const parts = [...svg.querySelectorAll('*')]
    const kept = (rules: CSSRuleList): string[] =>
      [...rules].flatMap((rule) => {
        // Those of the drawing stand where motion is welcome.
        if (rule instanceof CSSKeyframesRule) return rule.parentRule === null ? [] : [rule.cssText]
        if (rule instanceof CSSMediaRule) {
          const inside = /width|pointer|forced/.test(rule.conditionText) ? [] : kept(rule.cssRules)
          return inside.length === 0 ? [] : [`@media ${rule.conditionText} {\n${inside.join('\n')}\n}`]
        }
        if (!(rule instanceof CSSStyleRule)) return []
        if (rule.selectorText === ':root') {
          const own = [...rule.style].filter((name) => used.has(name))
          return own.length === 0
            ? []
            : [`:root { ${own.map((name) => `${name}: ${rule.style.getPropertyValue(name)};`).join(' ')} }`]
        }
        const isOwn = /\.(?:fan|threads|press|hand|magic g)/.test(rule.selectorText)
        return isOwn && parts.some((part) => part.matches(rule.selectorText)) ? [rule.cssText] : []
      })
    const sans = getComputedStyle(document.documentElement).getPropertyValue('--sans')
    const rules = [...document.styleSheets].flatMap((sheet) => kept(sheet.cssRules))
    const style = [`text { font-family: ${sans}; }`, ...rules].join('\n')
    const [box, label] = [svg.getAttribute('viewBox'), svg.getAttribute('aria-label')]
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" class="magic" viewBox="${box}" width="720" height="396" role="img" aria-label="${label}">`,
      `<style>\n${style}\n</style>`,
      new XMLSerializer()
        .serializeToString(svg)
        .replace(/^<svg[^>]*>/, '')
        .replace(/<\/svg>$/, ''),
      '</svg>\n',
    ].join('\n')
  })
}
