/** @jsxImportSource @kitajs/html */

import type { OpenInvitation } from '../../../src/accounts/organizations.ts'
import { asSentence } from '../../../src/core/words.ts'
import type { OwnOrganization } from '../../../src/identity/members.ts'
import type { Role } from '../../../src/identity/roles.ts'
import { Each } from '../../parts/each.tsx'
import { Alert, NameField } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { ROLE_WORDS } from '../../parts/role-words.ts'
import { Monogram } from '../parts/person.tsx'
import { Sample } from '../parts/sample.tsx'
import { type DashboardSite, Empty, Head } from '../parts/shell.tsx'
import type { NameErrors } from './organization.tsx'

/** The submitted form for a new organisation, with its errors. */
export interface CreateForm {
  name: string
  slug: string
  errors: NameErrors
}

interface OrganizationsProps {
  site: DashboardSite
  /** The visitor's open invitations. */
  invitations: OpenInvitation[]
  form: CreateForm
}

/** The visitor's organisations, invitations to others, and the form for a new one. */
export function OrganizationsView({ site, invitations, form }: OrganizationsProps): JSX.Element {
  const { organizations, acting } = site.user
  const hasNone = organizations.length === 0
  return (
    <>
      <Alert text={form.errors.form} />
      <Head
        title="Organisations"
        {...(hasNone
          ? {}
          : { lede: 'Bundles and API keys belong to your current workspace: your own, or an organisation’s.' })}
      />
      {invitations.length === 0 ? (
        ''
      ) : (
        <section class="panel" aria-labelledby="invitations">
          <h2 id="invitations">Invitations to you</h2>
          <ul class="rows">
            <Each of={invitations} show={(one) => <InvitationRow invitation={one} />} />
          </ul>
        </section>
      )}
      {hasNone ? (
        <>
          <Empty
            heading="Work on bundles together"
            text="Create an organisation, invite people, and its bundles belong to all of you, even after someone leaves. Viewers can look, editors can create and edit, and admins also manage people and API keys."
          >
            <Create form={form} />
          </Empty>
          <SampleMembers />
        </>
      ) : (
        <>
          <section class="panel" aria-labelledby="yours">
            <h2 id="yours">Yours</h2>
            <ul class="rows">
              <Each
                of={organizations}
                show={(one) => <OrganizationRow organization={one} isActing={one.id === acting?.id} />}
              />
            </ul>
          </section>
          <section class="panel" aria-labelledby="create">
            <h2 id="create">New organisation</h2>
            <Create form={form} />
          </section>
        </>
      )}
    </>
  )
}

function Create({ form: { name, slug, errors } }: Pick<OrganizationsProps, 'form'>): JSX.Element {
  return (
    <form class="inline" method="post" action="/dashboard/organizations">
      <input type="hidden" name="slug" value={attribute(slug)} />
      <NameField error={errors.name} value={name} required autocomplete="organization" />
      <button type="submit" class="primary">
        Create organisation
      </button>
    </form>
  )
}

/** Who could be in an organisation, shown until there is one. */
function SampleMembers(): JSX.Element {
  const people: [name: string, role: Role][] = [
    ['Ann', 'admin'],
    ['Sam', 'editor'],
    ['Kim', 'viewer'],
  ]
  return (
    <Sample caption="An example of who works together">
      <ul class="rows">
        <Each
          of={people}
          show={([name, role]) => (
            <li class="row person">
              <Monogram text={name} />
              <div class="what">
                <span class="name" safe>
                  {name}
                </span>
                <span class="hint" safe>
                  {asSentence(ROLE_WORDS[role].does)}
                </span>
              </div>
              <span class="tag" safe>
                {ROLE_WORDS[role].name}
              </span>
            </li>
          )}
        />
      </ul>
    </Sample>
  )
}

interface RowProps {
  organization: OwnOrganization
  isActing: boolean
}

function OrganizationRow({ organization: { id, name, role }, isActing }: RowProps): JSX.Element {
  return (
    <li class="row person">
      <Monogram text={name} />
      <div class="what">
        <a class="name" href={`/dashboard/organizations/${id}`}>
          <bdi safe>{name}</bdi>
        </a>
        <span class="hint" safe>{`You’re ${ROLE_WORDS[role].one}`}</span>
      </div>
      {isActing ? (
        <span class="tag good">Current workspace</span>
      ) : (
        <form method="post" action="/dashboard/subject">
          <button
            type="submit"
            class="quiet"
            name="organizationId"
            value={id}
            aria-label={attribute(`Switch to ${name}`)}
          >
            Switch
          </button>
        </form>
      )}
    </li>
  )
}

function InvitationRow({ invitation: { id, name, role } }: { invitation: OpenInvitation }): JSX.Element {
  return (
    <li class="row person">
      <Monogram text={name} />
      <div class="what">
        <span class="name">
          <bdi safe>{name}</bdi>
        </span>
        <span class="hint" safe>{`Join as ${ROLE_WORDS[role].one}`}</span>
      </div>
      <div class="actions">
        <a
          class="quiet"
          href={`/invitations/${id}`}
          hx-boost="false"
          aria-label={attribute(`View invitation to ${name}`)}
        >
          View invitation
        </a>
      </div>
    </li>
  )
}
