import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Glob } from 'bun'

/** What browsers of the last three years lack, and what to write instead; in styles without comments. */
const MISSING_IN_STYLES: [what: RegExp, instead: string][] = [
  [/light-dark\(/, 'a custom property, set again in a query of prefers-color-scheme'],
  [/@(?:scope|layer|starting-style|property)\b/, 'plain rules'],
  [/@(?:media|container)[^{]*[^(]\b\w+\s*[<>]/, 'min-width and max-width'],
]

/** The same in scripts. */
const MISSING_IN_SCRIPTS: [what: RegExp, instead: string][] = [
  [/\.role = /, 'setAttribute'],
  [/\.size === 0 \?/, 'String(query)'],
  [/\b(?:Object|Map)\.groupBy|Promise\.withResolvers|\.moveBefore\(|\.checkVisibility\(/, 'the longer form'],
]

const files = (kind: string) => [...new Glob(`views/**/*.${kind}`).scanSync('.')]

test.each(files('css'))('%s has no rule that older browsers drop without a plain one beside it', (path) => {
  const styles = readFileSync(path, 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
  for (const [what, instead] of MISSING_IN_STYLES) if (what.test(styles)) throw new Error(`${what}: use ${instead}`)
  for (const { selectors, isNested } of rulesOf(styles)) {
    expect(isNested, `nested: ${selectors.join()}`).toBe(false)
    // Where `:has()` is unknown, the whole list is ignored.
    const withHas = selectors.filter((selector) => selector.includes(':has('))
    expect([0, selectors.length], `apart from the others: ${withHas.join()}`).toContain(withHas.length)
  }
})

test.each(files('js'))('%s calls nothing that older browsers lack', (path) => {
  const script = readFileSync(path, 'utf8')
  for (const [what, instead] of MISSING_IN_SCRIPTS) if (what.test(script)) throw new Error(`${what}: use ${instead}`)
})

/** The rules of a style sheet, and whether each is inside another. */
function rulesOf(styles: string): { selectors: string[]; isNested: boolean }[] {
  const rules: { selectors: string[]; isNested: boolean }[] = []
  const outer: string[] = []
  for (const [, before = '', brace] of styles.matchAll(/([^{};]*)([{};])/g)) {
    const head = before.trim()
    if (brace === '}') outer.pop()
    if (brace !== '{') continue
    if (!head.startsWith('@')) {
      const isNested = outer.some((selector) => !selector.startsWith('@'))
      // A comma in brackets does not separate.
      rules.push({ selectors: head.split(/,(?![^(]*\))/).map((text) => text.trim()), isNested })
    }
    outer.push(head)
  }
  return rules
}
