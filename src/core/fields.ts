import { lazy } from './lazy.ts'
import { object, says, Time } from './shape.ts'

// Fields with the same meaning in the inputs and answers of several features.

/** The bundle, in paths, bodies and answers. */
export const Slug = says(
  'string',
  'Identifies the bundle: the last part of its link, /l/<slug>; or ext:<externalId>.',
  'launch-day',
)

export const LauncherUrl = says(
  'string',
  'The link to share: it opens the launcher.',
  'https://openall.example/l/launch-day',
)

export const BundleTitle = says('string | null', 'The title, shown on the launcher; null for none.', 'Launch day')

export const VERSION_DOC = ['The bundle’s version: 1 on creation, one more with every edit.', 2] as const
export const VersionNumber = says('number.integer >= 1', ...VERSION_DOC)

export const DRY_RUN_DOC = ['true: return what would be saved, with any warnings, and save nothing.', true] as const

/** Of a user, in answers. */
export const UserId = says('string', 'Identifies the user.', 'u_19xk')

/** Of an organisation, in answers. */
export const OrganizationId = says('string', 'Identifies the organisation.', 'o_27pd')

export const CreatedAt = lazy(() => says(Time(), 'When it was created.', '2026-11-20T09:00:00.000Z'))
export const UpdatedAt = lazy(() => says(Time(), 'When it was last edited.', '2026-11-20T09:30:00.000Z'))
export const DeletedAt = lazy(() => says(Time(), 'When it was deleted.', '2026-11-21T09:00:00.000Z'))

/** For answers that contain a secret. */
export const StoreNow = says(
  'string',
  'What to store now, because it is shown only once.',
  'rawKey is shown only this once.',
)

/** Allowed but probable mistakes, with their places. */
export const Warnings = lazy(() =>
  says(
    object({
      path: says('string', 'Where, as a JSON path.', 'resolutionPolicy.rules[1]'),
      message: says(
        'string',
        'What is probably wrong there.',
        'is unreachable: everyone it matches gets the tabs of rules[0]',
      ),
    }).array(),
    'What is allowed but probably a mistake.',
  ),
)
