import { renderSVG } from 'uqr'

/** A link as a QR code, in SVG. @throws RangeError where `qrProblem` has an answer. */
export function qrCode(link: string): string {
  return renderSVG(link, { border: 2 })
}
