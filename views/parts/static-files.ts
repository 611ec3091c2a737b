// Which sources make each served file; they are next to their pages.

export const HTMX = import.meta.resolve('htmx.org/dist/htmx.min.js')

/** The face of headings; launchers have the system's. */
const FACE = import.meta.resolve(
  '@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-wght-normal.woff2',
)

export const CSS = 'text/css; charset=utf-8'
export const JS = 'text/javascript; charset=utf-8'
export const WOFF2 = 'font/woff2'

/** The styles of every page of the service itself; launchers have their own. */
const SITE_CSS = [
  'parts/tokens.css',
  'parts/display.css',
  'parts/site.css',
  'parts/fields.css',
  'parts/tile.css',
  'parts/strip.css',
  'account/account.css',
  'account/consent.css',
]
const SITE_JS = ['parts/copy.js', 'parts/site.js', 'parts/error-line.js', 'parts/field-errors.js']

/** The styles of launchers. */
const LAUNCHER_CSS = [
  'parts/tokens.css',
  'parts/tile.css',
  'launcher/launcher.css',
  'launcher/top.css',
  'launcher/tabs.css',
  'launcher/sections.css',
  'launcher/media.css',
]
/** The styles that are added where there are variables. */
const VALUES_CSS = ['parts/fields.css', 'launcher/values.css']

/** A file as it is made. */
export interface File {
  type: string
  sources: string[]
  /** Whether documents of another origin may load it. */
  isForFrames?: true
}

/** Each served file and the sources it is built from, which are next to their pages. */
export const FILES: Record<string, File> = {
  'launcher.css': { type: CSS, sources: LAUNCHER_CSS },
  // For the editor's preview, whose sandboxed frame has an opaque origin and no scripts, but must look as if it had them.
  'preview.css': {
    type: CSS,
    sources: [...LAUNCHER_CSS, ...VALUES_CSS, 'launcher/preview.css'],
    isForFrames: true,
  },
  'values.css': { type: CSS, sources: VALUES_CSS },
  'scriptless.css': { type: CSS, sources: ['launcher/scriptless.css'] },
  'launcher.js': {
    type: JS,
    sources: [
      'parts/copy.js',
      'launcher/announce.js',
      'launcher/how.js',
      'launcher/opens.js',
      'launcher/windows.js',
      'launcher/marks.js',
      'launcher/open-all.js',
      'launcher/bar.js',
    ],
  },
  // After launcher.js, where there are variables. The first two sources are also what the server fills with.
  'fill.js': {
    type: JS,
    sources: ['../src/core/template.js', '../src/core/fixed-links.js', 'parts/error-line.js', 'launcher/fill.js'],
  },
  'away.js': { type: JS, sources: ['launcher/away.js'] },
  'countdown.js': { type: JS, sources: ['launcher/countdown.js'] },
  'site.css': {
    type: CSS,
    sources: [...SITE_CSS, 'home/builder.css', 'home/list.css', 'home/home.css', 'home/magic.css', 'home/result.css'],
  },
  'home.js': { type: JS, sources: ['parts/page-titles.js', 'home/live-list.js'] },
  'site.js': { type: JS, sources: SITE_JS },
  'consent.js': { type: JS, sources: ['account/consent.js'] },
  'dashboard.css': {
    type: CSS,
    sources: [
      ...SITE_CSS,
      'dashboard/parts/shell.css',
      'dashboard/parts/page.css',
      'dashboard/parts/lists.css',
      'dashboard/parts/sample.css',
      'dashboard/parts/menus.css',
      'dashboard/parts/palette.css',
      'dashboard/parts/tags-and-tables.css',
      'dashboard/parts/media.css',
      'dashboard/bundles/bundles.css',
      'dashboard/bundles/bundles-media.css',
      'dashboard/bundles/bulk-bar.css',
      'dashboard/bundles/examples.css',
      'dashboard/editor/editor.css',
      'dashboard/editor/sharing.css',
      'dashboard/editor/link-rows.css',
      'dashboard/editor/link-rows-media.css',
      'dashboard/editor/variables.css',
      'dashboard/editor/own.css',
      'dashboard/editor/preview.css',
      'dashboard/parts/save-bar.css',
      'dashboard/import/import.css',
      'dashboard/editor/take-theirs.css',
      'dashboard/rules/page.css',
      'dashboard/rules/rule.css',
      'dashboard/rules/condition.css',
      'dashboard/rules/tab-fields.css',
      'dashboard/rules/section.css',
      'dashboard/rules/tester.css',
      'dashboard/rules/media.css',
      'dashboard/versions/versions.css',
      'dashboard/versions/diff.css',
      'dashboard/proposals/proposals.css',
      'dashboard/activity/activity.css',
      'dashboard/insights/numbers.css',
      'dashboard/insights/insights.css',
      'dashboard/parts/panels.css',
      'dashboard/parts/forced-colors.css',
    ],
  },
  'dashboard.js': {
    type: JS,
    sources: [
      ...SITE_JS,
      'dashboard/parts/saving.js',
      'dashboard/parts/dashboard.js',
      'dashboard/parts/palette-keys.js',
      'dashboard/bundles/selection.js',
      '../src/core/site.js',
      'parts/tile-of.js',
      'parts/page-titles.js',
      'dashboard/editor/link-list.js',
      'dashboard/editor/row-tiles.js',
      'dashboard/editor/seen-links.js',
      'dashboard/editor/pasting.js',
      'dashboard/editor/link-drag.js',
      'dashboard/editor/sections.js',
      'dashboard/editor/variable-list.js',
      'dashboard/editor/names-offered.js',
      'dashboard/editor/form.js',
      'dashboard/editor/local-times.js',
      'dashboard/editor/kept-edits.js',
      'dashboard/editor/changes.js',
      'dashboard/editor/qr-png.js',
      'dashboard/parts/empty-times.js',
      'dashboard/editor/preview-frame.js',
      'dashboard/import/dropped-file.js',
      'dashboard/rules/rules-form.js',
      'dashboard/insights/tips.js',
    ],
  },
  'docs.css': { type: CSS, sources: [...SITE_CSS, 'docs/docs.css', 'docs/operation.css', 'docs/guide.css'] },
  'docs.js': { type: JS, sources: ['docs/send.js'] },
  'htmx.js': { type: JS, sources: [HTMX] },
  'display.woff2': { type: WOFF2, sources: [FACE] },
  // How to allow pop-ups, loaded where they are blocked.
  ...Object.fromEntries(
    ['chrome', 'firefox', 'safari', 'android', 'switch'].map((kind) => [
      `blocked-${kind}.svg`,
      { type: 'image/svg+xml', sources: [`launcher/blocked-${kind}.svg`] },
    ]),
  ),
  'icon.svg': { type: 'image/svg+xml', sources: ['parts/icon.svg'] },
}
