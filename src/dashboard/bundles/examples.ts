import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { EXAMPLES, isExample } from '../../bundles/examples.ts'
import { createBundle } from '../../bundles/operations.ts'
import { unknownUrl } from '../../core/problem.ts'
import type { Screen } from '../parts/screens.tsx'
import { run } from '../parts/visit.ts'

/** Makes a bundle of an example, which is then edited like any other. */
export const exampleScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/examples',
    async post(visit, form) {
      const name = form.get('example') ?? ''
      if (!isExample(name)) throw unknownUrl()
      const idempotencyKey = form.get('idempotencyKey') || null
      const { slug } = await run(visit, createBundle, { ...EXAMPLES[name], source: 'web' }, { idempotencyKey })
      return { to: withFlash(`/dashboard/links/${slug}`, 'exampleCopied') }
    },
  },
]
