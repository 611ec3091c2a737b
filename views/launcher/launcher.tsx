/** @jsxImportSource @kitajs/html */

import { type Filling, fillText, queryOf } from '../../src/core/template.js'
import { count } from '../../src/core/words.ts'
import type { PublicBundle } from '../../src/launcher/served.ts'
import type { Outside } from '../../src/launcher/times.ts'
import { Document, type Site } from '../parts/layout.tsx'
import { asset } from '../parts/static.ts'
import { Ask } from './ask.tsx'
import { Bar, type Unlocked } from './bar.tsx'
import { Filled, Stressed } from './filled.tsx'
import { AddressBar, OpenGraph } from './head.tsx'
import { OwnersNotice, UnclaimedWarning } from './notices.tsx'
import { pictureName, pictureWords } from './picture.ts'
import { Sections } from './sections.tsx'
import { Top } from './top.tsx'

interface LauncherProps {
  site: Site
  bundle: PublicBundle
  filling: Filling
  /** The variables whose values decide which tabs there are. */
  deciding?: readonly string[]
  /** What its form carries: `Carried`. */
  carried?: JSX.Element
  /** For its owner, why viewers do not see it now. */
  outside?: Outside | null
  /** After its password was given, what its own addresses would not give without it. */
  unlocked?: Unlocked | undefined
}

/**
 * The launcher. It is complete without JavaScript: every tab is a link,
 * and controls that need the script are hidden.
 */
export function LauncherPage(props: LauncherProps): JSX.Element {
  const { site, bundle, filling, unlocked } = props
  const asks = bundle.variables.length > 0
  const picture = pictureName(pictureWords(site.name, bundle))
  const heading = fillText(headingOf(bundle), filling.values)
  return (
    <Document
      title={`${heading} · ${site.name}`}
      styles="launcher.css"
      scripts={asks ? ['launcher.js', 'fill.js'] : ['launcher.js']}
      head={
        <>
          {asks ? <link rel="stylesheet" href={asset('values.css')} /> : ''}
          <noscript>
            <link rel="stylesheet" href={asset('scriptless.css')} />
          </noscript>
          {unlocked === undefined ? (
            <>
              <AddressBar bundle={bundle} />
              <Alternates slug={bundle.slug} query={queryOf(filling)} />
              <OpenGraph site={site} bundle={bundle} heading={heading} picture={picture} />
            </>
          ) : (
            <meta name="robots" content="noindex" />
          )}
        </>
      }
    >
      <Launcher {...props} />
    </Document>
  )
}

interface PreviewProps extends LauncherProps {
  /** The index of the tab that is being edited, which is scrolled into view; null for none. */
  edited: number | null
}

/** The launcher as it looks with JavaScript, inert and without scripts, for a sandboxed frame. */
export function LauncherPreview({ site, bundle, filling, outside = null, edited }: PreviewProps): JSX.Element {
  return (
    <Document title="Preview" styles="preview.css" scripts={[]} head={undefined}>
      <Launcher site={site} bundle={bundle} filling={filling} outside={outside} preview={{ edited }} />
    </Document>
  )
}

/** The page itself. @param preview only in a preview. */
export function Launcher({
  site,
  bundle,
  filling,
  deciding = [],
  carried = '',
  outside = null,
  unlocked,
  preview,
}: LauncherProps & { preview?: Pick<PreviewProps, 'edited'> }): JSX.Element {
  const { slug, urls, urlMetadata, variables, title, description, rule, ...rest } = bundle
  const { organization, isUnclaimed, isProtected, isCopyable, siteIcons: _, hasRules: __, ...forgotten } = rest
  // A new field that viewers may see does not compile until this page has it.
  forgotten satisfies Record<string, never>
  const badge = rule?.badge ?? null
  const openable = urls.filter((_, index) => urlMetadata[index]?.openPolicy !== 'manual').length
  return (
    <>
      <Top site={site} organization={organization} urls={urls} />
      <main data-slug={slug} data-rule={rule?.id ?? ''} inert={preview !== undefined}>
        {outside === null ? '' : <OwnersNotice outside={outside} />}
        <h1 dir="auto">
          <Filled text={headingOf({ title, urls })} variables={variables} filling={filling} />
        </h1>
        {description ? (
          <p class="description" dir="auto">
            <Stressed text={description} variables={variables} filling={filling} />
          </p>
        ) : (
          ''
        )}
        {badge === null ? (
          ''
        ) : (
          <p class="badge" dir="auto" safe>
            {`For: ${badge}`}
          </p>
        )}
        {isUnclaimed ? <UnclaimedWarning urls={urls} /> : ''}
        <Ask bundle={bundle} filling={filling} deciding={deciding} openable={openable} carried={carried} />
        <Bar
          site={site}
          bundle={bundle}
          filling={filling}
          openable={openable}
          unlocked={unlocked}
          isPreview={preview !== undefined}
        />
        <Sections bundle={bundle} filling={filling} edited={preview?.edited} />
        {isProtected ? <p class="reach">{REACH}</p> : ''}
        <footer>
          <a href="/" safe>{`Made with ${site.name}`}</a>
          {isCopyable ? (
            <a id="own-copy" href={`/l/${slug}/copy`}>
              Make a copy
            </a>
          ) : (
            ''
          )}
          {isUnclaimed ? <a href={`/l/${slug}/report`}>Report this page</a> : ''}
        </footer>
      </main>
    </>
  )
}

/** What protecting a launcher does not do. */
export const REACH =
  'Only this page is protected. The tabs’ own addresses aren’t protected: whoever has one can open it.'

/** The name of a bundle: its title, otherwise its number of links. */
export function headingOf({ title, urls }: Pick<PublicBundle, 'title' | 'urls'>): string {
  return title || count(urls.length, 'link')
}

/** The same tabs for agents and programs, and how they change. */
function Alternates({ slug, query }: Pick<PublicBundle, 'slug'> & { query: string }): JSX.Element {
  return (
    <>
      <link rel="alternate" type="text/markdown" href={`/l/${slug}.md${query}`} />
      <link rel="alternate" type="application/json" href={`/l/${slug}.json${query}`} />
      <link rel="alternate" type="application/atom+xml" href={`/l/${slug}/feed`} />
    </>
  )
}
