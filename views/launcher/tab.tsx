/** @jsxImportSource @kitajs/html */

import { marksOf } from '../../src/bundles/link-fields.ts'
import { asSentence } from '../../src/core/words.ts'
import type { PublicBundle } from '../../src/launcher/served.ts'
import { destination } from '../parts/destination.ts'
import { Each } from '../parts/each.tsx'
import { attribute } from '../parts/layout.tsx'

/** A note up to this length is the tab's name; a longer one is shown below it. */
const NAME_LENGTH = 90

interface TabProps {
  url: string
  metadata: PublicBundle['urlMetadata'][number]
  /** In a preview, the tab that is being edited. */
  kind: 'edited' | undefined
}

/** A tab of a bundle, as a link. */
export function Tab({ url, metadata, kind }: TabProps) {
  const { note = '', tags = [], openPolicy } = metadata
  const marks = marksOf(metadata)
  // Always in punycode, because `аpple.com` with a Cyrillic а looks like another host.
  const { href, host, path } = destination(url)
  const [first = '', ...more] = note.trim().split('\n')
  const name = first.length <= NAME_LENGTH ? first : ''
  const text = name === '' ? note.trim() : more.join('\n').trim()
  return (
    <li class={kind}>
      <span class="mark" aria-hidden="true" safe>
        {([...host.replace(/^www\./, '')][0] ?? '').toUpperCase()}
      </span>
      <a
        class="tab"
        href={attribute(href)}
        target="_blank"
        rel="noopener noreferrer"
        data-open={openPolicy === 'manual' ? 'manual' : 'auto'}
      >
        <span class="name" dir="auto" safe>
          {name || host}
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
            <span safe>{path}</span>
          </span>
        )}
      </a>
      {text === '' ? (
        ''
      ) : (
        <p class="note" dir="auto" safe>
          {text}
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
