import { type } from 'arktype'
import { Cursor } from '../core/cursor.ts'
import { lazy } from '../core/lazy.ts'
import { refuse } from '../core/shape.ts'
import { Url } from '../core/text-shapes.ts'
import { implement } from '../operations/operation.ts'
import { countPart } from '../operations/parts.ts'
import { editing } from './contexts.ts'
import { replace } from './replace.ts'

/** The body of POST /api/me/replace. */
const Replacement = type({ from: Url, to: Url, 'dryRun?': 'boolean', 'cursor?': Cursor, '+': 'reject' }).narrow(
  ({ from, to }, ctx) => from !== to || refuse(ctx, { code: 'no_change' }),
)

const Replaced = lazy(() =>
  type({
    'dryRun?': 'boolean',
    replaced: type({ slug: 'string', 'versionNumber?': 'number.integer', places: 'number.integer', '+': 'reject' })
      .configure({ named: 'ReplacedIn' }, 'self')
      .array(),
    skipped: type({ slug: 'string', reason: 'string', '+': 'reject' })
      .configure({ named: 'NotReplaced' }, 'self')
      .array(),
    hasMore: 'boolean',
    'nextCursor?': 'string',
    '+': 'reject',
  }),
)

/** POST /api/me/replace. */
export const replaceUrl = implement('replace_url', {
  summary: 'Replace a link in all your bundles',
  description:
    'Also in rules; up to 100 bundles in a call, a version for each. If both end in /, links that begin with `from` change ' +
    'too. Try `dryRun` first.',
  input: Replacement,
  example: { from: 'https://old.example/wiki/', to: 'https://example.com/wiki/', dryRun: true },
  output: Replaced,
  errors: ['FORBIDDEN'],
  async run(input, context) {
    const { service, caller } = context
    const replacing = {
      ...editing(context),
      count: () => countPart(service, caller),
      edited: (slug: string) => service.invalidate.launcher(slug),
    }
    const done = await replace(replacing, input)
    return input.dryRun === true ? { dryRun: true, ...done } : done
  },
})
