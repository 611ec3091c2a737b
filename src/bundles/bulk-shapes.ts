import { type } from 'arktype'
import { type Code, STATUS } from '../core/codes.ts'
import { lazy } from '../core/lazy.ts'
import { CreatedBundle } from './answers.ts'
import { BOUNDS } from './bounds.ts'
import { isEitherWay } from './link-shapes.ts'
import { edited, isAtMostAsLong, isChange, NewBundle } from './shapes.ts'

/** The body of POST /api/links/bulk. */
export const NewBundles = type({
  bundles: NewBundle.array().atLeastLength(1).atMostLength(BOUNDS.bulk),
  '+': 'reject',
})

/** An edit among others, which names its bundle, and the version that it is based on, if any. */
const OneEdit = type({ ...edited, 'expectedVersion?': '1 <= number.integer <= 999999999999999' })
  .narrow(isAtMostAsLong)
  .narrow(isEitherWay)
  .narrow(isChange)

/** The body of PATCH /api/links/bulk. */
export const BundleEdits = type({
  edits: OneEdit.array().atLeastLength(1).atMostLength(BOUNDS.bulk),
  '+': 'reject',
})

/** What became of each entry, in their order: a bundle, or why there is none. */
export const BulkResults = lazy(() =>
  type({
    results: type({
      status: 'number.integer',
      'bundle?': CreatedBundle(),
      'error?': 'string',
      'code?': type.enumerated(...(Object.keys(STATUS) as Code[])),
      '+': 'reject',
    })
      .configure({ named: 'BulkResult' }, 'self')
      .array(),
    '+': 'reject',
  }),
)
