/** @jsxImportSource @kitajs/html */
import { escapeHtml, type PropsWithChildren } from '@kitajs/html'
import { routes } from '../../../src/core/routes.ts'
import { attribute, Each } from '../../parts/layout.tsx'

/** A part of a page with a heading. @param id of the heading. */
export function Panel({ id, heading, children }: PropsWithChildren<{ id: string; heading: string }>): JSX.Element {
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id} safe>
        {heading}
      </h2>
      {children}
    </section>
  )
}

type PanelsFormProps = PropsWithChildren<{
  action: string
  /** For a form with a file. */
  enctype?: 'multipart/form-data'
}>

/** Several panels that one button saves; each names itself to the server by a hidden `change`. */
export function PanelsForm({ action, enctype, children }: PanelsFormProps): JSX.Element {
  return (
    <form class="panels" method="post" action={attribute(action)} enctype={enctype}>
      {children}
      <div class="actions">
        <button type="submit" class="primary">
          Save
        </button>
      </div>
    </form>
  )
}

export type FormProps = PropsWithChildren<{
  /** Its class: fields beside each other, below each other, or a form as a panel; missing for a button alone. */
  kind?: 'inline' | 'stack' | 'panel slim'
  action: string
  /** `false` if the response is not a dashboard page. */
  boost?: 'false' | undefined
  /** Hidden fields; with an `idempotencyKey`, a form that is submitted twice creates one thing. */
  hidden?: Readonly<Record<string, string>>
  /** The button's label. */
  button: string
  /** The button's class. */
  look?: string | undefined
  /** The button's name and value. */
  name?: string
  value?: string
  /** The button's effect, for people who cannot see its context. */
  label?: string
  /** The alternative destination of a form that is a whole page. */
  back?: string
}>

/** A form with one button; its fields, if any, are the children. */
export function Form(props: FormProps): JSX.Element {
  const { kind, action, boost, hidden = {}, button, look, name, value, label, back, children } = props
  const spoken = label === undefined ? undefined : attribute(label)
  const submit = (
    <button type="submit" class={look} name={name} value={value} aria-label={spoken} safe>
      {button}
    </button>
  )
  return (
    <form class={kind} method="post" action={attribute(action)} hx-boost={boost}>
      <Each
        of={Object.entries(hidden)}
        show={([field, sent]) => <input type="hidden" name={field} value={attribute(sent)} />}
      />
      {children}
      {kind === undefined || kind === 'inline' ? (
        submit
      ) : (
        <div class="actions">
          {submit}
          {back !== undefined && (
            <a class="button" href={attribute(back)}>
              Cancel
            </a>
          )}
        </div>
      )}
    </form>
  )
}

type TabsProps = PropsWithChildren<{
  /** The subject of the pages, for screen readers. */
  label: string
  /** On wide screens, the tab shows the count of its page; the page has it in words. */
  pages: readonly { href: string; name: string; count?: number; after?: JSX.Element }[]
  /** The address of the open page. */
  at: string
}>

/** The pages of one subject as the tabs of a sheet, if there are several; the children are on the sheet. */
export function TabbedSheet({ label, pages, at, children }: TabsProps): JSX.Element {
  const sheet = <div class="sheet">{children}</div>
  if (pages.length < 2) return sheet
  return (
    <>
      <nav class="tabbar" aria-label={attribute(label)}>
        <Each
          of={pages}
          show={({ href, name, count = 0, after = '' }) => (
            <a href={attribute(href)} aria-current={href === at ? 'page' : undefined}>
              {escapeHtml(name)}
              {count !== 0 && <span class="count" data-count={String(count)} aria-hidden="true"></span>}
              {after}
            </a>
          )}
        />
      </nav>
      {sheet}
    </>
  )
}

/** The tabs of Settings. */
export const SETTINGS_PAGES = [
  { href: routes.settings.page.href(), name: 'Account' },
  { href: routes.settings.activity.href(), name: 'Activity' },
] as const

/** The tabs of an organisation, for its admins. */
export const organizationPages = (id: string) =>
  [
    { href: routes.organizations.organization.href({ id }), name: 'People' },
    { href: routes.organizations.activity.href({ id }), name: 'Activity' },
  ] as const
