import { type Type, type } from 'arktype'
import { linkAnswers } from '../bundles/answers.ts'
import { each } from '../bundles/content.ts'
import { type Link, linkField, PUBLIC_LINK_NAMES } from '../bundles/link-fields.ts'
import { lazy } from '../core/lazy.ts'

/** A tab with all fields of a link that viewers are told of; null for a text that it has not. */
export type LauncherTab = { url: string } & {
  -readonly [Name in (typeof PUBLIC_LINK_NAMES)[number]]: string extends Link[Name] ? string | null : Link[Name]
}

/** What viewers see of a bundle: the answer of GET /api/links/:slug/tabs and of /l/:slug.json. */
export const LauncherTabs = lazy(() =>
  type({
    slug: 'string',
    url: 'string',
    title: 'string | null',
    description: 'string | null',
    matchedRule: type({ id: 'string', name: 'string | null', '+': 'reject' })
      .configure({ named: 'MatchedRule' }, 'self')
      .or('null'),
    variables: type({
      name: 'string',
      label: 'string',
      'example?': 'string',
      'options?': 'string[]',
      '+': 'reject',
    })
      .configure({ named: 'LauncherVariable' }, 'self')
      .array(),
    values: { '[string]': 'string' },
    missing: 'string[]',
    invalid: type({ name: 'string', message: 'string', '+': 'reject' })
      .configure({ named: 'RefusedValue' }, 'self')
      .array(),
    tabs: tab().array(),
    '+': 'reject',
  }).configure({ named: 'LauncherTabs' }, 'self'),
)

export type LauncherTabs = ReturnType<typeof LauncherTabs>['infer']

const tab = lazy(() => {
  const answers = linkAnswers()
  const fields = each(PUBLIC_LINK_NAMES, (name): Type<unknown> => {
    const answer = answers[name] as unknown as Type<unknown>
    return linkField(name).kind === 'text' ? answer.or('null') : answer
  })
  return type({ url: 'string', ...fields, '+': 'reject' }).configure(
    { named: 'LauncherTab' },
    'self',
  ) as unknown as Type<LauncherTab>
})
