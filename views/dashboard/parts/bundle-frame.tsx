/** @jsxImportSource @kitajs/html */

import type { Children, PropsWithChildren } from '@kitajs/html'
import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { linkOf } from '../../../src/bundles/links/link-fields.ts'
import { routes } from '../../../src/core/routes.ts'
import { allowsRole, type Role, type Subject } from '../../../src/identity/caller.ts'
import { headingOf } from '../../launcher/parts/launcher.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each, type SignedInUser } from '../../parts/layout.tsx'
import { roleOver } from '../../parts/visitor.ts'
import { Form, TabbedSheet } from './panel.tsx'
import { type DashboardSite, Head, Waiting } from './shell.tsx'

const TABS = {
  edit: { route: routes.bundle.edit, name: 'Links' },
  policy: { route: routes.bundle.rules, name: 'Rules' },
  versions: { route: routes.bundle.versions, name: 'Versions' },
  proposals: { route: routes.bundle.proposals, name: 'Suggestions' },
  insights: { route: routes.bundle.insights, name: 'Insights' },
} as const

const EXPORTS = [
  { route: routes.bundle.export.json, name: 'Export as JSON' },
  { route: routes.bundle.export.csv, name: 'Export as CSV' },
  { route: routes.bundle.export.html, name: 'Export as bookmarks' },
] as const

type BundleFrameProps = PropsWithChildren<{
  site: DashboardSite
  bundle: StoredBundle
  /** The current page of the bundle. */
  tab: keyof typeof TABS
  /** The title as an editable field. */
  title?: Children
}>

/** The head of every page of a bundle: its name, its link, and links to its other pages. */
export async function BundleFrame({ site, bundle, tab, title, children }: BundleFrameProps): Promise<string> {
  const { slug } = bundle
  const { openProposals, isPinned, isPinnedForEveryone } = await site.badges()
  const role = roleOver(bundle, site.user)
  const link = linkOf(slug, site)
  const pageOf = (key: keyof typeof TABS) => TABS[key].route.href({ slug })
  const counts = { edit: bundle.urls.length, policy: bundle.resolutionPolicy?.rules.length ?? 0 }
  const pages = (Object.keys(TABS) as (keyof typeof TABS)[]).map((key) => ({
    href: pageOf(key),
    name: TABS[key].name,
    ...(key === 'edit' || key === 'policy' ? { count: counts[key] } : {}),
    ...(key === 'proposals' ? { after: <Waiting number={openProposals} word="open" /> } : {}),
  }))
  return (
    <>
      <Head
        crumb={<BundlesCrumb />}
        title={headingOf(bundle)}
        names={bundle.variables.map(({ name }) => name)}
        edited={title}
        {...ownerOf(bundle, site)}
      >
        <span class="link">
          <bdi>
            <span class="host" safe>
              {new URL(link).host}
            </span>
            <span safe>{link.slice(new URL(link).origin.length, -slug.length)}</span>
            <b safe>{slug}</b>
          </bdi>
          <button type="button" data-text={link}>
            <span class="label">Copy</span>
            <span class="visually-hidden"> link</span>
          </button>
        </span>
        <a class="button" href={routes.launcher.page.href({ slug })} target="_blank" rel="noopener">
          <Icon name="out" />
          Open
        </a>
        <BundleMenu bundle={bundle} user={site.user} role={role}>
          <Pin slug={slug} isPinned={isPinned} />
          {bundle.listed && bundle.owner.type === 'organization' && allowsRole(role, 'admin') && (
            <Pin slug={slug} isPinned={isPinnedForEveryone} forEveryone />
          )}
          <a class="item" href={routes.launcher.qr.href({ slug })} download={`${slug}.svg`}>
            QR code
          </a>
          <a class="item" href={routes.launcher.remind.href({ slug })} hx-boost="false">
            Remind me
          </a>
          <Each
            of={EXPORTS}
            show={({ route, name }) => (
              <a class="item" href={route.href({ slug })} download="">
                {name}
              </a>
            )}
          />
        </BundleMenu>
      </Head>
      <TabbedSheet label="This bundle" pages={pages} at={pageOf(tab)}>
        {children}
      </TabbedSheet>
    </>
  )
}

/** The path from the list to a bundle's page. */
function BundlesCrumb(): JSX.Element {
  return (
    <nav class="crumb" aria-label="Where you are">
      <a href={routes.bundles.list.href()}>Bundles</a>
    </nav>
  )
}

/** The owner of a bundle from another workspace. */
function ownerOf({ owner }: StoredBundle, { user: { acting, organizations } }: DashboardSite): { lede?: string } {
  if (owner.type === 'user') return acting === null ? {} : { lede: 'Personal bundle' }
  const { organizationId } = owner
  if (organizationId === acting?.id) return {}
  const name = organizations.find(({ id }) => id === organizationId)?.name
  return name === undefined ? {} : { lede: `Belongs to ${name}` }
}

type BundleMenuProps = PropsWithChildren<{ bundle: StoredBundle; user: SignedInUser; role: Role }>

/** The menu of a bundle in two groups: what leaves it as it is, with the children, and what takes it away. */
export function BundleMenu({ bundle, user, role, children }: BundleMenuProps): JSX.Element {
  const { slug } = bundle
  const isAdmin = allowsRole(role, 'admin')
  return (
    <details class="menu" name="menu">
      <summary class="quiet" aria-label={attribute(`More for ${headingOf(bundle)}`)}>
        <Icon name="more" />
      </summary>
      <div class="pop">
        {allowsRole(role, 'editor') && (
          <a class="item" href={`${routes.newBundle.page.href()}?from=${slug}`}>
            Duplicate
          </a>
        )}
        {children}
        {isAdmin && <hr />}
        {isAdmin && receiversOf(bundle.owner, user).length > 0 && (
          <a class="item" href={routes.bundle.move.href({ slug })}>
            Move…
          </a>
        )}
        {isAdmin && <Form action={routes.bundle.delete.href({ slug })} button="Delete" look="item danger" />}
      </div>
    </details>
  )
}

interface PinProps {
  slug: string
  isPinned: boolean
  /** The query of its list; undefined on the bundle's own pages, which stay unchanged. */
  back?: string
  /** Whether it is the pin on the start page. */
  forEveryone?: boolean
}

/** The menu entry that pins or unpins a bundle for the visitor, or for everybody. */
export function Pin({ slug, isPinned, back, forEveryone = false }: PinProps): JSX.Element {
  const action = routes.bundle[isPinned ? 'unpin' : 'pin'].href({ slug })
  const isOwnPage = back === undefined
  const id = forEveryone ? 'pin-for-everyone' : 'pin'
  return (
    <form
      id={isOwnPage ? id : undefined}
      method="post"
      action={action}
      hx-post={isOwnPage ? action : undefined}
      hx-target={isOwnPage ? 'this' : undefined}
      hx-swap={isOwnPage ? 'outerHTML' : undefined}
    >
      {!isOwnPage && <input type="hidden" name="back" value={attribute(back)} />}
      {forEveryone && <input type="hidden" name="forEveryone" value="yes" />}
      <button type="submit" id={isOwnPage ? `${id}-button` : undefined} class="item">
        {PIN_WORDS[forEveryone ? 'startPage' : 'list'][isPinned ? 'unpin' : 'pin']}
      </button>
    </form>
  )
}

const PIN_WORDS = {
  list: { pin: 'Pin to top of your list', unpin: 'Unpin' },
  startPage: { pin: 'Pin to top of the start page', unpin: 'Unpin from the start page' },
} as const

/** A possible new owner of a visitor's bundles. */
export interface Receiver {
  /** The value in forms: the id of an organisation, or `me`. */
  value: string
  name: string
  subject: Subject
  /** Whether the visitor could not move them on from there: only admins can. */
  isFinal: boolean
}

/**
 * The possible new owners of an owner’s bundles: the visitor, and organisations in which they may create bundles.
 * @param owner left out of the list.
 */
export function receiversOf(owner: Subject, { userId, organizations }: SignedInUser): Receiver[] {
  const others = organizations
    .filter(
      ({ id, role }) => allowsRole(role, 'editor') && !(owner.type === 'organization' && owner.organizationId === id),
    )
    .map(({ id, name, role }): Receiver => {
      return {
        value: id,
        name,
        subject: { type: 'organization', organizationId: id },
        isFinal: !allowsRole(role, 'admin'),
      }
    })
  if (owner.type === 'user') return others
  const self: Subject = { type: 'user', userId }
  return [...others, { value: 'me', name: 'Your personal workspace', subject: self, isFinal: false }]
}
