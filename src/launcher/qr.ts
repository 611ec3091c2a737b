import { renderSVG } from 'uqr'

/** A link as a QR code, in SVG. */
export function qrCode(link: string): string {
  return renderSVG(link, { border: 2 })
}
