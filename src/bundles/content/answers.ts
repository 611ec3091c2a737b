import { type Type, type } from 'arktype'
import { LINK_STATES, SOURCES } from '../../../db/schema.ts'
import {
  BundleTitle,
  CreatedAt,
  DeletedAt,
  LauncherUrl,
  Slug,
  StoreNow,
  UpdatedAt,
  VersionNumber,
  Warnings,
} from '../../core/fields.ts'
import { lazy } from '../../core/lazy.ts'
import { HasMore, NextCursor, Pagination } from '../../core/paging.ts'
import { object, says, Time } from '../../core/shape.ts'
import { Acting, SubjectShape } from '../../identity/answers.ts'
import { SavedPolicy } from '../../policies/answers.ts'
import { SentPolicy } from '../../policies/shapes.ts'
import { LINK_NAMES, type Link, type LinkName, linkField } from '../links/link-fields.ts'
import { UrlMetadata } from '../links/link-shapes.ts'
import { CHOICE_NAMES, CONTENT, each, type NameWith, SWITCH_NAMES, TEXT_NAMES, TIME_NAMES } from './content.ts'
import { CONTENT_DOCS, OWN_DOCS, SOURCE_DOC } from './field-docs.ts'
import { Variable } from './shapes.ts'

/** The answer to POST /api/links. Only anonymous callers get the claim fields, and only once. */
export const CreatedBundle = lazy(() =>
  object(
    {
      slug: Slug,
      url: LauncherUrl,
      versionNumber: VersionNumber,
      'variables?': says(
        Variable.array(),
        'The variables that its links name, if you sent none: `{service}` in a link declares `service`.',
        [{ name: 'service' }],
      ),
      'notes?': says('string[]', 'What was understood of your input, in sentences.', [
        '{service} is a variable: send variables: [] to keep it as text',
      ]),
      'claimUrl?': says(
        'string',
        'Opens a page where the bundle can be claimed into an account.',
        'https://openall.example/claim/b3Z4…',
      ),
      'claimToken?': says(
        'string',
        'The same as a token for claim_bundle. Not repeated for a short idempotency key: see warning.',
        'b3Z4cGxhaW4tdG9rZW4tb2YtdGhpcnR5LXR3by1ieQ',
      ),
      'claimExpiresAt?': says(Time(), 'When both expire.', '2026-11-27T09:00:00.000Z'),
      'warning?': StoreNow,
    },
    'CreatedBundle',
  ),
)

export type CreatedBundle = ReturnType<typeof CreatedBundle>['infer']

/** The content of a version without its policy, which lists omit and answers show in two forms. */
export const content = lazy(
  () =>
    ({
      urls: says('string[]', ...CONTENT_DOCS.urls),
      urlMetadata: says(UrlMetadata.array(), ...CONTENT_DOCS.urlMetadata),
      variables: says(Variable.array(), ...CONTENT_DOCS.variables),
      ...each(TEXT_NAMES, (name) => says('string | null', ...CONTENT_DOCS[name])),
      ...each(TIME_NAMES, (name) => says(Time().or('null'), ...CONTENT_DOCS[name])),
      ...each(CHOICE_NAMES, (name) => says(type.enumerated(...CONTENT[name].options), ...CONTENT_DOCS[name])),
      ...each(SWITCH_NAMES, (name) => says('boolean', ...CONTENT_DOCS[name])),
    }) as const satisfies Record<NameWith<{ isListed: true }>, unknown>,
)

/** The fields of a link with their defaults, as differences show them. */
export const linkAnswers = lazy(
  () => each(LINK_NAMES, (name): unknown => linkAnswer(linkField(name))) as { [Name in LinkName]: Type<Link[Name]> },
)

function linkAnswer(field: ReturnType<typeof linkField>) {
  if (field.kind === 'choice') return type.enumerated(...field.options)
  return type(({ text: 'string', tags: 'string[]', switch: 'boolean' } as const)[field.kind])
}

const OWNER = ['The owner; null in a dry run without an account.', { type: 'user', userId: 'u_19xk' }] as const

const listItem = lazy(
  () =>
    ({
      slug: Slug,
      url: LauncherUrl,
      versionNumber: VersionNumber,
      ...content(),
      owner: says(SubjectShape(), ...OWNER),
      createdAt: CreatedAt(),
      updatedAt: UpdatedAt(),
      source: says(type.enumerated(...SOURCES), ...SOURCE_DOC),
      externalId: says('string | null', ...OWN_DOCS.externalId),
      aliases: says('string[]', ...OWN_DOCS.aliases),
    }) as const,
)

const metadata = lazy(() => says(type({ '[string]': 'string' }).or('null'), ...OWN_DOCS.metadata))
const savedPolicy = lazy(() => says(SavedPolicy().or('null'), ...CONTENT_DOCS.resolutionPolicy))

const whole = lazy(
  () =>
    ({
      ...listItem(),
      versionNumber: says(
        'number.integer >= 1',
        'The bundle’s version: 1 on creation, one more with every edit. Send it with an edit, so that ' +
          'you overwrite no one else’s.',
        2,
      ),
      metadata: metadata(),
      resolutionPolicy: savedPolicy(),
    }) as const,
)

/** A bundle in full. */
export const Bundle = lazy(() => object(whole(), 'Bundle'))

const health = lazy(() =>
  object(
    {
      url: says('string', 'The link.', 'https://example.com/plan'),
      state: says(
        type.enumerated(...LINK_STATES),
        '`ok`; `moved` for good, to `finalUrl`; `broken`: nothing was there over three days; or `unknown` so far.',
        'moved',
      ),
      since: says(Time(), 'Since when it is in this state, as far as the service knows.', '2026-11-02T09:00:00.000Z'),
      'finalUrl?': says('string', 'Where a link that has moved leads now.', 'https://example.com/plan-2027'),
    },
    'LinkHealth',
  ),
)

/** The fields of a bundle with the health of its links. */
export const wholeWithHealth = lazy(
  () =>
    ({
      ...whole(),
      'health?': says(
        health().array(),
        'What the service knows of each link that it looks at; left out before the first look, or if none is wanted.',
        [{ url: 'https://example.com/plan', state: 'ok', since: '2026-11-02T09:00:00.000Z' }],
      ),
    }) as const,
)

/** A bundle in full, with the health of its links once they have been checked. */
export const BundleWithHealth = lazy(() => object(wholeWithHealth(), 'BundleWithHealth'))

/** The answer to a dry run: the bundle as it would be saved; `slug` and `url` are null if a slug will be generated. */
export const DryRun = lazy(() =>
  object(
    {
      dryRun: 'true',
      bundle: says(draft(), 'The bundle as it would be saved; new rules get their ids when saved.'),
      warnings: Warnings(),
    },
    'DryRun',
  ),
)

const draft = lazy(() =>
  object(
    {
      slug: says('string | null', 'The requested slug; null if one will be generated.', 'launch-day'),
      url: says('string | null', 'The link; null if a slug will be generated.', 'https://openall.example/l/launch-day'),
      versionNumber: VersionNumber,
      ...content(),
      owner: says(SubjectShape().or('null'), ...OWNER),
      source: listItem().source,
      externalId: listItem().externalId,
      metadata: metadata(),
      aliases: listItem().aliases,
      resolutionPolicy: says(SentPolicy.or('null'), ...CONTENT_DOCS.resolutionPolicy),
    },
    'Draft',
  ),
)

/** The answer to DELETE /api/links/:slug. */
export const DeletedBundle = lazy(() => object({ slug: Slug, deletedAt: DeletedAt() }))

const IsPinned = says('boolean', 'Whether you have pinned it: it then comes first in your list.', true)

/** The answer to pin_bundle and unpin_bundle. */
export const PinState = lazy(() => object({ slug: Slug, isPinned: IsPinned }))

export type PinState = ReturnType<typeof PinState>['infer']

/** The description of `bundles` in lists and exports. */
export const BUNDLES = 'The bundles, newest first.'

/** The answer to GET /api/me/links. */
export const BundleList = lazy(() =>
  object({
    bundles: says(
      object({ ...listItem(), 'deletedAt?': DeletedAt(), isPinned: IsPinned }, 'ListedBundle').array(),
      BUNDLES,
    ),
    pagination: Pagination(),
    hasMore: HasMore,
    'nextCursor?': NextCursor,
    subject: Acting(),
  }),
)

/** The answer to GET /api/links/:slug/versions. */
export const VersionList = lazy(() => object({ versions: Versions(), hasMore: HasMore, 'nextCursor?': NextCursor }))

/** `versions` in lists and exports. */
export const Versions = lazy(() =>
  says(
    object(
      {
        versionNumber: VersionNumber,
        ...content(),
        resolutionPolicy: savedPolicy(),
        editedByIdentityUserId: says(
          'string | null',
          'Who made the edit; null for a bundle created without an account.',
          'u_19xk',
        ),
        editedAt: says(Time(), 'When the edit was made.', '2026-11-20T09:30:00.000Z'),
        proposedBy: says('string | null', 'Who proposed it, if the editor accepted a proposal; else null.', 'u_19xk'),
      },
      'Version',
    ).array(),
    'All versions of the bundle, newest first.',
  ),
)

/** The answer to GET /api/me/claims. */
export const ClaimableList = lazy(() =>
  object({
    bundles: says(
      object({
        slug: Slug,
        url: LauncherUrl,
        versionNumber: VersionNumber,
        title: BundleTitle,
        urls: content().urls,
        urlMetadata: content().urlMetadata,
      }).array(),
      BUNDLES,
    ),
    hasMore: HasMore,
    'nextCursor?': NextCursor,
  }),
)
