import { renderSVG } from 'uqr'

/** A link as a QR code in SVG, with the margin of ISO/IEC 18004. @throws RangeError if `qrProblem` gives a reason. */
export function qrCode(link: string): string {
  return renderSVG(link, { border: 4 })
}
