import { lazy } from '../../src/core/lazy.ts'
import { asset, assetAt } from './static.ts'

/** The service's icon as SVG elements on a square of 32 by 32, to stand in another drawing. */
export const markDrawing = lazy((): string => {
  const { body = '' } = assetAt(asset('icon.svg')) ?? {}
  return String(body).replace(/^<svg[^>]*>|<\/svg>\s*$/g, '')
})
