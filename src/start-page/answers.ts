import { organization, toOrganization } from '../accounts/operations.ts'
import { BOUNDS } from '../bundles/content/content.ts'
import { CONTENT_DOCS } from '../bundles/content/field-docs.ts'
import type { Config } from '../config/config.ts'
import { BundleTitle, LauncherUrl, Slug } from '../core/fields.ts'
import { lazy } from '../core/lazy.ts'
import { NextCursor } from '../core/paging.ts'
import { routes } from '../core/routes.ts'
import { object, says } from '../core/shape.ts'
import { line } from '../core/text-shapes.ts'
import type { ListedBundle, StartPage } from './listed.ts'

/** What listed bundles must contain. */
export const filter = {
  'q?': says(line(BOUNDS.title), 'Text that the bundles contain, ignoring case.', 'lunch'),
  'tag?': says(line(BOUNDS.tag), 'A tag of one of their links, exactly.', 'on-call'),
} as const

/** The query of a start page’s feed. */
export const FeedQuery = object(filter)

const ListedShape = lazy(() =>
  object(
    {
      slug: Slug,
      url: LauncherUrl,
      title: BundleTitle,
      description: says('string | null', ...CONTENT_DOCS.description),
      tags: says('string[]', 'The tags of its links, each once; to strangers none of a bundle with rules.', [
        'on-call',
      ]),
      tabs: says('number.integer', 'The number of its links; a rule may show others.', 3),
      isPinned: says('boolean', 'Whether an admin has pinned it for everybody.', false),
    },
    'StartPageBundle',
  ),
)

/** The answer to GET /api/organizations/:organizationId/links, and `/o/<handle>.json`. */
export const ListedBundles = lazy(() =>
  object({
    organization: organization(),
    bundles: says(
      ListedShape().array(),
      'The listed bundles that you may open: pinned ones first, then the most opened.',
    ),
    'nextCursor?': NextCursor,
  }),
)

/** A start page as programs read it. */
export function presented(
  { organization, page: { bundles, nextCursor } }: StartPage,
  site: Pick<Config, 'origin'>,
): ReturnType<typeof ListedBundles>['infer'] {
  return {
    organization: toOrganization(organization, site),
    bundles: bundles.map((bundle) => toListed(bundle, site)),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  }
}

function toListed(
  { slug, title, description, tags, tabs, isPinned }: ListedBundle,
  { origin }: Pick<Config, 'origin'>,
): ReturnType<typeof ListedShape>['infer'] {
  const url = `${origin}${routes.launcher.page.href({ slug })}`
  return { slug, url, title, description, tags, tabs, isPinned }
}
