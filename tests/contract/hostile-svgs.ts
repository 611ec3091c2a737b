import { plainPng } from './icon-files.ts'

// SVGs of a few bytes that would take a renderer minutes or gigabytes, written so that it does not show; and ones that only look so.

const NAMESPACE = 'http://www.w3.org/2000/svg'
const svg = (inner: string, attributes = 'viewBox="0 0 64 64"') =>
  new TextEncoder().encode(`<svg xmlns="${NAMESPACE}" xmlns:é="${NAMESPACE}" ${attributes}>${inner}</svg>`)
const line = (d: string, width: string) =>
  `<path fill="none" stroke="#123" stroke-width="${width}" stroke-linejoin="round" d="M0 0${d}"/>`
/** Three times as many of the picture before, so often. */
const tripled = (kind: string, levels: number, use: (id: string) => string) =>
  Array.from({ length: levels }, (_, at) => `<${kind} id="p${at + 1}">${use(`p${at}`).repeat(3)}</${kind}>`).join('')
const large = Buffer.from(plainPng(30_000, 30_000, [0, 0, 0, 255])).toString('base64')

export const HOSTILE_SVGS: Record<string, Uint8Array<ArrayBuffer>> = {
  'svg-picture-renamed': svg(`<é:image width="64" height="64" href="data:image/png;base64,${large}"/>`),
  'svg-noise-renamed': svg(
    `<é:filter id="f">${'<é:feTurbulence baseFrequency=".9" numOctaves="100000"/>'.repeat(50)}</é:filter><rect width="64" height="64" filter="url(#f)"/>`,
  ),
  'svg-style-renamed': svg(
    '<é:style>g { mask: url(#m) }</é:style><mask id="m"><g><rect width="9" height="9"/></g></mask><g/>',
  ),
  'svg-style-unended': svg(
    '<style><![CDATA[ </style ]]> g { mask: url(#m) }</style><mask id="m"><g><rect width="9" height="9"/></g></mask><g/>',
  ),
  'svg-uses-renamed': svg(
    `<g id="p0"><rect width="9" height="9"/></g>${tripled('g', 10, (id) => `<é:use href="#${id}"/>`)}<é:use href="#p10"/>`,
  ),
  'svg-masks': svg(
    `${tripled('mask', 10, (id) => `<rect width="64" height="64" mask="url(#${id})"/>`)}<rect width="64" height="64" mask="url(#p10)"/>`,
  ),
  'svg-dashes': svg(`<path stroke="red" stroke-dasharray="0.0002" d="M0 0H64"/>`.repeat(700)),
  'svg-far-outline': svg(line('C9e9 9e9 9e9 0 3 3'.repeat(9), '1e9'), 'viewBox="0 0 1 1"'),
  'svg-outline-step-by-step': svg(line('s9999 1 1 9999'.repeat(900), '9999')),
  'svg-outline-enlarged': svg(
    `<g transform="scale(9000)"><g transform="scale(9000)">${line('C9 9 9 0 3 3'.repeat(9), '9')}</g></g>`,
  ),
  'svg-outline-near': svg(line('C9 9 9 0 3 3'.repeat(9), '9'), 'width="64" height="64" viewBox="0 0 .000001 .000001"'),
  'svg-many-outlines': svg(line('C9 64 64 0 32 32'.repeat(3_500), '50')),
  // These take whoever looks for such things long.
  'svg-unended-styles': svg('<style'.repeat(10_000)),
  'svg-unended-types': svg('<!DOCTYPE'.repeat(7_000)),
}

/** As programs that draw icons write them. */
export const USUAL_SVGS: Record<string, Uint8Array<ArrayBuffer>> = {
  'svg-outline': svg(
    '<path d="M3 9l9-7 9 7v11a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z" stroke-linecap="round" stroke-linejoin="round"/>',
    'width="1em" height="1em" viewBox="0 0 24 24" fill="none" stroke="#1e5f74" stroke-width="2"',
  ),
  'svg-clipped': svg(
    '<g clip-path="url(#clip0_12345_67890)"><circle cx="16" cy="16" r="12" stroke="url(#paint0_linear_12345_6)"/></g><defs><linearGradient id="paint0_linear_12345_6" gradientTransform="matrix(20 0 0 20 6 6)"><stop stop-color="#05c"/><stop offset="1"/></linearGradient><clipPath id="clip0_12345_67890"><rect width="32" height="32"/></clipPath></defs>',
    'width="32" height="32" viewBox="0 0 32 32" fill="none"',
  ),
  'svg-traced': svg(
    '<g transform="translate(0,700) scale(0.1,-0.1)" fill="#0a0" stroke="none"><path d="M1234 6000l3000 -5000l1000 2000z"/></g>',
    'version="1.0" width="700pt" height="700pt" viewBox="0 0 700 700"',
  ),
  'svg-styled-shape': svg('<style>.a{fill:#123456}.b{stroke:none}</style><path class="a b" d="M1 1h60v60z"/>'),
}
