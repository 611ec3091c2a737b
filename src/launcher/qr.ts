import { renderSVG } from 'uqr'
import { linkOf } from '../bundles/link.ts'
import type { Site } from '../operations/operation.ts'

/** A launcher’s link as a QR code, in SVG. */
export function qrCode(slug: string, site: Site): string {
  return renderSVG(linkOf(slug, site), { border: 2 })
}
