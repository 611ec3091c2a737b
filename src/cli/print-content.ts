import type { Content } from '../../db/schema.ts'
import { CAN_COPY } from '../bundles/content/content.ts'
import { plainMarksOf } from '../bundles/links/link-fields.ts'
import { labelOf } from '../bundles/variables/variables.ts'
import type { Bundle } from './document.ts'
import { documentOf, ownMetadata } from './document.ts'
import { minute, oneLine, plain, print, styled } from './output.ts'

/** The content of a bundle, saved or from a dry run, where rules may have no ids yet. */
type Printed = {
  [Name in keyof Content]: Name extends 'resolutionPolicy' ? { rules: { name: string }[] } | null : Content[Name]
}

/** How to print each part of the content, in this order; null if it is printed elsewhere. */
const PARTS = {
  // Printed as the heading.
  title: null,
  description: printDescription,
  opensAt: printTimes,
  // Printed with the opening time.
  closesAt: null,
  closedNote: null,
  access: printAccess,
  copyable: printCopyable,
  icons: null,
  listed: printListed,
  variables: printVariables,
  urls: printDestinations,
  urlMetadata: null,
  resolutionPolicy: printRules,
} satisfies Record<keyof Content, ((content: Printed) => void) | null>

export function printContent(content: Printed): void {
  for (const part of Object.values(PARTS)) part?.(content)
}

function printDescription({ description }: Printed): void {
  if (description !== null) print(`\n${plain(description)}`)
}

function printTimes({ opensAt, closesAt, closedNote }: Printed): void {
  const times = [opensAt && `opens ${minute(opensAt)} UTC`, closesAt && `closes ${minute(closesAt)} UTC`]
  const said = times.filter((time) => time !== null).join(', ')
  if (said !== '') print(`\n${said}`)
  if (closedNote !== null) print(`after closing: ${plain(closedNote)}`)
}

function printAccess({ access }: Printed): void {
  if (access === 'members') print('\nonly members can see it')
  if (access === 'password') print('\nviewers need its password')
}

function printCopyable({ copyable }: Printed): void {
  if (copyable) print(`\n${CAN_COPY}`)
}

function printListed({ listed }: Printed): void {
  if (listed) print('\non the start page')
}

function printVariables({ variables }: Printed): void {
  for (const [index, { name, options, default: value, ...variable }] of variables.entries()) {
    const what = options === undefined ? '' : ` (${options.map(oneLine).join(', ')})`
    const otherwise = value === undefined ? '' : `, by default ${oneLine(value)}`
    print(`${index === 0 ? '\n' : ''}{${name}}: ${oneLine(labelOf({ name, ...variable }))}${what}${otherwise}`)
  }
}

function printDestinations({ urls, urlMetadata }: Printed): void {
  print()
  let heading = ''
  for (const [index, url] of urls.entries()) {
    const metadata = urlMetadata[index] ?? {}
    const { note = '', section = '', tags = [] } = metadata
    if (section !== heading) print(styled('bold', section === '' ? '' : oneLine(section)))
    heading = section
    print(`${String(index + 1).padStart(2)}. ${oneLine(url)}`)
    const marks = plainMarksOf(metadata).map((mark) => `(${oneLine(mark)})`)
    const extras = [oneLine(note), ...tags.map((tag) => `#${oneLine(tag)}`), ...marks]
    const text = extras.filter((piece) => piece !== '').join(' ')
    if (text !== '') print(styled('dim', `    ${text}`))
  }
}

function printRules({ resolutionPolicy }: Printed): void {
  const names = resolutionPolicy?.rules.map(({ name }) => oneLine(name)) ?? []
  if (names.length > 0) print(`\n${names.length} rule${names.length === 1 ? '' : 's'}: ${names.join(', ')}`)
}

/** Prints a bundle in full. */
export function printBundle(bundle: Bundle): void {
  const { title, slug, url, versionNumber, createdAt, updatedAt } = bundle
  print(styled('bold', oneLine(title ?? slug)))
  print(oneLine(url))
  printContent(bundle)
  printOwn(bundle)
  print()
  print(styled('dim', `version ${versionNumber}, created ${minute(createdAt)}, updated ${minute(updatedAt)} UTC`))
}

/** Prints a bundle's unversioned fields, which only its owner sees. */
function printOwn(bundle: Bundle): void {
  const entries = [
    ...(bundle.aliases.length === 0 ? [] : [['Also at', bundle.aliases.join(', ')]]),
    ...(bundle.externalId ? [['ID', bundle.externalId]] : []),
    ...Object.entries(ownMetadata(bundle) ?? {}),
  ]
  for (const [index, [key, value]] of entries.entries())
    print(`${index === 0 ? '\n' : ''}${key}: ${oneLine(value ?? '')}`)
}

/** Prints a bundle as a document of its own, so that several can be appended to one file. */
export async function printYaml(bundle: Bundle): Promise<void> {
  const { stringify } = await import('yaml')
  const { resolutionPolicy, ...document } = documentOf(bundle)
  // A rule's id belongs to this bundle for good and is refused elsewhere; without it, a rule is identified by its name.
  const rules = resolutionPolicy?.rules.map(({ id: _, ...rule }) => rule)
  const policy = resolutionPolicy && { ...resolutionPolicy, rules }
  print(plain(`---\n${stringify({ slug: bundle.slug, ...document, resolutionPolicy: policy })}`.trimEnd()))
}
