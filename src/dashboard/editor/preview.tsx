/** @jsxImportSource @kitajs/html */

import { LauncherPreview } from '../../../views/launcher/launcher.tsx'
import type { GuardedName } from '../../bundles/content.ts'
import { merged, refuseUnfitTemplates } from '../../bundles/merge.ts'
import { NewBundle } from '../../bundles/shapes.ts'
import { NOTHING } from '../../bundles/values.ts'
import { exampleOf } from '../../bundles/variables.ts'
import type { Config } from '../../config/config.ts'
import { checkLinks } from '../../core/fixed-links.js'
import { Problem } from '../../core/problem.ts'
import { readValues } from '../../core/template.js'
import { page } from '../../http/page.ts'
import { empty } from '../../http/respond.ts'
import { type Cookie, cookieIn, cookieLine, cookieOf, LONGEST_SECONDS } from '../../identity/cookies.ts'
import { outsideOf, timesOf } from '../../launcher/times.ts'
import { validate } from '../../operations/validate.ts'
import { iconsFor } from '../parts/icons.ts'
import type { Screen } from '../parts/screens.tsx'
import { resultOrProblem, type Visit } from '../parts/visit.ts'
import { contentOf, type FormContent, NEW_FORM, pastedIn, readBundleForm } from './bundle-form.ts'

/** The launcher beside the editor's form. */
export const previewScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/new/preview',
    /**
     * The launcher as saving the form would make it; empty if the form has errors. It reads no bundle and writes nothing:
     * users see only what they sent.
     */
    async post(visit, sent) {
      const { content, linkOf } = contentOf(readBundleForm(sent, NEW_FORM, await pastedIn(sent)))
      const refused = await resultOrProblem(async () => refuseInvalid(content, visit))
      if (refused instanceof Problem) return empty(204)
      const { name, origin, shortPaths, user } = visit.site
      const at = linkOf.indexOf(Number(sent.get('at') || -1))
      const outside = outsideOf(timesOf(content), Date.now())
      const bundle = {
        ...content,
        slug: 'preview',
        organization: user?.acting?.name ?? null,
        isUnclaimed: false,
        hasRules: false,
        isProtected: content.access !== 'link',
        isCopyable: content.copyable && content.access === 'link',
        siteIcons: await iconsFor(visit, content),
        rule: null,
      }
      const examples = readValues(content.variables, (name) =>
        exampleOf(content.variables.find((one) => one.name === name)),
      )
      const view = (
        <LauncherPreview
          site={{ name, origin, shortPaths }}
          bundle={bundle}
          filling={checkLinks(examples, content.urls)}
          outside={outside}
          edited={at === -1 ? null : at}
        />
      )
      return page(view)
    },
  },
  {
    path: '/dashboard/preview',
    /** Remembers whether the preview is hidden. */
    async post({ service: { config } }, sent) {
      return empty(204, { 'set-cookie': cookieLine(previewCookie(sent.get('hidden') === 'yes', config)) })
    },
  },
]

/** @throws Problem for content that nobody could save. */
export function refuseInvalid(content: Omit<FormContent, GuardedName>, { service }: Visit): void {
  const made = merged(NOTHING, validate(NewBundle, content))
  service.blockedHosts.refuse(made)
  refuseUnfitTemplates(made)
}

const COOKIE = 'editor_preview'

function previewCookie(isHidden: boolean, config: Pick<Config, 'origin'>): Cookie {
  return cookieOf(COOKIE, 'hidden', isHidden ? LONGEST_SECONDS : 0, config, '/dashboard')
}

/** Whether this browser's user has hidden the preview. */
export function isPreviewHidden({ headers }: Request): boolean {
  return cookieIn(headers, COOKIE) !== null
}
