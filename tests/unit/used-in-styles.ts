import { featureAt } from './support.ts'

/** What a style sheet uses. */
export interface Styles {
  /** Places in the data. */
  features: Set<string>
  /** Selector lists with a part that some browsers drop together with the rest of the list. */
  lists: string[][]
}

/** Functions and units whose place in the data is not their name's. */
const ELSEWHERE: Record<string, string> = {
  'linear-gradient': 'types/gradient/linear-gradient',
  'radial-gradient': 'types/gradient/radial-gradient',
  'color-mix': 'types/color/color-mix',
  'light-dark': 'types/color/light-dark',
  rgb: 'types/color/rgb',
  hsl: 'types/color/hsl',
  oklch: 'types/color/oklch',
  polygon: 'types/basic-shape/polygon',
  inset: 'types/basic-shape/inset',
  circle: 'types/basic-shape/circle',
}

/** Reads the rules of a style sheet without comments in order. */
export function usedInStyles(styles: string): Styles {
  const features = new Set<string>()
  const lists: string[][] = []
  const use = (...paths: string[]) => {
    for (const path of paths) if (featureAt(`css/${path}`) !== undefined) features.add(`css/${path}`)
  }
  const outer: string[] = []
  const plain = styles.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/"[^"]*"/g, '""')
  for (const [, before = '', end] of plain.matchAll(/([^{};]*)([{};])/g)) {
    const text = before.trim()
    if (end === '{') {
      if (text.startsWith('@')) condition(text, use)
      else {
        const selectors = text.split(/,(?![^(]*\))/).map((selector) => selector.trim())
        lists.push(selectors)
        for (const [, name = ''] of text.matchAll(/::?([\w-]+)/g)) use(`selectors/${name}`)
        if (outer.some((rule) => !rule.startsWith('@'))) use('selectors/nesting')
      }
      outer.push(text)
      continue
    }
    if (text.includes(':')) declaration(text, use)
    if (end === '}') outer.pop()
  }
  return { features, lists }
}

type Use = (...paths: string[]) => void

function condition(text: string, use: Use): void {
  const [, rule = '', rest = ''] = /^@([\w-]+)\s*(.*)$/s.exec(text) ?? []
  use(`at-rules/${rule}`)
  for (const [, name = ''] of rest.matchAll(/([\w-]+)\s*[:)<>]/g))
    use(`at-rules/${rule}/${name.replace(/^(?:min|max)-/, '')}`)
  if (/[<>]/.test(rest)) use(`at-rules/${rule}/range_syntax`)
  if (rest.includes('scroll-state(')) use(`at-rules/${rule}/scroll-state_queries`)
}

function declaration(text: string, use: Use): void {
  const [, property = '', value = ''] = /^([\w-]+)\s*:\s*(.*)$/s.exec(text) ?? []
  use(`properties/${property}`)
  for (const [word] of value.matchAll(/[a-z][\w-]*/gi)) use(`properties/${property}/${word}`)
  for (const [, name = ''] of value.matchAll(/([\w-]+)\(/g)) use(`types/${name}`, ELSEWHERE[name] ?? '')
  for (const [, unit = ''] of value.matchAll(/\d([a-z]+)\b/g)) {
    if (/^[dls]v/.test(unit))
      use(`types/length/viewport_percentage_units_${{ d: 'dynamic', l: 'large', s: 'small' }[unit[0] as 'd']}`)
    else if (unit.startsWith('cq')) use('types/length/container_query_length_units')
    else use(`types/length/${unit}`)
  }
}
