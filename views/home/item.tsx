/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { fingerprint } from '../../src/core/hash.ts'
import { destination, hostText, withBraces } from '../parts/destination.ts'
import { described, FieldError } from '../parts/fields.tsx'
import { Icon } from '../parts/icons.tsx'
import { attribute } from '../parts/layout.tsx'
import { Tile } from '../parts/tile.tsx'
import type { ListedLink } from './form.ts'

interface ItemProps {
  link: ListedLink
  /** Its place among the links that stay, from 1. */
  number: number
  hasFocus: boolean
}

const namesInBraces = (url: string) => Array.from(url.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)

/** A found link: its site, its title to change, and a way to leave it out, or to put it back. */
export function Item({ link, number, hasFocus }: ItemProps): JSX.Element {
  const { url, title, found, isRemoved, error } = link
  const to = URL.canParse(url) ? destination(url) : null
  const host = to === null ? url : hostText(to)
  const id = `title-${fingerprint(url)}`
  const called = title.trim() || host
  return (
    <li class={['item', isRemoved && 'removed']}>
      <input type="hidden" name="url" value={attribute(url)} />
      <input type="hidden" name="was" value={attribute(found)} />
      {isRemoved ? (
        <>
          <input type="hidden" name="note" value={attribute(title)} />
          <input type="hidden" name="removed" value={attribute(url)} />
          <p class="gone">
            {'Removed: '}
            <bdi safe>{called}</bdi>
          </p>
          <button
            type="submit"
            name="do"
            value={attribute(`back-${url}`)}
            class="small"
            id={id}
            autofocus={hasFocus}
            aria-label={attribute(`Put back ${called}`)}
          >
            Put back
          </button>
        </>
      ) : (
        <>
          <Tile url={url} />
          <div class="duo">
            <input
              id={id}
              name="note"
              value={attribute(title)}
              aria-label={`Title of link ${number}`}
              placeholder="Add a title"
              dir="auto"
              autocomplete="off"
              autofocus={hasFocus}
              {...described(id, error)}
            />
            <bdi class="host" dir="ltr" title={attribute(url)}>
              {escapeHtml(host)}
              <span class="path" safe>
                {withBraces(to?.path ?? '', namesInBraces(url))}
              </span>
            </bdi>
            <FieldError id={id} error={error} />
          </div>
          <button
            type="submit"
            name="do"
            value={attribute(`remove-${url}`)}
            class="quiet remove"
            aria-label={attribute(`Remove ${called}`)}
            title="Remove"
          >
            <Icon name="cross" />
          </button>
        </>
      )}
    </li>
  )
}
