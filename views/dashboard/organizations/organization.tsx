/** @jsxImportSource @kitajs/html */

import { COLORS, type Member, type OrganizationInFull } from '../../../src/accounts/organizations.ts'
import { routes } from '../../../src/core/routes.ts'
import { asSentence, count } from '../../../src/core/words.ts'
import { allowsRole, ROLES } from '../../../src/identity/caller.ts'
import { Alert, described, Field, FieldError, NameField } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { ROLE_WORDS } from '../../parts/role-words.ts'
import { hueNamed, Monogram, personName } from '../../parts/tile.tsx'
import { ChecksPanel, ExportLink, type FormErrors } from '../parts/form.tsx'
import { Form, organizationPages, Panel, PanelsForm, TabbedSheet } from '../parts/panel.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import { type DashboardSite, Head } from '../parts/shell.tsx'
import { WorkspaceAnew } from '../parts/workspace-menu.tsx'
import { Invitations, Invite, type InviteForm } from './invitations.tsx'

interface OrganizationProps {
  site: DashboardSite
  organization: OrganizationInFull
  /** Whether its links are checked; null for visitors who cannot change that. */
  isChecked: boolean | null
  /** The refused form. */
  invite?: InviteForm
  sent?: SentForm
  /** Whether it was just saved within the frame of the page, which may show it as it was. */
  isSavedWithin: boolean
}

/** The refused form of how the organisation presents itself, and whether its links are checked. */
export interface SentForm {
  name: string
  handle: string
  color: string
  /** Whether its picture is to be removed. */
  isBare: boolean
  errors: LookErrors
  isChecked?: boolean
}

export type LookErrors = FormErrors<'name' | 'handle' | 'color' | 'picture'>

/** An organisation: its members, and for admins the actions on them. */
export function OrganizationView(props: OrganizationProps): JSX.Element {
  const { site, organization, isChecked, invite, sent, isSavedWithin } = props
  const { id, role, members, invitations } = organization
  const { user } = site
  const isAdmin = role === 'admin'
  const pages = organizationPages(id)
  return (
    <>
      <Head title={organization.name} lede={`You’re ${ROLE_WORDS[role].one}. ${ROLE_WORDS[role].you}`}>
        {allowsRole(role, 'editor') && (
          <a class="button" href={routes.organizations.move.href({ id })}>
            Move bundles here
          </a>
        )}
        {user.acting?.id === id ? (
          <span class="tag good">Current workspace</span>
        ) : (
          <Form action={routes.subject.href()} button="Switch to this workspace" name="organizationId" value={id} />
        )}
      </Head>
      <TabbedSheet label="This organisation" pages={isAdmin ? pages : pages.slice(0, 1)} at={pages[0].href}>
        <Alert text={invite?.errors.form ?? sent?.errors.form} />
        <Panel id="members" heading={count(members.length, 'member')}>
          <ul class="rows">
            <Each
              of={members}
              show={(member) => <MemberRow organization={organization} member={member} currentUserId={user.userId} />}
            />
          </ul>
        </Panel>
        {isAdmin && (
          <>
            <Invite
              form={invite ?? { email: '', role: 'editor', errors: {} }}
              id={id}
              isAlone={members.length === 1}
              mayInvite={user.emailVerified}
            />
            {invitations.length > 0 && <Invitations site={site} id={id} invitations={invitations} />}
            <PanelsForm action={routes.organizations.organization.href({ id })} enctype="multipart/form-data">
              <Look organization={organization} form={sent} />
              {isChecked !== null && <ChecksPanel isOn={sent?.isChecked ?? isChecked} />}
            </PanelsForm>
          </>
        )}
        <OrganizationActions site={site} organization={organization} />
      </TabbedSheet>
      {isSavedWithin && <WorkspaceAnew user={user} />}
    </>
  )
}

/** How the organisation presents itself: its name, its colour, its picture, and the address of its start page. */
function Look({ organization, form }: { organization: OrganizationInFull; form: SentForm | undefined }): JSX.Element {
  const { name, handle, color } = organization
  return (
    <Panel id="look" heading="Name and start page">
      <input type="hidden" name="change" value="look" />
      <NameField
        label="Organisation name"
        error={form?.errors.name}
        value={form?.name ?? name}
        required
        autocomplete="organization"
      />
      <Field id="handle" label="Address of the start page" note="optional" error={form?.errors.handle}>
        <span class="handle">
          <span safe>{routes.startPage.page.start}</span>
          <input
            id="handle"
            name="handle"
            value={attribute(form?.handle ?? handle ?? '')}
            maxlength="40"
            dir="ltr"
            autocomplete="off"
            autocapitalize="off"
            spellcheck="false"
            {...described('handle', form?.errors.handle)}
          />
        </span>
        <p class="hint">
          One page with the bundles you list, for everyone’s new tab.{' '}
          {handle !== null && <a href={routes.startPage.page.href({ handle })}>Open it</a>}
        </p>
      </Field>
      <Colors chosen={form?.color ?? color ?? ''} error={form?.errors.color} />
      <Picture organization={organization} isBare={form?.isBare ?? false} error={form?.errors.picture} />
    </Panel>
  )
}

interface PictureProps {
  organization: OrganizationInFull
  isBare: boolean
  error: string | undefined
}

/** The picture of an organisation. The script shows a chosen one at once. */
function Picture({ organization: { name, color, pictureId }, isBare, error }: PictureProps): JSX.Element {
  return (
    <Field id="picture" label="Picture" note="optional" error={error}>
      <span class="picture">
        <span class="look">
          <Monogram text={name} color={color} pictureId={pictureId} />
        </span>
        <input id="picture" name="picture" type="file" accept={PICTURES} {...described('picture', error)} />
      </span>
      {pictureId !== null && (
        <label class="choice">
          <input type="checkbox" name="noPicture" value="yes" checked={isBare} />
          <span>Remove the picture</span>
        </label>
      )}
      <p class="hint">A PNG, JPEG, WebP or SVG of at most 256 KiB. Viewers see it too, beside the name.</p>
    </Field>
  )
}

/** The files that the browser offers. */
const PICTURES = 'image/png,image/jpeg,image/webp,image/svg+xml'

/** The colours of an organisation, and none. */
function Colors({ chosen, error }: { chosen: string; error: string | undefined }): JSX.Element {
  return (
    <fieldset class="field colors" {...described('color', error)}>
      <legend>Colour</legend>
      <label>
        <input type="radio" name="color" value="" checked={chosen === ''} />
        <span>None</span>
      </label>
      <Each
        of={COLORS}
        show={(color) => (
          <label title={asSentence(color)}>
            <input type="radio" name="color" value={color} checked={chosen === color} />
            <span class={['swatch', hueNamed(color)]} aria-hidden="true"></span>
            <span class="visually-hidden" safe>
              {asSentence(color)}
            </span>
          </label>
        )}
      />
      <FieldError id="color" error={error} />
    </fieldset>
  )
}

/** Export, leaving and deletion. */
function OrganizationActions({ site, organization }: Pick<OrganizationProps, 'site' | 'organization'>): JSX.Element {
  const { id, role, members } = organization
  const isAdmin = role === 'admin'
  const isLast = isAdmin && members.filter((one) => one.role === 'admin').length === 1
  return (
    <Panel id="ends" heading={isAdmin ? 'Export, leave or delete' : 'Leave'}>
      {isLast ? (
        <p class="hint">You’re the only admin. To leave, make another member an admin first.</p>
      ) : isAdmin ? (
        ''
      ) : (
        <p class="hint">Bundles you created here stay with the organisation.</p>
      )}
      <div class="actions">
        {isAdmin && (
          <ExportLink
            site={site}
            organizationId={id}
            label="Export all data"
            back={routes.organizations.organization.href({ id })}
          />
        )}
        {!isLast && (
          <a class="button" href={routes.organizations.leave.href({ id })}>
            Leave…
          </a>
        )}
        {isAdmin && (
          <a class="button danger" href={routes.organizations.delete.href({ id })}>
            Delete…
          </a>
        )}
      </div>
    </Panel>
  )
}

interface MemberRowProps {
  organization: OrganizationInFull
  member: Member
  currentUserId: string
}

/** A member, with the admins' actions. */
function MemberRow({ organization, member, currentUserId }: MemberRowProps): JSX.Element {
  const { email, role, userId, since } = member
  const isSelf = userId === currentUserId
  const name = personName(member)
  return (
    <li class="row person">
      <Monogram text={name} />
      <div class="what">
        <span class="name">
          <bdi safe>{name}</bdi>
          {isSelf && ' (you)'}
        </span>
        <span class="hint where">
          {name !== email && <bdi safe>{email}</bdi>}
          {name === email ? 'Joined ' : ' · joined '}
          <RelativeTime at={since} />
        </span>
      </div>
      <span class={['tag', role === 'admin' && 'good']} safe>
        {ROLE_WORDS[role].name}
      </span>
      {organization.role === 'admin' && !isOnlyAdmin(organization, member) && (
        <MemberMenu organization={organization} member={member} isSelf={isSelf} />
      )}
    </li>
  )
}

function isOnlyAdmin({ members }: OrganizationInFull, member: Member): boolean {
  return member.role === 'admin' && members.filter(({ role }) => role === 'admin').length === 1
}

function MemberMenu({ organization, member, isSelf }: Omit<MemberRowProps, 'currentUserId'> & { isSelf: boolean }) {
  const one = { id: organization.id, member: member.id }
  return (
    <details class="menu" name="menu">
      <summary class="quiet" aria-label={attribute(`Manage ${personName(member)}`)}>
        <Icon name="more" />
      </summary>
      <div class="pop">
        <form method="post" action={routes.organizations.changeRole.href(one)}>
          <Each
            of={ROLES.filter((role) => role !== member.role)}
            show={(role) => (
              <button type="submit" class="item" name="role" value={role}>
                <span class="who">
                  <span class="name" safe>{`Make ${ROLE_WORDS[role].one}`}</span>
                  <span class="hint" safe>
                    {ROLE_WORDS[role].does}
                  </span>
                </span>
              </button>
            )}
          />
        </form>
        {!isSelf && (
          <a class="item danger" href={routes.organizations.removeMember.href(one)}>
            <Icon name="trash" />
            Remove…
          </a>
        )}
      </div>
    </details>
  )
}
