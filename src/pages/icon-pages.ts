import { Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { headersWith } from '../http/respond.ts'
import { iconPng } from '../icons/kept.ts'
import { ICONS_PATH } from '../icons/site.ts'

/** Icons that are kept in memory: popular ones are on many launchers. */
const MAX_BYTES = 4 * 2 ** 20

const NAME = /^([\w-]{22})\.png$/

/** What an answer may do if somebody opens it: nothing. */
const SANDBOX = "default-src 'none'; frame-ancestors 'none'; sandbox"

/** The icons of sites, each for ever at its own address. Whoever knows an address has seen it on a page. */
export function iconPages({ store }: Pick<Service, 'store'>) {
  const kept = new LRUCache<string, Uint8Array<ArrayBuffer>>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ byteLength }) => byteLength,
  })
  const read = async (id: string) => {
    const png = await iconPng(store, id)
    if (png === null) throw noIcon()
    const bytes = new Uint8Array(png)
    kept.set(id, bytes)
    return bytes
  }
  return new Elysia().get(`${ICONS_PATH}/:icon`, async ({ params }) => {
    const [, id] = NAME.exec(params.icon) ?? []
    if (id === undefined) throw noIcon()
    return new Response(kept.get(id) ?? (await read(id)), {
      headers: headersWith({
        'content-type': 'image/png',
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': SANDBOX,
        // The editor’s preview is a frame without an origin.
        'cross-origin-resource-policy': 'cross-origin',
      }),
    })
  })
}

function noIcon(): Problem {
  return new Problem('NOT_FOUND', 'There is no such icon.')
}
