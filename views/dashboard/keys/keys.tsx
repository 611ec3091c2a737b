/** @jsxImportSource @kitajs/html */

import type { Scope } from '../../../src/identity/roles.ts'
import type { ListedKey } from '../../../src/keys/keys.ts'
import type { ShownKey } from '../../../src/keys/shapes.ts'
import { Alert, described, Field, FieldError } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { type DashboardSite, Empty, Head } from '../parts/shell.tsx'
import { When } from '../parts/time.tsx'

/** A key, and how many requests of its hour it has used; null where none are counted. */
type UsedKey = ListedKey & { used: number | null }

interface KeysProps {
  site: DashboardSite
  keys: UsedKey[]
  /** How many there are on all pages together. */
  total: number
  offset: number
  limit: number
}

const LEDE = 'A key lets a script, a command line or an agent do what you can do, within the scope that you give it.'

/** The acting subject's keys: those that work, then the revoked ones. */
export function KeysView({ keys, total, offset, limit }: KeysProps): JSX.Element {
  if (total === 0) {
    return (
      <>
        <Head title="API keys" />
        <Empty
          heading="Your first key"
          text="A script sends its key with every request, and so makes, reads or edits bundles in your name. You choose what it may do and how often, and can end it at any time."
        >
          <p class="actions">
            <a class="button primary" href="/dashboard/keys/new">
              <Icon name="plus" />
              New key
            </a>
          </p>
        </Empty>
      </>
    )
  }
  return (
    <>
      <Head title="API keys" lede={LEDE}>
        <a class="button primary" href="/dashboard/keys/new">
          <Icon name="plus" />
          New key
        </a>
      </Head>
      <div>
        <ul class="rows">{keys.map((key) => <KeyRow apiKey={key} />) as 'safe'[]}</ul>
        {total > keys.length ? <Pages shown={keys.length} total={total} offset={offset} limit={limit} /> : ''}
      </div>
    </>
  )
}

function KeyRow({ apiKey }: { apiKey: UsedKey }): JSX.Element {
  const { id, name, keyPrefix, scopes, revokedAt, minterLeftAt, createdAt, lastUsedAt } = apiKey
  const endedAt = revokedAt ?? minterLeftAt
  return (
    <li class="row">
      <div class="what">
        <span class={['name', endedAt !== null && 'gone']}>
          <bdi safe>{name}</bdi>
        </span>
        <span class="hint where">
          <code safe>{`${keyPrefix}…`}</code>
          {' · '}
          {SCOPES[widest(scopes)].name as 'safe'}
        </span>
      </div>
      <div class="facts hint">
        {endedAt === null ? <Usage apiKey={apiKey} /> : ''}
        <span>
          {lastUsedAt === null ? 'never used, made ' : 'last used '}
          <When at={Date.parse(lastUsedAt ?? createdAt)} />
        </span>
      </div>
      {endedAt === null ? (
        <div class="actions">
          <a class="quiet" href={`/dashboard/keys/${id}/revoke`} aria-label={attribute(`Revoke ${name}`)}>
            Revoke
          </a>
        </div>
      ) : (
        <span class="tag bad">
          {revokedAt === null ? 'ended when its minter left, ' : 'revoked '}
          <When at={Date.parse(endedAt)} />
        </span>
      )}
    </li>
  )
}

const number = new Intl.NumberFormat('en-GB')

function Usage({ apiKey: { used, rateLimitPerHour } }: { apiKey: UsedKey }): JSX.Element {
  if (used === null) return <span>no limit</span>
  const text = `${number.format(used)} of ${number.format(rateLimitPerHour)} this hour`
  if (used < rateLimitPerHour * 0.9) return <span safe>{text}</span>
  return (
    <span class="tag bad" safe>
      {text}
    </span>
  )
}

function Pages({ shown, total, offset, limit }: Omit<KeysProps, 'site' | 'keys'> & { shown: number }): JSX.Element {
  return (
    <nav class="pager hint" aria-label="Pages">
      <span safe>{`${offset + 1} to ${offset + shown} of ${total}`}</span>
      {offset > 0 ? (
        <a class="quiet" rel="prev" href={`/dashboard/keys?offset=${Math.max(0, offset - limit)}`}>
          Previous
        </a>
      ) : (
        ''
      )}
      {offset + shown < total ? (
        <a class="quiet" rel="next" href={`/dashboard/keys?offset=${offset + shown}`}>
          Next
        </a>
      ) : (
        ''
      )}
    </nav>
  )
}

/** What members of an organisation see who are no admins. */
export function KeysOfAdminsView({ site }: { site: DashboardSite }): JSX.Element {
  const { acting, role } = site.viewer
  return (
    <>
      <Head title="API keys" />
      <Empty
        heading={`The admins of ${acting?.name ?? 'this organisation'} manage its keys`}
        text={`A key of an organisation reaches all of its bundles, so only admins see, make and revoke them. You are ${role}. Ask an admin for a key or for the role, or act for yourself to make keys of your own.`}
      >
        <p class="actions">
          <a class="button" href={`/dashboard/organizations/${acting?.id ?? ''}`}>
            Who is admin?
          </a>
        </p>
      </Empty>
    </>
  )
}

/** The form for a key as it was sent, and what is wrong with it. */
export interface KeyForm {
  name: string
  scope: string
  rateLimitPerHour: string
  idempotencyKey: string
  errors: { name?: string; scope?: string; rateLimitPerHour?: string; form?: string }
}

const SCOPES: Record<Scope, { name: string; allows: string }> = {
  'links:read': { name: 'Read', allows: 'List and read bundles, their versions and their insights. Changes nothing.' },
  'links:write': { name: 'Read and write', allows: 'That, and make, edit, delete, restore and claim bundles.' },
  'keys:admin': {
    name: 'Full access',
    allows: 'That, and make and revoke API keys and export all data. For tools that you trust like yourself.',
  },
}

/** Scopes hold one another: the widest says it all. */
function widest(scopes: readonly Scope[]): Scope {
  return (Object.keys(SCOPES) as Scope[]).findLast((scope) => scopes.includes(scope)) ?? 'links:read'
}

/** Make a key. */
export function NewKeyView({ site, form }: { site: DashboardSite; form: KeyForm }): JSX.Element {
  const { name, scope, rateLimitPerHour, idempotencyKey, errors } = form
  const { acting } = site.viewer
  return (
    <>
      <Head
        title="New API key"
        lede={
          acting === null
            ? 'It reaches your own bundles.'
            : `It reaches the bundles of ${acting.name}, with your role there, and ends when you leave.`
        }
      />
      <Alert text={errors.form} />
      <form class="panel slim" method="post" action="/dashboard/keys/new">
        <input type="hidden" name="idempotencyKey" value={attribute(idempotencyKey)} />
        <Field id="name" label="Name" error={errors.name}>
          <input
            id="name"
            dir="auto"
            name="name"
            required
            maxlength="100"
            autocomplete="off"
            autofocus={name === ''}
            value={attribute(name)}
            {...described('name', errors.name)}
          />
          <p class="hint">Where it will be used, so that you know which to revoke: “nightly import”.</p>
        </Field>
        <fieldset class="field" {...described('scope', errors.scope)}>
          <legend>What it may do</legend>
          {
            Object.entries(SCOPES).map(([value, { name: label, allows }]) => (
              <label class="choice">
                <input type="radio" name="scope" value={value} checked={value === scope} required />
                <span>
                  <strong>{label as 'safe'}</strong> <code>{value as 'safe'}</code>
                  <span class="hint">{allows as 'safe'}</span>
                </span>
              </label>
            )) as 'safe'[]
          }
          <p class="hint">This cannot be changed later. Give it no more than it needs.</p>
          <FieldError id="scope" error={errors.scope} />
        </fieldset>
        <Field id="rateLimitPerHour" label="Requests an hour" error={errors.rateLimitPerHour}>
          <input
            id="rateLimitPerHour"
            name="rateLimitPerHour"
            class="short"
            type="number"
            min="0"
            max="100000"
            step="1"
            required
            inputmode="numeric"
            value={attribute(rateLimitPerHour)}
            {...described('rateLimitPerHour', errors.rateLimitPerHour)}
          />
          <p class="hint">At most 100,000. 0 is no limit. More than that in an hour is answered with 429.</p>
        </Field>
        <div class="actions">
          <button type="submit" class="primary">
            Make the key
          </button>
          <a class="button" href="/dashboard/keys">
            Cancel
          </a>
        </div>
      </form>
    </>
  )
}

interface KeyMadeProps {
  site: DashboardSite
  made: { apiKey: ShownKey; rawKey: string }
}

/** The one page that ever shows a key. */
export function KeyMadeView({ site, made: { apiKey, rawKey } }: KeyMadeProps): JSX.Element {
  return (
    <>
      <Head title="Your new key" lede={apiKey.name} />
      <section class="panel caution">
        <div class="words">
          <p>
            <strong>Copy it now.</strong> It is shown only this once: we keep no copy that could be read. Keep it where
            secrets are kept, never in a page or a public repository.
          </p>
        </div>
        <Field id="key" label="API key">
          <div class="copy-field">
            <input id="key" readonly value={rawKey} autocomplete="off" spellcheck="false" />
            <button type="button" class="primary copy" data-copy="key">
              Copy
            </button>
          </div>
        </Field>
      </section>
      <section class="panel">
        <h2>Try it</h2>
        <pre class="code" tabindex="0" safe>{`curl ${site.origin}/api/me \\\n  -H "Authorization: Bearer $KEY"`}</pre>
        <p>
          <a class="button" href="/dashboard/keys">
            I have kept it
          </a>
        </p>
      </section>
    </>
  )
}

/** Asks before a key is revoked. */
export function RevokeView({ apiKey: { id, name, keyPrefix, lastUsedAt } }: { apiKey: ShownKey }): JSX.Element {
  return (
    <Confirm
      title={`Revoke ${name}?`}
      action={`/dashboard/keys/${id}/revoke`}
      button="Revoke the key"
      back="/dashboard/keys"
    >
      <p>
        Whatever uses <code safe>{`${keyPrefix}…`}</code> is refused from the next request on. This cannot be taken
        back.
      </p>
      <p>
        {lastUsedAt === null ? (
          'It was never used.'
        ) : (
          <>
            It was last used <When at={Date.parse(lastUsedAt)} />.
          </>
        )}
      </p>
    </Confirm>
  )
}
