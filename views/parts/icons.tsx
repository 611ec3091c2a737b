/** @jsxImportSource @kitajs/html */
import { lazy } from '../../src/core/lazy.ts'
import { asset, assetAt } from './static.ts'

const PATHS = {
  copy: 'M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z',
  bookmark: 'M4 2.5h8v11l-4-3-4 3z',
  qr: 'M2.5 2.5h4v4h-4zm7 0h4v4h-4zm-7 7h4v4h-4zm7 0v4m4-4v1.5m0 2.5h-1.5',
  bundles: 'M2.5 5.5l5.5-3 5.5 3-5.5 3zm0 3l5.5 3 5.5-3m-11 3l5.5 3 5.5-3',
  idea: 'M13.5 9.5a2 2 0 0 1-2 2H6.7L3.5 14V4.5a2 2 0 0 1 2-2h6a2 2 0 0 1 2 2zM8.5 5v4m-2-2h4',
  phone: 'M5 1.5h6v13H5zm2.5 10.5h1',
  key: 'M9.2 6.8a3.2 3.2 0 1 0-1.4 1.4l1.2 1.3h1.5v1.5h1.5v1.5h2v-2z',
  webhook: 'M2.5 4h7m-7 0v8h7m0-8v3m0 2v3m4-4h-6m4-2l2 2-2 2',
  people:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm-4.5 6c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4m-.5-11a2.5 2.5 0 0 1 0 5m2 2.3c1.5.5 2.5 1.8 2.5 3.7',
  settings: 'M2.5 4.5h5m4 0h2m-11 7h2m4 0h5M9.5 2.8v3.4M6.5 9.8v3.4',
  switch: 'M5 6l3-3 3 3m-6 4l3 3 3-3',
  sort: 'M3 4.5h10M5 8h6m-4 3.5h2',
  tag: 'M2.5 3.5a1 1 0 0 1 1-1h4l6 6-5 5-6-6zm3 2v.02',
  move: 'M2 4.5a1 1 0 0 1 1-1h3l1.5 2H13a1 1 0 0 1 1 1v5a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1zM6 9h4m-1.5-1.5L10 9l-1.5 1.5',
  folder: 'M2 4.5a1 1 0 0 1 1-1h3l1.5 2H13a1 1 0 0 1 1 1v5a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z',
  check: 'M3 8.5l3.2 3.2 6.8-7.2',
  plus: 'M8 3v10M3 8h10',
  section: 'M2.5 4h11m-11 4h6m-6 4h8',
  search: 'M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zm3.6-1.4l3.4 3.4',
  more: 'M3.5 7.5v1M8 7.5v1M12.5 7.5v1',
  chart: 'M2.5 13.5h11m-9-3v-3m3.5 3v-7m3.5 7v-5',
  rules: 'M2.5 3.5h4l3 4.5-3 4.5h-4m7-4.5h4m-2-2l2 2-2 2',
  history: 'M2.5 8a5.5 5.5 0 1 0 1.8-4.1L2.5 5.5m0-3v3h3M8 5v3.2l2 1.3',
  edit: 'M10.5 3l2.5 2.5-7.5 7.5H3v-2.5z',
  trash: 'M2.5 4.5h11m-7 0v-2h3v2m-5.5 0l.6 9h6.8l.6-9',
  up: 'M8 13V3.5M4 7.5l4-4 4 4',
  down: 'M8 3v9.5M4 8.5l4 4 4-4',
  grip: 'M6 3.5v1M6 7.5v1M6 11.5v1M10 3.5v1M10 7.5v1M10 11.5v1',
  out: 'M9.5 2.5h4v4m0-4l-6 6m4 1v4h-9v-9h4',
  leave: 'M8.5 2.5h-6v11h6m-2.5-5.5h7.5m-3-3l3 3-3 3',
  cross: 'M4 4l8 8m0-8l-8 8',
  nest: 'M5.5 2.5h-3v11h3m5-11h3v11h-3M6 8h4',
  unnest: 'M5.5 2.5h-3v3m0 5v3h3m5-11h3v3m0 5v3h-3',
  alert: 'M8 2.5l6 11H2zM8 7v3m0 1.8v.2',
  eye: 'M1.5 8s2.4-4.5 6.5-4.5S14.5 8 14.5 8 12.1 12.5 8 12.5 1.5 8 1.5 8zm6.5 2a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  share: 'M8 9.5v-7m-2.5 2.5L8 2.5 10.5 5M4.5 7.5h-1v6h9v-6h-1',
  download: 'M8 2.5v8m-3-3l3 3 3-3m-8.5 6h11',
} as const

export type IconName = keyof typeof PATHS

/** Each icon is rendered once, because a list page has hundreds. */
const drawn = new Map<IconName, JSX.Element>()

/** A decorative icon beside a label; hidden from screen readers. */
export function Icon({ name }: { name: IconName }): JSX.Element {
  let icon = drawn.get(name)
  if (icon === undefined) {
    icon = (
      <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={PATHS[name]} />
      </svg>
    )
    drawn.set(name, icon)
  }
  return icon
}

/** The service's icon as SVG elements in a 32 × 32 square, for use within another drawing. */
export const markDrawing = lazy((): string => {
  const { body = '' } = assetAt(asset('icon.svg')) ?? {}
  return String(body).replace(/^<svg[^>]*>|<\/svg>\s*$/g, '')
})
