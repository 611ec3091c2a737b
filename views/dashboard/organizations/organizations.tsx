/** @jsxImportSource @kitajs/html */

import type { OpenInvitation } from '../../../src/accounts/organizations.ts'
import { asSentence } from '../../../src/core/words.ts'
import type { OwnOrganization } from '../../../src/identity/members.ts'
import type { Role } from '../../../src/identity/roles.ts'
import { Each } from '../../parts/each.tsx'
import { Alert, NameField } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { ROLE_WORDS } from '../../parts/role-words.ts'
import { Form, Panel } from '../parts/panel.tsx'
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
        <Panel id="invitations" heading="Invitations to you">
          <ul class="rows">
            <Each of={invitations} show={(one) => <InvitationRow invitation={one} />} />
          </ul>
        </Panel>
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
          <Panel id="yours" heading="Yours">
            <ul class="rows">
              <Each
                of={organizations}
                show={(one) => <OrganizationRow organization={one} isActing={one.id === acting?.id} />}
              />
            </ul>
          </Panel>
          <Panel id="create" heading="New organisation">
            <Create form={form} />
          </Panel>
        </>
      )}
    </>
  )
}

function Create({ form: { name, slug, errors } }: Pick<OrganizationsProps, 'form'>): JSX.Element {
  return (
    <Form kind="inline" action="/dashboard/organizations" hidden={{ slug }} button="Create organisation" look="primary">
      <NameField error={errors.name} value={name} required autocomplete="organization" />
    </Form>
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
        <Form
          action="/dashboard/subject"
          button="Switch"
          look="quiet"
          name="organizationId"
          value={id}
          label={`Switch to ${name}`}
        />
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
