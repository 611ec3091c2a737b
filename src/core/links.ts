import type { Path } from './issue.ts'

/** A bundle as far as its links go, those of its rules too, saved or not. */
export interface Linking {
  urls: readonly string[]
  resolutionPolicy: { rules: readonly { tabs: readonly { url: string }[] }[] } | null
}

/** Every link of a bundle, with its path in the API: its own first, then those of each rule. */
export function everyLink({ urls, resolutionPolicy }: Linking): { url: string; path: Path }[] {
  const rules = resolutionPolicy?.rules ?? []
  return [
    ...urls.map((url, at) => ({ url, path: ['urls', at] })),
    ...rules.flatMap(({ tabs }, rule) =>
      tabs.map(({ url }, at) => ({ url, path: ['resolutionPolicy', 'rules', rule, 'tabs', at, 'url'] })),
    ),
  ]
}
