/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { firstLine } from '../../../src/core/emphasis.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import { iconOf, siteNameOf } from '../../../src/icons/site.ts'
import { type ListedBundle, type StartPage, TILES } from '../../../src/start-page/listed.ts'
import { attribute, Document, Each, type Site } from '../../parts/layout.tsx'
import { Tile } from '../../parts/tile.tsx'
import { Sign } from '../parts/top.tsx'

interface StartProps extends StartPage {
  site: Site
  /** What the visitor searched for; `''` for nothing. */
  q: string
  /** The tag whose bundles are shown; `''` for all. */
  tag: string
  /** Whether this is a page after the first. */
  isLater: boolean
}

/** An organisation’s start page: its listed bundles, each with Open all. Without a script, each row is a link. */
export function StartView(props: StartProps): JSX.Element {
  const { site, organization, page, isMember, q, tag, isLater } = props
  const { bundles, nextCursor } = page
  const { name, handle } = organization
  const address = routes.startPage.page.href({ handle: handle ?? '' })
  const isFiltered = q !== '' || tag !== ''
  const pinned = isFiltered ? [] : bundles.filter(({ isPinned }) => isPinned)
  const others = isFiltered ? bundles : bundles.filter(({ isPinned }) => !isPinned)
  const head = (
    <>
      <meta name="robots" content="noindex" />
      <link rel="manifest" href="/site.webmanifest" />
      <link rel="alternate" type="application/json" href={routes.startPage.json.href({ handle: handle ?? '' })} />
      {/* A feed reader cannot sign in. */}
      {(!isMember || bundles.some(({ access }) => access === 'link')) && (
        <link rel="alternate" type="application/atom+xml" href={attribute(feedOf(handle ?? '', { q, tag }))} />
      )}
    </>
  )
  return (
    <Document title={name} styles="start.css" scripts={['start.js']} head={head}>
      <div id="live" class="visually-hidden" aria-live="polite"></div>
      <header class="team">
        <Sign organization={organization} look="sign" size={40} />
        <h1 dir="auto">{isFiltered || isLater ? <a href={address}>{escapeHtml(name)}</a> : escapeHtml(name)}</h1>
        <search>
          <form action={address}>
            <label class="visually-hidden" for="q">
              Search
            </label>
            <input id="q" type="search" name="q" value={attribute(q)} placeholder="Search" maxlength="200" />
            <kbd>/</kbd>
            <button type="submit" hidden>
              Search
            </button>
          </form>
        </search>
      </header>
      <main>
        <Tags address={address} tags={tagsOf(bundles, tag)} chosen={tag} />
        {bundles.length === 0 ? (
          <Empty isMember={isMember} isFiltered={isFiltered} address={address} />
        ) : (
          <>
            {pinned.length > 0 && <Rows heading="Pinned" bundles={pinned} />}
            {others.length > 0 && (
              <Rows
                heading={pinned.length > 0 || isLater ? 'More' : isFiltered ? 'Found' : 'Bundles'}
                bundles={others}
              />
            )}
          </>
        )}
        {nextCursor !== undefined && (
          <p class="pager">
            <a class="button" rel="next" href={attribute(`${address}?${queryOf({ q, tag, cursor: nextCursor })}`)}>
              Show more
            </a>
          </p>
        )}
      </main>
      <footer>
        <a href={routes.paste.href()} safe>{`Made with ${site.name}`}</a>
        {isMember ? (
          <a href={routes.bundles.list.href()}>Dashboard</a>
        ) : (
          <a href={attribute(`${routes.account.signIn.href()}?${new URLSearchParams({ next: address })}`)}>Sign in</a>
        )}
      </footer>
    </Document>
  )
}

/** The tags of the bundles on the page, by how many have them. */
function tagsOf(bundles: readonly ListedBundle[], chosen: string): string[] {
  const uses = new Map<string, number>(chosen === '' ? [] : [[chosen, Number.POSITIVE_INFINITY]])
  for (const { tags } of bundles) for (const tag of tags) uses.set(tag, (uses.get(tag) ?? 0) + 1)
  return [...uses]
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_TAGS)
    .map(([tag]) => tag)
}

/** The most tags that are offered. */
const MOST_TAGS = 8

function Tags({ address, tags, chosen }: { address: string; tags: readonly string[]; chosen: string }): JSX.Element {
  if (tags.length === 0) return ''
  return (
    <nav class="tags" aria-label="Tags">
      <Each
        of={tags}
        show={(tag) =>
          tag === chosen ? (
            <a class="chip" aria-current="true" href={address}>
              <span safe>{tag}</span>
              <span aria-hidden="true">×</span>
              <span class="visually-hidden">, show all</span>
            </a>
          ) : (
            <a class="chip" href={attribute(`${address}?${queryOf({ tag })}`)} safe>
              {tag}
            </a>
          )
        }
      />
    </nav>
  )
}

function queryOf(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== '')).toString()
}

function feedOf(handle: string, filter: Readonly<Record<'q' | 'tag', string>>): string {
  const query = queryOf(filter)
  return `${routes.startPage.feed.href({ handle })}${query === '' ? '' : `?${query}`}`
}

function Rows({ heading, bundles }: { heading: string; bundles: readonly ListedBundle[] }): JSX.Element {
  return (
    <section>
      <h2 safe>{heading}</h2>
      <ul>
        <Each of={bundles} show={(bundle) => <Row bundle={bundle} />} />
      </ul>
    </section>
  )
}

function Row({ bundle }: { bundle: ListedBundle }): JSX.Element {
  const { slug, title, description, tabs, urls, tags, isDirect, siteIcons } = bundle
  // Something to go by in each row, below its name.
  const line = description === null ? sitesIn(urls.slice(0, TILES)) : firstLine(description)
  const address = routes.launcher.page.href({ slug })
  const shown = urls.length > TILES ? urls.slice(0, TILES - 1) : urls
  return (
    <li>
      <span class="tiles" aria-hidden="true">
        <Each of={shown} show={(url) => <Tile url={url} icon={iconOf(url, siteIcons)} />} />
        {tabs > shown.length && (
          <span class="tile more" safe>
            {shown.length === 0 ? '…' : `+${tabs - shown.length}`}
          </span>
        )}
      </span>
      <a class="name" href={address}>
        <bdi safe>{title ?? address}</bdi>
      </a>
      {line !== '' && (
        <span class="line">
          <bdi safe>{line}</bdi>
        </span>
      )}
      <span class="count" safe>
        {count(tabs, 'tab')}
      </span>
      <span class="of">
        <bdi safe>{tags.join(', ')}</bdi>
      </span>
      {isDirect ? (
        <button type="button" class="waiting" data-slug={slug} aria-label={attribute(`Open all: ${title ?? slug}`)}>
          Open all
        </button>
      ) : (
        <a class="button" href={address} aria-label={attribute(`Open: ${title ?? slug}`)}>
          Open…
        </a>
      )}
    </li>
  )
}

/** `grafana.example, logs.example` */
function sitesIn(urls: readonly string[]): string {
  return [...new Set(urls.map(siteNameOf))].join(', ')
}

interface EmptyProps {
  isMember: boolean
  isFiltered: boolean
  address: string
}

function Empty({ isMember, isFiltered, address }: EmptyProps): JSX.Element {
  if (isFiltered) {
    return (
      <p class="empty">
        Nothing found. <a href={address}>Show all</a>
      </p>
    )
  }
  return isMember ? (
    <section class="empty">
      <h2>Nothing is listed yet</h2>
      <p>
        Open a bundle in the <a href={routes.bundles.list.href()}>dashboard</a> and switch on “List on the start page”.
        Everyone in the team then sees it here. Others see it too, if anyone with the link can open it.
      </p>
    </section>
  ) : (
    ''
  )
}
