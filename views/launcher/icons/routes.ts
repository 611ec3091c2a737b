import { Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { headersWith } from '../../../src/http/respond.ts'
import { iconPng } from '../../../src/icons/kept.ts'
import { picturePng } from '../../../src/start-page/pictures.ts'

/** Memory for icons in bytes: popular ones are on many launchers. */
const MAX_BYTES = 4 * 2 ** 20

const NAME = /^([\w-]{22})\.png$/

/** Permissions of an icon opened as a page: none. */
const SANDBOX = "default-src 'none'; frame-ancestors 'none'; sandbox"

/**
 * The icons of sites and the pictures of organisations, each at its own permanent address. Only somebody who saw an address on a
 * page knows it.
 */
export function iconPages({ store }: Pick<Service, 'store'>) {
  const kept = new LRUCache<string, Uint8Array<ArrayBuffer>>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ byteLength }) => byteLength,
  })
  const read = async (id: string) => {
    const icon = await iconPng(store, id)
    // A picture is not kept: it ends with its organisation, or when that gets another.
    const png = icon ?? (await picturePng(store, id))
    if (png === null) throw noIcon()
    const bytes = new Uint8Array(png)
    if (icon !== null) kept.set(id, bytes)
    return bytes
  }
  return new Elysia().get(routes.icon.path, async ({ params }) => {
    const [, id] = NAME.exec(params.icon) ?? []
    if (id === undefined) throw noIcon()
    return new Response(kept.get(id) ?? (await read(id)), {
      headers: headersWith({
        'content-type': 'image/png',
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': SANDBOX,
        // The editor’s preview is a frame with an opaque origin.
        'cross-origin-resource-policy': 'cross-origin',
      }),
    })
  })
}

function noIcon(): Problem {
  return new Problem('NOT_FOUND', 'There is no such icon.')
}
