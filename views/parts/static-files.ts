// The sources of each served file; they are next to their pages.

export const HTMX = import.meta.resolve('htmx.org/dist/htmx.min.js')

/** The face of headings; launchers use the system font. */
const FACE = import.meta.resolve(
  '@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-wght-normal.woff2',
)

export const CSS = 'text/css; charset=utf-8'
export const JS = 'text/javascript; charset=utf-8'
export const WOFF2 = 'font/woff2'

/** The styles of the service's own pages; launchers have others. */
const SITE_CSS = [
  'parts/tokens.css',
  'parts/site.css',
  'parts/strip.css',
  'parts/fields.css',
  'parts/forms.css',
  'parts/tile.css',
  'account/parts/account.css',
]

/** The styles of launchers. */
const LAUNCHER_CSS = [
  'parts/tokens.css',
  'parts/tile.css',
  'launcher/parts/launcher.css',
  'launcher/parts/bar.css',
  'launcher/parts/tabs.css',
]
/** Additional styles for launchers with variables. */
const VALUES_CSS = ['parts/fields.css', 'launcher/parts/values.css']

/** A served file: concatenated texts, or a script with the modules it imports. */
export interface File {
  type: string
  sources: string[]
  /** Whether documents of another origin may load it. */
  isForFrames?: true
}

/** Each served file with its sources. */
export const FILES: Record<string, File> = {
  'launcher.css': { type: CSS, sources: LAUNCHER_CSS },
  // For the editor's preview. Its sandboxed frame has an opaque origin and no scripts, but must look as it does with scripts.
  'preview.css': {
    type: CSS,
    sources: [...LAUNCHER_CSS, ...VALUES_CSS, 'launcher/parts/preview.css'],
    isForFrames: true,
  },
  'values.css': { type: CSS, sources: VALUES_CSS },
  'scriptless.css': { type: CSS, sources: ['launcher/parts/scriptless.css'] },
  'launcher.js': { type: JS, sources: ['launcher/parts/open-all.js'] },
  // Replaces launcher.js on launchers with variables.
  'fill.js': { type: JS, sources: ['launcher/parts/fill.js'] },
  // Loaded by the two above where pop-ups are blocked.
  'hints.js': { type: JS, sources: ['launcher/parts/hints.js'] },
  'remind.css': { type: CSS, sources: [...SITE_CSS, 'launcher/remind/remind.css'] },
  'remind.js': { type: JS, sources: ['launcher/remind/remind.js'] },
  // Loaded by launchers and start pages where the browser extension is.
  'handover.js': { type: JS, sources: ['launcher/parts/handover.js'] },
  'start.css': { type: CSS, sources: ['parts/tokens.css', 'parts/tile.css', 'launcher/start/start.css'] },
  'start.js': { type: JS, sources: ['launcher/start/start.js'] },
  // Before fill.js on launchers with dates.
  'dates.js': { type: JS, sources: ['launcher/parts/dates.js'] },
  'away.js': { type: JS, sources: ['home/home/away.js'] },
  'countdown.js': { type: JS, sources: ['launcher/parts/countdown.js'] },
  'site.css': {
    type: CSS,
    sources: [...SITE_CSS, 'parts/builder/builder.css', 'home/home/home.css', 'home/result/result.css'],
  },
  'consent.css': { type: CSS, sources: [...SITE_CSS, 'account/consent/consent.css'] },
  // The script of pages without their own.
  'site.js': { type: JS, sources: ['parts/site.js'] },
  'home.js': { type: JS, sources: ['parts/builder/live-list.js'] },
  'result.js': { type: JS, sources: ['home/result/result.js'] },
  // Pages on which a bundle's link can be changed.
  'link-name.js': { type: JS, sources: ['parts/link-name.js'] },
  'consent.js': { type: JS, sources: ['account/consent/consent.js'] },
  'dashboard.css': {
    type: CSS,
    sources: [
      ...SITE_CSS,
      'dashboard/parts/shell.css',
      'dashboard/parts/page.css',
      'dashboard/parts/lists.css',
      'dashboard/parts/menus.css',
      'dashboard/bundles/bundles.css',
      'dashboard/organizations/organizations.css',
      'dashboard/parts/bundle-form/editor.css',
      'dashboard/parts/bundle-form/sharing.css',
      'dashboard/parts/bundle-form/link-rows.css',
      'dashboard/parts/bundle-form/variables.css',
      'dashboard/parts/bars.css',
      'parts/builder/builder.css',
      'dashboard/new-bundle/new-bundle.css',
      'dashboard/import/import.css',
      'dashboard/rules/rules.css',
      'dashboard/parts/rules/rule-fields.css',
      'dashboard/versions/versions.css',
      'dashboard/parts/diff/diff.css',
      'dashboard/proposals/proposals.css',
      'dashboard/activity/activity.css',
      'dashboard/insights/insights.css',
      'dashboard/parts/panels.css',
    ],
  },
  'dashboard.js': { type: JS, sources: ['dashboard/app.js'] },
  'docs.css': {
    type: CSS,
    sources: [...SITE_CSS, 'docs/parts/docs.css', 'docs/reference/operation.css', 'docs/guide/guide.css'],
  },
  'docs.js': { type: JS, sources: ['docs/reference/send.js'] },
  'htmx.js': { type: JS, sources: [HTMX] },
  'display.woff2': { type: WOFF2, sources: [FACE] },
  // Pictures that show how to allow pop-ups; loaded where they are blocked.
  ...Object.fromEntries(
    ['chrome', 'firefox', 'safari', 'android', 'switch'].map((kind) => [
      `blocked-${kind}.svg`,
      { type: 'image/svg+xml', sources: [`launcher/parts/blocked-${kind}.svg`] },
    ]),
  ),
  'icon.svg': { type: 'image/svg+xml', sources: ['parts/icon.svg'] },
}
