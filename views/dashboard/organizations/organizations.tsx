/** @jsxImportSource @kitajs/html */

import type { OwnOrganization } from '../../../src/identity/members.ts'
import type { Asked } from '../../../src/identity/organizations.ts'
import { described, Field } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Monogram } from '../parts/person.tsx'
import { type DashboardSite, Empty, Head } from '../parts/shell.tsx'

interface OrganizationsProps {
  site: DashboardSite
  /** Open ones to the visitor. */
  invitations: Asked[]
  form: { name: string; slug: string; error: string | undefined }
}

/** The visitor's organisations, invitations to others, and the form for a new one. */
export function OrganizationsView({ site, invitations, form }: OrganizationsProps): JSX.Element {
  const { organizations, acting } = site.viewer
  const hasNone = organizations.length === 0
  return (
    <>
      {hasNone ? (
        <>
          <Head title="Organisations" />
          <Empty
            heading="Share the work"
            text="Bundles of an organisation belong to all of its members, and stay when somebody leaves. Viewers see bundles and their insights, editors make and change them, admins manage members and keys."
          >
            <CreateForm form={form} />
          </Empty>
        </>
      ) : (
        <Head
          title="Organisations"
          lede="Bundles and keys belong to whom you act for: yourself, or one of your organisations."
        />
      )}
      {invitations.length === 0 ? (
        ''
      ) : (
        <section class="titled" aria-labelledby="invitations">
          <h2 id="invitations">Invitations to you</h2>
          <ul class="rows">{invitations.map((one) => <InvitationRow invitation={one} />) as 'safe'[]}</ul>
        </section>
      )}
      {hasNone ? (
        ''
      ) : (
        <>
          <ul class="rows">
            {
              organizations.map((one) => (
                <OrganizationRow organization={one} isActing={one.id === acting?.id} />
              )) as 'safe'[]
            }
          </ul>
          <section class="panel" aria-labelledby="create">
            <h2 id="create">Another organisation</h2>
            <CreateForm form={form} />
          </section>
        </>
      )}
    </>
  )
}

function CreateForm({ form: { name, slug, error } }: Pick<OrganizationsProps, 'form'>): JSX.Element {
  return (
    <form class="inline" method="post" action="/dashboard/organizations">
      <input type="hidden" name="slug" value={attribute(slug)} />
      <Field id="name" label="Name" error={error}>
        <input
          id="name"
          dir="auto"
          name="name"
          required
          maxlength="100"
          autocomplete="organization"
          value={attribute(name)}
          {...described('name', error)}
        />
      </Field>
      <button type="submit" class="primary">
        Create the organisation
      </button>
    </form>
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
        <span class="hint" safe>{`You are ${role}`}</span>
      </div>
      {isActing ? (
        <span class="tag good">You act for it</span>
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

function InvitationRow({ invitation: { id, name, role } }: { invitation: Asked }): JSX.Element {
  return (
    <li class="row person">
      <Monogram text={name} />
      <div class="what">
        <span class="name">
          <bdi safe>{name}</bdi>
        </span>
        <span class="hint" safe>{`as ${role}`}</span>
      </div>
      <div class="actions">
        <a class="quiet" href={`/invitations/${id}`} hx-boost="false" aria-label={attribute(`Look and join ${name}`)}>
          Look and join
        </a>
      </div>
    </li>
  )
}
