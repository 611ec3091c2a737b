import { type } from 'arktype'
import { SOURCES } from '../../db/schema.ts'
import { lazy } from '../core/lazy.ts'
import { Time } from '../core/shape.ts'
import { Subject } from '../identity/answers.ts'
import { SavedPolicy } from '../policies/answers.ts'
import { SentPolicy } from '../policies/shapes.ts'
import { eachText, type NameWith } from './content.ts'
import { UrlMetadata } from './shapes.ts'

/** What POST /api/links answers: the claim fields only to anonymous callers, who see them this once (spec 4.1). */
export const CreatedBundle = lazy(() =>
  type({
    slug: 'string',
    url: 'string',
    'claimUrl?': 'string',
    'claimToken?': 'string',
    'claimExpiresAt?': Time(),
    'warning?': 'string',
    '+': 'reject',
  }).configure({ named: 'CreatedBundle' }, 'self'),
)

export type CreatedBundle = ReturnType<typeof CreatedBundle>['infer']

/** What each version of a bundle has of its own, save for what lists leave out: its policy is shown in two ways. */
const content = lazy(
  () =>
    ({
      urls: 'string[]',
      urlMetadata: UrlMetadata.array(),
      ...eachText(() => 'string | null' as const),
    }) as const satisfies Record<NameWith<{ isListed: true }>, unknown>,
)

const listed = lazy(
  () =>
    ({
      slug: 'string',
      ...content(),
      owner: Subject(),
      createdAt: Time(),
      updatedAt: Time(),
      source: type.enumerated(...SOURCES),
    }) as const,
)

const metadata = lazy(() => type({ client: 'string', '+': 'reject' }).or('null'))

/** A bundle in full (spec 2.1). */
export const Bundle = lazy(() =>
  type({
    ...listed(),
    metadata: metadata(),
    resolutionPolicy: SavedPolicy().or('null'),
    '+': 'reject',
  }).configure({ named: 'Bundle' }, 'self'),
)

/** What a dry run answers: the bundle as it would be saved, `slug` null where it is yet to be made. */
export const DryRun = lazy(() =>
  type({
    dryRun: 'true',
    bundle: type({
      slug: 'string | null',
      ...content(),
      owner: Subject().or('null'),
      source: type.enumerated(...SOURCES),
      metadata: metadata(),
      resolutionPolicy: SentPolicy.or('null'),
      '+': 'reject',
    }).configure({ named: 'Draft' }, 'self'),
    warnings: type({ path: 'string', message: 'string', '+': 'reject' }).array(),
    '+': 'reject',
  }).configure({ named: 'DryRun' }, 'self'),
)

/** What DELETE /api/links/:slug answers. */
export const DeletedBundle = lazy(() => type({ slug: 'string', deletedAt: Time(), '+': 'reject' }))

/** What GET /api/me/links answers (spec 2.2). */
export const BundleList = lazy(() =>
  type({
    bundles: type({ ...listed(), 'deletedAt?': Time(), '+': 'reject' })
      .configure({ named: 'ListedBundle' }, 'self')
      .array(),
    pagination: type({ limit: 'number.integer', offset: 'number.integer', '+': 'reject' }),
    subject: Subject(),
    '+': 'reject',
  }),
)

/** What GET /api/links/:slug/versions answers (spec 2.4). */
export const VersionList = lazy(() =>
  type({
    versions: type({
      versionNumber: 'number.integer >= 1',
      ...content(),
      resolutionPolicy: SavedPolicy().or('null'),
      editedByIdentityUserId: 'string | null',
      editedAt: Time(),
      '+': 'reject',
    })
      .configure({ named: 'Version' }, 'self')
      .array(),
    '+': 'reject',
  }),
)

/** What GET /api/me/claims answers. */
export const ClaimableList = lazy(() =>
  type({
    bundles: type({
      slug: 'string',
      title: 'string | null',
      urls: 'string[]',
      urlMetadata: UrlMetadata.array(),
      '+': 'reject',
    }).array(),
    '+': 'reject',
  }),
)
