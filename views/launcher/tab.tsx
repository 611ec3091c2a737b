/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { publicMarksOf } from '../../src/bundles/link-marks.ts'
import { namesIn } from '../../src/core/template.js'
import { asSentence } from '../../src/core/words.ts'
import type { SiteIcon } from '../../src/icons/site.ts'
import type { PublicBundle } from '../../src/launcher/served.ts'
import { destination, withBraces } from '../parts/destination.ts'
import { Each } from '../parts/each.tsx'
import { Tile } from '../parts/tile.tsx'
import { isRightToLeft } from './direction.ts'
import { Filled, type FilledProps, leadTo, Stressed } from './filled.tsx'

/** A note up to this length is the tab's name; a longer one is shown below it. */
const NAME_LENGTH = 90

interface TabProps {
  url: string
  metadata: PublicBundle['urlMetadata'][number]
  icon: SiteIcon | undefined
  /** Whether its icon is loaded only once it is about to be seen. */
  isLazy: boolean
  fill: FilledProps
  /** In a preview, the tab that is being edited. */
  kind: 'edited' | undefined
}

/** A tab of a bundle, as a link. */
export function Tab({ url, metadata, icon, isLazy, fill, kind }: TabProps) {
  const names = fill.variables.map(({ name }) => name)
  const own = namesIn(url, names)
  const { note = '', tags = [], openPolicy } = metadata
  const marks = publicMarksOf(metadata)
  // Always in punycode, because `аpple.com` with a Cyrillic а looks like another host.
  const { href, host, path } = destination(url)
  const [first = '', ...more] = note.trim().split('\n')
  const name = first.length <= NAME_LENGTH ? first : ''
  const text = name === '' ? note.trim() : more.join('\n').trim()
  return (
    // The whole row, address and mark too, begins where its first text begins.
    <li class={kind} dir={isRightToLeft(note) ? 'rtl' : undefined}>
      <Tile url={url} icon={icon} isLazy={isLazy} />
      <a
        class="tab"
        {...leadTo(url, fill)}
        data-link={own.length === 0 && href === url ? undefined : escapeHtml(url)}
        data-open={openPolicy === 'manual' ? 'manual' : 'auto'}
      >
        <span class="name" dir="auto">
          {name === '' ? escapeHtml(host) : <Stressed text={name} {...fill} />}
        </span>
        {name === '' && path === '' ? (
          ''
        ) : (
          <span class="where" dir="ltr">
            {name === '' ? (
              ''
            ) : (
              <span class="host" safe>
                {host}
              </span>
            )}
            <span>
              <Filled text={own.length === 0 ? path : withBraces(path, own)} {...fill} isAddress />
            </span>
          </span>
        )}
      </a>
      {text === '' ? (
        ''
      ) : (
        <p class="note" dir="auto">
          <Stressed text={text} {...fill} />
        </p>
      )}
      {marks.length + tags.length > 0 ? (
        <ul class="tags">
          <Each
            of={marks}
            show={(mark) => (
              <li class="by-hand" dir="auto" safe>
                {asSentence(mark)}
              </li>
            )}
          />
          <Each
            of={tags}
            show={(tag) => (
              <li dir="auto" safe>
                {tag}
              </li>
            )}
          />
        </ul>
      ) : (
        ''
      )}
    </li>
  )
}
