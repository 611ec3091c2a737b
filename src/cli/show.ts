import type { Bundle } from './bundles.ts'
import { documentOf, ownMetadata } from './document.ts'
import { commandFor } from './operation-command.ts'
import { minute, oneLine, plain, print, styled } from './output.ts'
import { printContent } from './print-content.ts'

export const show = commandFor('get_bundle', {
  summary: 'Show a bundle in full',
  examples: ['openall show 4k2mz7qy9p', 'openall show https://openall.example/l/4k2mz7qy9p --json'],
  args: { yaml: { type: 'boolean', description: 'Print it as openall apply reads it' } },
  say(bundle, { args }) {
    if (args.yaml) return printYaml(bundle)
    const { title, slug, url, versionNumber, createdAt, updatedAt } = bundle
    print(styled('bold', oneLine(title ?? slug)))
    print(oneLine(url))
    printContent(bundle)
    printOwn(bundle)
    print()
    print(styled('dim', `version ${versionNumber}, created ${minute(createdAt)}, updated ${minute(updatedAt)} UTC`))
  },
})

/** Prints what a bundle has for its owner alone. */
function printOwn(bundle: Bundle): void {
  const entries = [
    ...(bundle.externalId ? [['ID', bundle.externalId]] : []),
    ...Object.entries(ownMetadata(bundle) ?? {}),
  ]
  for (const [index, [key, value]] of entries.entries())
    print(`${index === 0 ? '\n' : ''}${key}: ${oneLine(value ?? '')}`)
}

/** Prints a bundle as a document of its own, so that several can be appended to one file. */
async function printYaml(bundle: Bundle): Promise<void> {
  const { stringify } = await import('yaml')
  const { resolutionPolicy, ...document } = documentOf(bundle)
  // An id of a rule belongs to this bundle for good, and elsewhere is refused; without, a rule is the one with its name.
  const rules = resolutionPolicy?.rules.map(({ id: _, ...rule }) => rule)
  const policy = resolutionPolicy && { ...resolutionPolicy, rules }
  print(plain(`---\n${stringify({ slug: bundle.slug, ...document, resolutionPolicy: policy })}`.trimEnd()))
}
