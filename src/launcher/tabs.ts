import { linkOf } from '../bundles/link.ts'
import { PUBLIC_LINK_NAMES, wholeLink } from '../bundles/link-fields.ts'
import { labelOf } from '../bundles/variables.ts'
import type { Site } from '../operations/operation.ts'
import type { LauncherTab, LauncherTabs } from './answers.ts'
import { filledBundle } from './filling.ts'
import type { ViewerBundle } from './seen.ts'

/** What a viewer sees of a bundle, for programs. */
export function tabsOf({ bundle, filling }: Pick<ViewerBundle, 'bundle' | 'filling'>, site: Site): LauncherTabs {
  const { slug, urls, urlMetadata, variables, title, description, rule, ...rest } = filledBundle(bundle, filling)
  const { values, missing, invalid } = filling
  const {
    organization: _,
    isUnclaimed: __,
    hasRules: ___,
    isProtected: ____,
    isCopyable: _____,
    siteIcons: ______,
    ...forgotten
  } = rest
  // A new field that viewers may see does not compile until this has it.
  forgotten satisfies Record<string, never>
  return {
    slug,
    url: linkOf(slug, site),
    title,
    description,
    matchedRule: rule === null ? null : { id: rule.id, name: rule.badge },
    variables: variables.map(({ default: _, ...variable }) => ({ ...variable, label: labelOf(variable) })),
    values,
    missing: [...missing],
    invalid: [...invalid],
    tabs: urls.map((url, index) => {
      const link = wholeLink(url, urlMetadata[index])
      return Object.fromEntries(
        (['url', ...PUBLIC_LINK_NAMES] as const).map((name) => [name, link[name] === '' ? null : link[name]]),
      ) as LauncherTab
    }),
  }
}
