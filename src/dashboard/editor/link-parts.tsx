/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { LinkRows } from '../../../views/dashboard/editor/link-rows.tsx'
import { AddedLinks } from '../../../views/home/found.tsx'
import { seenElsewhere } from '../../bundles/seen.ts'
import { json } from '../../http/respond.ts'
import { signedIn } from '../../identity/caller.ts'
import { iconsFor } from '../parts/icons.ts'
import type { Screen } from '../parts/screens.tsx'
import { NEW_FORM, pastedIn, readBundleForm } from './bundle-form.ts'
import { checkedForm } from './checked-form.ts'

/** What the script of the editor asks for about links, of a new bundle and of a saved one. */
export const linkPartScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/new/seen',
    /** The other bundles in which links stand, for the script. */
    async post({ service, context }, sent) {
      const { store } = service
      const links = await seenElsewhere(store, signedIn(context.caller), sent.getAll('url'), sent.get('slug') ?? '')
      return json({ links }, 200)
    },
  },
  {
    path: '/dashboard/links/new/rows',
    /** The pasted links as rows, or one empty row. */
    async post(visit, sent) {
      const pasted = new URLSearchParams({ more: sent.get('text') ?? '' })
      const list = await pastedIn(pasted)
      const { links } = readBundleForm(pasted, NEW_FORM, list)
      const rows = links.length === 0 ? NEW_FORM.links : links
      const ids = `link-${randomUUID().slice(0, 8)}`
      const icons = await iconsFor(visit, { urls: rows.map(({ url }) => url), icons: sent.get('icons') !== 'no' })
      return {
        part: (
          <>
            <LinkRows
              links={rows}
              checked={checkedForm(NEW_FORM, null)}
              names={[]}
              ids={ids}
              focus={null}
              seen={[]}
              icons={icons}
            />
            <div id="found" role="status" hx-swap-oob="innerHTML">
              {list === null ? '' : <AddedLinks list={list} />}
            </div>
          </>
        ),
      }
    },
  },
]
