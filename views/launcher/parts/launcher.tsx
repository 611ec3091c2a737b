/** @jsxImportSource @kitajs/html */

import type { Variable } from '../../../db/schema.ts'
import { omit } from '../../../src/bundles/content/content.ts'
import { isDated } from '../../../src/core/dates.js'
import { routes } from '../../../src/core/routes.ts'
import { type Filling, fillText, queryOf } from '../../../src/core/template.js'
import { count } from '../../../src/core/words.ts'
import type { Outside } from '../../../src/launcher/access.ts'
import type { PublicBundle } from '../../../src/launcher/served.ts'
import { hostsOf } from '../../parts/destination.ts'
import { ExactTime, fromNow } from '../../parts/exact-time.tsx'
import { Document, Each, type Site } from '../../parts/layout.tsx'
import { asset } from '../../parts/static.ts'
import { Ask } from './ask.tsx'
import { Bar, type Unlocked } from './bar.tsx'
import { Filled, Stressed } from './filled.tsx'
import { AddressBar, OpenGraph } from './head.tsx'
import { directionOf, pictureName, pictureWords } from './picture.ts'
import { Sections } from './rows.tsx'
import { Top } from './top.tsx'

interface LauncherProps {
  site: Site
  bundle: PublicBundle
  filling: Filling
  /** The variables whose values decide which tabs there are. */
  deciding?: readonly string[]
  /** The rendered `Carried` fields. */
  carried?: JSX.Element
  /** Whether the viewer has no session, and signing in may show them more. */
  signsIn?: boolean
  /** For the owner: why viewers do not see the launcher now. */
  outside?: Outside | null
  /** After a password: the other forms, whose own addresses would require it. */
  unlocked?: Unlocked | undefined
}

/** The launcher. It is complete without JavaScript: every tab is a link, and controls that need the script are hidden. */
export function LauncherPage(props: LauncherProps): JSX.Element {
  const { site, bundle, filling, unlocked } = props
  const asks = bundle.variables.length > 0
  const picture = pictureName(pictureWords(site.name, bundle))
  const heading = fillText(headingOf(bundle), filling.values)
  return (
    <Document
      title={`${heading} · ${site.name}`}
      styles="launcher.css"
      scripts={asks ? [...(bundle.variables.some(isDated) ? ['dates.js'] : []), 'fill.js'] : ['launcher.js']}
      head={
        <>
          {asks ? <link rel="stylesheet" href={asset('values.css')} /> : ''}
          <noscript>
            <link rel="stylesheet" href={asset('scriptless.css')} />
          </noscript>
          {unlocked === undefined ? (
            <>
              <AddressBar bundle={bundle} />
              <Alternates bundle={bundle} query={queryOf(filling)} />
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
  /** The index of the edited tab, which is scrolled into view; null for none. */
  edited: number | null
}

/** The launcher as it looks with JavaScript, but inert and without scripts, for a sandboxed frame. */
export function LauncherPreview({ site, bundle, filling, outside = null, edited }: PreviewProps): JSX.Element {
  return (
    <Document title="Preview" styles="preview.css" scripts={[]} head={undefined}>
      <Launcher site={site} bundle={bundle} filling={filling} outside={outside} preview={{ edited }} />
    </Document>
  )
}

const NOT_SHOWN = ['siteIcons', 'hasRules'] as const

/** The body of the launcher page. @param preview only in a preview. */
export function Launcher({
  site,
  bundle,
  filling,
  deciding = [],
  carried = '',
  signsIn = false,
  outside = null,
  unlocked,
  preview,
}: LauncherProps & { preview?: Pick<PreviewProps, 'edited'> }): JSX.Element {
  const { slug, urls, urlMetadata, variables, title, description, rule, ...rest } = bundle
  const { organization, isUnclaimed, isProtected, isCopyable, ...others } = rest
  // A new field for viewers does not compile until this page shows it.
  omit(NOT_SHOWN, others) satisfies Record<string, never>
  const badge = rule?.badge ?? null
  const openable = urls.filter((_, index) => urlMetadata[index]?.openPolicy !== 'manual').length
  return (
    <>
      <Top site={site} organization={organization} urls={urls} />
      <main class={directionOf(bundle)} data-slug={slug} data-rule={rule?.id ?? ''} inert={preview !== undefined}>
        {outside !== null && <OwnersNotice outside={outside} />}
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
        {badge !== null && (
          <p class="badge" dir="auto" safe>
            {`For: ${badge}`}
          </p>
        )}
        {isUnclaimed && <UnclaimedWarning urls={urls} />}
        <Ask bundle={bundle} filling={filling} deciding={deciding} openable={openable} carried={carried} />
        <Bar
          site={site}
          bundle={bundle}
          filling={filling}
          openable={openable}
          unlocked={unlocked}
          isPreview={preview !== undefined}
        />
        <p id="links" class="late">
          This button works once the page has loaded completely. Open each link below, or wait a moment and press again.
        </p>
        <Sections bundle={bundle} filling={filling} edited={preview?.edited} />
        {signsIn && (
          <p class="reach">
            <a href={`${routes.account.signIn.href()}?next=${routes.launcher.page.href({ slug })}`}>
              Sign in to see more
            </a>
          </p>
        )}
        {isProtected && <p class="reach">{REACH}</p>}
        <footer>
          <a href="/" safe>{`Made with ${site.name}`}</a>
          {isCopyable && (
            <a id="own-copy" href={routes.launcher.copy.href({ slug })}>
              Make a copy
            </a>
          )}
          {unlocked === undefined && (
            <a id="remind" href={`${routes.launcher.remind.href({ slug })}${lastingQuery(variables, filling)}`}>
              Remind me
            </a>
          )}
          {isUnclaimed && <a href={routes.launcher.report.href({ slug })}>Report this page</a>}
        </footer>
      </main>
    </>
  )
}

/** The values for another day: a date that was filled in for today would stay. */
function lastingQuery(variables: readonly Variable[], filling: Filling): string {
  return variables.some(isDated) ? '' : queryOf(filling)
}

/** The limits of protecting a launcher. */
export const REACH =
  'Only this page is protected. The tabs’ own addresses aren’t protected: whoever has one can open it.'

/** The name of a bundle: its title or else its number of links. */
export function headingOf({ title, urls }: Pick<PublicBundle, 'title' | 'urls'>): string {
  return title || count(urls.length, 'link')
}

/** Links to the tabs and their changes, for agents and programs. Feed readers can neither sign in nor give a password. */
function Alternates({ bundle, query }: { bundle: PublicBundle; query: string }): JSX.Element {
  const { slug, isProtected } = bundle
  return (
    <>
      <link rel="alternate" type="text/markdown" href={`${routes.launcher.markdown.href({ slug })}${query}`} />
      <link rel="alternate" type="application/json" href={`${routes.launcher.json.href({ slug })}${query}`} />
      {!isProtected && <link rel="alternate" type="application/atom+xml" href={routes.launcher.feed.href({ slug })} />}
    </>
  )
}

/** Tells the owner that viewers do not see the launcher now. */
function OwnersNotice({ outside }: { outside: Outside }): JSX.Element {
  const isBefore = outside.kind === 'before'
  const at = isBefore ? outside.opensAt : outside.closesAt
  return (
    <p class="outside">
      <strong safe>{`${isBefore ? 'Opens' : 'Closed'} ${fromNow(at)}`}</strong>
      {', on '}
      <ExactTime at={at} />
      {isBefore ? '. Until then, only its owner sees this page.' : '. Only its owner still sees this page.'}
    </p>
  )
}

/** How many hosts are listed; the others are only counted if there are several, because every tab shows its own. */
const MOST_HOSTS = 3

/** A warning on unclaimed bundles, for which nobody is responsible: names the hosts before anything opens. */
function UnclaimedWarning({ urls }: { urls: readonly string[] }): JSX.Element {
  const hosts = hostsOf(urls)
  const shown = hosts.length <= MOST_HOSTS + 1 ? hosts : hosts.slice(0, MOST_HOSTS)
  const more = hosts.length - shown.length
  return (
    <p class="unclaimed">
      <span>Made without an account. These links go to </span>
      <Each
        of={shown}
        show={(host, index) => (
          <>
            {index !== 0 && ', '}
            <strong dir="ltr" safe>
              {host}
            </strong>
          </>
        )}
      />
      {more !== 0 && <span safe>{` and ${more} more`}</span>}.
    </p>
  )
}
