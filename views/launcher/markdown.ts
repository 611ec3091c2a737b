import { type LinkSite, linkOf } from '../../src/bundles/link.ts'
import { publicMarksOf } from '../../src/bundles/link-marks.ts'
import { sectionsOf } from '../../src/bundles/sections.ts'
import { type Filling, fillText, isComplete } from '../../src/core/template.js'
import { asSentence } from '../../src/core/words.ts'
import { filledBundle } from '../../src/launcher/filling.ts'
import type { PublicBundle } from '../../src/launcher/served.ts'
import { destination } from '../parts/destination.ts'
import { inline, stressedLines } from '../parts/markdown.ts'
import { headingOf } from './launcher.tsx'

/** A launcher as Markdown: what its page shows, for agents and terminals. */
export function launcherMarkdown(bundle: PublicBundle, filling: Filling, site: LinkSite): string {
  // Texts that may stress words are filled piece by piece, so that no value does.
  const { description, urlMetadata: written } = bundle
  const {
    slug,
    urls,
    urlMetadata,
    variables,
    title,
    description: _filled,
    rule,
    isUnclaimed,
    ...rest
  } = filledBundle(bundle, filling)
  const fill = (text: string) => (isComplete(filling) ? fillText(text, filling.values) : text)
  const { organization: _, hasRules: __, isProtected: ___, isCopyable: ____, siteIcons: _____, ...forgotten } = rest
  // A new field that viewers may see does not compile until this has it.
  forgotten satisfies Record<string, never>
  const badge = rule?.badge ?? null
  const sections = sectionsOf({ urls, urlMetadata })
  const parts = [
    `# ${inline(headingOf({ title, urls }))}`,
    ...(description ? [stressedLines(description, fill).join('  \n')] : []),
    ...(badge === null ? [] : [`For: ${inline(badge)}`]),
    ...(isUnclaimed ? ['Made without an account: nobody vouches for these links.'] : []),
    ...(isComplete(filling) ? [] : [howToFill(linkOf(slug, site), variables, filling)]),
    ...sections.flatMap(({ name, from, urls, urlMetadata }, index) => [
      // Without a heading, these would seem to belong to the section above.
      ...(name !== '' ? [`## ${inline(name)}`] : index > 0 ? ['---'] : []),
      urls
        .map((url, at) => tab(url, urlMetadata[at] ?? {}, stressedLines(written[from + at]?.note ?? '', fill)))
        .join('\n'),
    ]),
    `The page of this list: <${linkOf(slug, site)}>`,
  ]
  return `${parts.join('\n\n')}\n`
}

/** How to ask for it filled, and what is wrong with what was asked. */
function howToFill(link: string, variables: PublicBundle['variables'], { invalid }: Filling): string {
  const wrong = new Map(invalid.map(({ name, message }) => [name, message]))
  const names = variables.map(({ name, label, example, options, default: value }) => {
    const said = [
      ...(label === undefined ? [] : [inline(label)]),
      ...(options === undefined ? [] : [`one of ${options.map(inline).join(', ')}`]),
      ...(example === undefined ? [] : [`such as ${inline(example)}`]),
      ...(value === undefined ? [] : [`by default ${inline(value)}`]),
    ]
    const message = wrong.get(name)
    return `- \`${name}\`${said.length === 0 ? '' : `: ${said.join('; ')}`}${message === undefined ? '' : `. ${inline(message)}`}`
  })
  const query = variables.map(({ name }) => `${name}=…`).join('&')
  return [`These links have blanks to fill in. Ask for \`${link}.md?${query}\`:`, names.join('\n')].join('\n\n')
}

function tab(url: string, metadata: PublicBundle['urlMetadata'][number], note: readonly string[]): string {
  const { tags = [] } = metadata
  const [first, ...more] = note
  const { host } = destination(url)
  const details = [
    ...more,
    ...(tags.length === 0 ? [] : [`Tags: ${tags.map(inline).join(', ')}`]),
    ...publicMarksOf(metadata).map((mark) => `${inline(asSentence(mark))}.`),
  ]
  // The note is not the link’s text: readers disagree on escaped brackets there.
  const link = `- [${inline(host)}](${target(url)})${first === undefined ? '' : `: ${first}`}`
  return [link, ...details.map((line) => `  ${line}`)].join('  \n')
}

/** A URL as the target of a link. Parsed, so that it has no spaces and no angle brackets. */
function target(url: string): string {
  const { href } = destination(url)
  const escaped = href.replace(/[\\`]|&(?=#|\w+;)/g, '\\$&')
  return /[()]/.test(escaped) ? `<${escaped}>` : escaped
}
