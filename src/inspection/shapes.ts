import { type } from 'arktype'
import { BOUNDS } from '../bundles/bounds.ts'
import { lazy } from '../core/lazy.ts'
import { Url } from '../core/text-shapes.ts'

/** The body of POST /api/links/inspect. */
export const Inspection = type({
  urls: Url.array().atLeastLength(1).atMostLength(BOUNDS.urls),
  '+': 'reject',
})

const Link = lazy(() =>
  type({
    url: 'string',
    finalUrl: 'string | null',
    status: 'number.integer | null',
    title: 'string | null',
    icon: 'string | null',
    problem: 'string | null',
    '+': 'reject',
  }).configure({ named: 'InspectedLink' }, 'self'),
)

/** What was found of a link; null where it is not known. */
export type InspectedLink = ReturnType<typeof Link>['infer']

/** What was found of each link, in the order sent. */
export const Inspected = lazy(() => type({ links: Link().array(), '+': 'reject' }))
