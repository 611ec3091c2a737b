/** @jsxImportSource @kitajs/html */

import { CONTENT } from '../../../src/bundles/content/content.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import type { PublicBundle } from '../../../src/launcher/served.ts'
import { destination } from '../../parts/destination.ts'
import { Alert, TextField } from '../../parts/fields.tsx'
import { attribute, Each, Page, type Site } from '../../parts/layout.tsx'
import { headingOf } from '../parts/launcher.tsx'

export interface CopyForm {
  title: string
  errors: { title?: string; form?: string }
  /** Prevents a second copy after another press or a reload. */
  idempotencyKey: string
}

interface CopyProps {
  site: Site
  /** The bundle as its viewer sees it. */
  bundle: PublicBundle
  /** The address of this page, with the query that the bundle’s rules may read. */
  address: string
  /** Null if copying requires an account and nobody is signed in. */
  form: CopyForm | null
}

/** The page on which viewers copy a launcher. */
export function CopyPage({ site, bundle, address, form }: CopyProps): JSX.Element {
  const { urls } = bundle
  return (
    <Page site={site} title={`Make a copy · ${site.name}`}>
      <section class="narrow">
        <h1>Make a copy</h1>
        <p class="lede" dir="auto" safe>
          {headingOf(bundle)}
        </p>
        <p>
          Your copy gets a link of its own, and has what you see here now. Later changes of the original don’t reach it.
        </p>
        {form === null ? <SignInFirst address={address} /> : <Form site={site} address={address} form={form} />}
        <details class="more">
          <summary safe>{count(urls.length, 'link')}</summary>
          <ol class="remark-list">
            <Each
              of={urls}
              show={(url) => (
                <li>
                  <bdi dir="ltr" safe>
                    {addressOf(url)}
                  </bdi>
                </li>
              )}
            />
          </ol>
        </details>
      </section>
    </Page>
  )
}

/** Long enough to recognise an address. */
const MAX_PATH = 80

function addressOf(url: string): string {
  const { host, path } = destination(url)
  return host + (path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path)
}

function Form({ site, address, form }: { site: Site; address: string; form: CopyForm }): JSX.Element {
  const { title, errors, idempotencyKey } = form
  return (
    <form class="card" method="post" action={attribute(address)}>
      <Alert text={errors.form} />
      <TextField
        id="title"
        label={CONTENT.title.label}
        note="optional"
        error={errors.title}
        value={title}
        dir="auto"
        autocomplete="off"
      />
      <input type="hidden" name="idempotencyKey" value={attribute(idempotencyKey)} />
      <div class="send">
        <button type="submit" class="primary">
          Make a copy
        </button>
        <p class="hint">
          {site.user
            ? 'You can edit it from your dashboard.'
            : 'No account needed. You’ll also get a private link to edit it later.'}
        </p>
      </div>
    </form>
  )
}

function SignInFirst({ address }: { address: string }): JSX.Element {
  return (
    <section class="card">
      <p>You need an account to make a copy.</p>
      <div class="send">
        <a class="button primary" href={`${routes.account.signIn.href()}?next=${encodeURIComponent(address)}`}>
          Sign in
        </a>
      </div>
    </section>
  )
}
