/** @jsxImportSource @kitajs/html */

import { type GuardedName, NOTHING } from '../../../../src/bundles/content/content.ts'
import { NewBundle } from '../../../../src/bundles/content/shapes.ts'
import { merged } from '../../../../src/bundles/edit/edit.ts'
import { refuseUnfitTemplates } from '../../../../src/bundles/variables/placeholders.ts'
import { exampleOf } from '../../../../src/bundles/variables/variables.ts'
import type { Config } from '../../../../src/config/config.ts'
import { checkLinks } from '../../../../src/core/fixed-links.js'
import { Problem } from '../../../../src/core/problem.ts'
import { routes } from '../../../../src/core/routes.ts'
import { readValues } from '../../../../src/core/template.js'
import { empty, page } from '../../../../src/http/respond.ts'
import { type Cookie, cookieIn, cookieLine, cookieOf, LONGEST_SECONDS } from '../../../../src/identity/sessions.ts'
import { outsideOf, timesOf } from '../../../../src/launcher/access.ts'
import { validate } from '../../../../src/operations/validate.ts'
import { LauncherPreview } from '../../../launcher/parts/launcher.tsx'
import { iconsFor, resultOrProblem, type Screen, type Visit } from '../screens.tsx'
import { contentOf, type FormContent, NEW_FORM } from './form.ts'
import { sentForm } from './state.ts'

/** The launcher beside the editor's form. */
export const previewScreens: readonly Screen[] = [
  {
    path: routes.newBundle.preview.path,
    /**
     * The launcher as it would be after saving the form; empty if the form has errors. It reads no bundle and writes nothing:
     * users see only their own input.
     */
    async post(visit, sent) {
      const { content, linkOf } = contentOf((await sentForm(sent, NEW_FORM)).form)
      const refused = await resultOrProblem(async () => refuseInvalid(content, visit))
      if (refused instanceof Problem) return empty(204)
      const { name, origin, shortPaths, user } = visit.site
      const at = linkOf.indexOf(Number(sent.get('at') || -1))
      const outside = outsideOf(timesOf(content), Date.now())
      const bundle = {
        ...content,
        slug: 'preview',
        organization: user?.acting ?? null,
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
    path: routes.preview.path,
    /** Remembers whether the preview is hidden. */
    async post({ service: { config } }, sent) {
      return empty(204, { 'set-cookie': cookieLine(previewCookie(sent.get('hidden') === 'yes', config)) })
    },
  },
]

/** @throws Problem for content that cannot be saved. */
export function refuseInvalid(content: Omit<FormContent, GuardedName>, { service }: Visit): void {
  const made = merged(NOTHING, validate(NewBundle, content))
  service.blockedHosts.refuse(made)
  refuseUnfitTemplates(made)
}

const COOKIE = 'editor_preview'

function previewCookie(isHidden: boolean, config: Pick<Config, 'origin'>): Cookie {
  return cookieOf(COOKIE, 'hidden', isHidden ? LONGEST_SECONDS : 0, config, routes.bundles.list.href())
}

/** Whether this browser's user has hidden the preview. */
export function isPreviewHidden({ headers }: Request): boolean {
  return cookieIn(headers, COOKIE) !== null
}
