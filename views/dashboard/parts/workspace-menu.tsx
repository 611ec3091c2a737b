/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { routes } from '../../../src/core/routes.ts'
import type { OwnOrganization } from '../../../src/identity/members.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each, type SignedInUser } from '../../parts/layout.tsx'
import { ROLE_WORDS } from '../../parts/role-words.ts'
import { Monogram, personName } from '../../parts/tile.tsx'

/** The acting subject, always visible, with a menu of the others; children are further items. */
export function WorkspaceMenu({ user, children }: PropsWithChildren<{ user: SignedInUser }>): JSX.Element {
  const { acting, organizations } = user
  return (
    <details class="menu subjects" name="menu">
      <summary>
        <Workspace user={user} />
      </summary>
      <div class="pop">
        <form method="post" action={routes.subject.href()}>
          <Choice id="" name={personName(user)} hint="Personal" current={acting === null} />
          <Each
            of={organizations}
            show={(one) => (
              <Choice
                id={one.id}
                name={one.name}
                color={one.color}
                pictureId={one.pictureId}
                hint={`You’re ${ROLE_WORDS[one.role].one}`}
                current={one.id === acting?.id}
              />
            )}
          />
        </form>
        <a class="item" href={routes.organizations.list.href()}>
          <Icon name="plus" />
          New organisation
        </a>
        {children}
        <form class="leave" method="post" action={routes.account.signOut.href()} hx-boost="false" data-signs-out="">
          <button type="submit" class="item">
            <Icon name="leave" />
            Sign out
            <span class="hint" title={attribute(user.email)} safe>
              {user.email}
            </span>
          </button>
        </form>
      </div>
    </details>
  )
}

/** The acting subject: the content of the menu’s summary. */
function Workspace({ user }: { user: SignedInUser }): JSX.Element {
  const { acting, role } = user
  const name = acting === null ? personName(user) : acting.name
  return (
    <>
      <span class="visually-hidden">Workspace</span>
      <Monogram text={name} color={acting?.color ?? null} pictureId={acting?.pictureId ?? null} />
      <span class="who">
        <span class="name" dir="auto" safe>
          {name}
        </span>
        <span class="hint" safe>
          {acting === null ? 'Personal' : `You’re ${ROLE_WORDS[role].one}`}
        </span>
      </span>
      <Icon name="switch" />
    </>
  )
}

/** Replaces the acting subject in the frame, for htmx: for answers that leave the frame as it was. */
export function WorkspaceAnew({ user }: { user: SignedInUser }): JSX.Element {
  return (
    <tag of="hx-partial" hx-target=".subjects > summary" hx-swap="innerMorph">
      <Workspace user={user} />
    </tag>
  )
}

interface ChoiceProps extends Partial<Pick<OwnOrganization, 'color' | 'pictureId'>> {
  id: string
  name: string
  hint: string
  current: boolean
}

function Choice({ id, name, color = null, pictureId = null, hint, current }: ChoiceProps): JSX.Element {
  return (
    <button type="submit" class="item" name="organizationId" value={id} aria-pressed={current ? 'true' : 'false'}>
      <Monogram text={name} color={color} pictureId={pictureId} />
      <span class="who">
        <span class="name" dir="auto" safe>
          {name}
        </span>
        <span class="hint" safe>
          {hint}
        </span>
      </span>
      {current ? <Icon name="check" /> : ''}
    </button>
  )
}
