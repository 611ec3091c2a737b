import type { Content } from '../../db/schema.ts'
import { oneLine, plain, print, styled } from './output.ts'

/** The content of a bundle, as it is saved or as it would be: then its rules may have no ids yet. */
type Printed = {
  [Name in keyof Content]: Name extends 'resolutionPolicy' ? { rules: { name: string }[] } | null : Content[Name]
}

/** How each part of the content is printed, in this order; null for what stands elsewhere. A new part must say where. */
const PARTS = {
  // The heading above all of it.
  title: null,
  description: printDescription,
  urls: printDestinations,
  // With its URL.
  urlMetadata: null,
  resolutionPolicy: printRules,
} satisfies Record<keyof Content, ((content: Printed) => void) | null>

/** Prints what stands below the heading of a bundle. */
export function printContent(content: Printed): void {
  for (const part of Object.values(PARTS)) part?.(content)
}

function printDescription({ description }: Printed): void {
  if (description !== null) print(`\n${plain(description)}`)
}

function printDestinations({ urls, urlMetadata }: Printed): void {
  print()
  for (const [index, url] of urls.entries()) {
    const { note = '', tags = [], openPolicy } = urlMetadata[index] ?? {}
    print(`${String(index + 1).padStart(2)}. ${oneLine(url)}`)
    const beside = [oneLine(note), ...tags.map((tag) => `#${oneLine(tag)}`), openPolicy === 'manual' ? '(manual)' : '']
    const text = beside.filter((piece) => piece !== '').join(' ')
    if (text !== '') print(styled('dim', `    ${text}`))
  }
}

function printRules({ resolutionPolicy }: Printed): void {
  const names = resolutionPolicy?.rules.map(({ name }) => oneLine(name)) ?? []
  if (names.length > 0) print(`\n${names.length} rule${names.length === 1 ? '' : 's'}: ${names.join(', ')}`)
}
