import type { Type } from 'arktype'
import { linkAnswers } from '../bundles/content/answers.ts'
import { each, omit } from '../bundles/content/content.ts'
import { LINK_DOCS } from '../bundles/content/field-docs.ts'
import { type Link, linkField, linkOf, PUBLIC_LINK_NAMES, wholeLink } from '../bundles/links/link-fields.ts'
import { labelOf } from '../bundles/variables/variables.ts'
import { LauncherUrl, Slug } from '../core/fields.ts'
import { lazy } from '../core/lazy.ts'
import { object, says } from '../core/shape.ts'
import type { Site } from '../operations/operation.ts'
import { filledBundle } from './filling.ts'
import type { ViewerBundle } from './seen.ts'

/** A tab with all public fields of a link; null for a missing text. */
type LauncherTab = { url: string } & {
  -readonly [Name in (typeof PUBLIC_LINK_NAMES)[number]]: string extends Link[Name] ? string | null : Link[Name]
}

/** A bundle for viewers: the answer of GET /api/links/:slug/tabs and of /l/:slug.json. */
export const LauncherTabs = lazy(() =>
  object(
    {
      slug: Slug,
      url: LauncherUrl,
      title: says('string | null', 'The title, filled; null for none.', 'Customer 4711'),
      description: says('string | null', 'What the bundle is for, filled; null for none.', 'Everything about 4711.'),
      matchedRule: says(matchedRule().or('null'), 'The rule that you match, whose tabs these are; null if none.'),
      variables: says(variable().array(), 'What can be filled in.'),
      values: says({ '[string]': 'string' }, 'The values that are filled in, defaults included.', { id: '4711' }),
      missing: says('string[]', 'The names of variables that have no value: send these too.', []),
      invalid: says(refusedValue().array(), 'The values that were refused.', []),
      tabs: says(tab().array(), 'The tabs, in the order in which they are shown and opened.'),
    },
    'LauncherTabs',
  ),
)

export type LauncherTabs = ReturnType<typeof LauncherTabs>['infer']

const matchedRule = lazy(() =>
  object(
    {
      id: says('string', 'Identifies the rule.', 'r_4fGk2bNq8Z'),
      name: says('string | null', 'Its name; null if viewers do not see it.', 'Acme staff'),
    },
    'MatchedRule',
  ),
)

const variable = lazy(() =>
  object(
    {
      name: says('string', 'Its name in `values`, in {…} and in the link’s query.', 'id'),
      label: says('string', 'What to call it.', 'Customer number'),
      'example?': says('string', 'Shows what to fill in.', '4711'),
      'options?': says('string[]', 'The only values that it can have.', ['7d', '30d']),
    },
    'LauncherVariable',
  ),
)

const refusedValue = lazy(() =>
  object(
    {
      name: says('string', 'The variable.', 'range'),
      message: says('string', 'What to do about it.', 'Choose one of: 7d, 30d.'),
    },
    'RefusedValue',
  ),
)

const tab = lazy(() => {
  const answers = linkAnswers()
  const fields = each(PUBLIC_LINK_NAMES, (name): Type<unknown> => {
    const answer = answers[name] as unknown as Type<unknown>
    return says(linkField(name).kind === 'text' ? answer.or('null') : answer, ...LINK_DOCS[name])
  })
  const url = says('string', 'The tab’s URL, filled.', 'https://example.com/customers/4711')
  return object({ url, ...fields }, 'LauncherTab') as unknown as Type<LauncherTab>
})

const NOT_SHOWN = ['organization', 'isUnclaimed', 'hasRules', 'isProtected', 'isCopyable', 'siteIcons'] as const

/** A bundle as a viewer sees it, for programs. */
export function tabsOf({ bundle, filling }: Pick<ViewerBundle, 'bundle' | 'filling'>, site: Site): LauncherTabs {
  const { slug, urls, urlMetadata, variables, title, description, rule, ...rest } = filledBundle(bundle, filling)
  const { values, missing, invalid } = filling
  // A new field of viewers' bundles does not compile until it is added here.
  omit(NOT_SHOWN, rest) satisfies Record<string, never>
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
