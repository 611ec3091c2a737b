import { type Type, type } from 'arktype'
import { LINK_STATES, SOURCES } from '../../db/schema.ts'
import { lazy } from '../core/lazy.ts'
import { Pagination } from '../core/paging.ts'
import { Time } from '../core/shape.ts'
import { SubjectShape } from '../identity/answers.ts'
import { SavedPolicy } from '../policies/answers.ts'
import { SentPolicy } from '../policies/shapes.ts'
import { CHOICE_NAMES, CONTENT, each, type NameWith, SWITCH_NAMES, TEXT_NAMES, TIME_NAMES } from './content.ts'
import { LINK_NAMES, type Link, type LinkName, linkField } from './link-fields.ts'
import { UrlMetadata } from './link-shapes.ts'
import { Variable } from './variable-shapes.ts'

const VERSION = 'number.integer >= 1'

/** The answer of POST /api/links. Only anonymous callers get the claim fields, and only this once. */
export const CreatedBundle = lazy(() =>
  type({
    slug: 'string',
    url: 'string',
    versionNumber: VERSION,
    'claimUrl?': 'string',
    'claimToken?': 'string',
    'claimExpiresAt?': Time(),
    'warning?': 'string',
    '+': 'reject',
  }).configure({ named: 'CreatedBundle' }, 'self'),
)

export type CreatedBundle = ReturnType<typeof CreatedBundle>['infer']

/** The content of a version except its policy, which lists omit and answers show in two forms. */
export const content = lazy(
  () =>
    ({
      urls: 'string[]',
      urlMetadata: UrlMetadata.array(),
      variables: Variable.array(),
      ...each(TEXT_NAMES, () => 'string | null' as const),
      ...each(TIME_NAMES, () => Time().or('null')),
      ...each(CHOICE_NAMES, (name) => type.enumerated(...CONTENT[name].options)),
      ...each(SWITCH_NAMES, () => 'boolean' as const),
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

const listItem = lazy(
  () =>
    ({
      slug: 'string',
      url: 'string',
      versionNumber: VERSION,
      ...content(),
      owner: SubjectShape(),
      createdAt: Time(),
      updatedAt: Time(),
      source: type.enumerated(...SOURCES),
      externalId: 'string | null',
    }) as const,
)

const metadata = lazy(() => type({ '[string]': 'string' }).or('null'))

const whole = lazy(
  () => ({ ...listItem(), metadata: metadata(), resolutionPolicy: SavedPolicy().or('null'), '+': 'reject' }) as const,
)

/** A bundle in full. */
export const Bundle = lazy(() => type(whole()).configure({ named: 'Bundle' }, 'self'))

const health = lazy(() =>
  type({
    url: 'string',
    state: type.enumerated(...LINK_STATES),
    since: Time(),
    'finalUrl?': 'string',
    '+': 'reject',
  }).configure({ named: 'LinkHealth' }, 'self'),
)

/** The same with what is known of its links, once they were looked at. */
export const BundleWithHealth = lazy(() =>
  type({ ...whole(), 'health?': health().array() }).configure({ named: 'BundleWithHealth' }, 'self'),
)

/** The answer of a dry run: the bundle as it would be saved; without `slug` and `url` if a slug will be generated. */
export const DryRun = lazy(() =>
  type({
    dryRun: 'true',
    bundle: type({
      slug: 'string | null',
      url: 'string | null',
      versionNumber: VERSION,
      ...content(),
      owner: SubjectShape().or('null'),
      source: type.enumerated(...SOURCES),
      externalId: 'string | null',
      metadata: metadata(),
      resolutionPolicy: SentPolicy.or('null'),
      '+': 'reject',
    }).configure({ named: 'Draft' }, 'self'),
    warnings: type({ path: 'string', message: 'string', '+': 'reject' }).array(),
    '+': 'reject',
  }).configure({ named: 'DryRun' }, 'self'),
)

/** The answer of DELETE /api/links/:slug. */
export const DeletedBundle = lazy(() => type({ slug: 'string', deletedAt: Time(), '+': 'reject' }))

/** The answer of pinning and unpinning. */
export const PinState = lazy(() => type({ slug: 'string', isPinned: 'boolean', '+': 'reject' }))

export type PinState = ReturnType<typeof PinState>['infer']

/** The answer of GET /api/me/links. */
export const BundleList = lazy(() =>
  type({
    bundles: type({ ...listItem(), 'deletedAt?': Time(), isPinned: 'boolean', '+': 'reject' })
      .configure({ named: 'ListedBundle' }, 'self')
      .array(),
    pagination: Pagination(),
    hasMore: 'boolean',
    'nextCursor?': 'string',
    subject: SubjectShape(),
    '+': 'reject',
  }),
)

/** The answer of GET /api/links/:slug/versions. */
export const VersionList = lazy(() =>
  type({
    versions: type({
      versionNumber: VERSION,
      ...content(),
      resolutionPolicy: SavedPolicy().or('null'),
      editedByIdentityUserId: 'string | null',
      editedAt: Time(),
      proposedBy: 'string | null',
      '+': 'reject',
    })
      .configure({ named: 'Version' }, 'self')
      .array(),
    hasMore: 'boolean',
    'nextCursor?': 'string',
    '+': 'reject',
  }),
)

/** The answer of GET /api/me/claims. */
export const ClaimableList = lazy(() =>
  type({
    bundles: type({
      slug: 'string',
      url: 'string',
      versionNumber: VERSION,
      title: 'string | null',
      urls: 'string[]',
      urlMetadata: UrlMetadata.array(),
      '+': 'reject',
    }).array(),
    hasMore: 'boolean',
    'nextCursor?': 'string',
    '+': 'reject',
  }),
)
