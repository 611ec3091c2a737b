/** @jsxImportSource @kitajs/html */

import {
  CONTENT,
  inWords,
  type ScalarName,
  SWITCH_TEXTS,
  scalarsIn,
  TIME_NAMES,
} from '../../../../src/bundles/content/content.ts'
import { routes } from '../../../../src/core/routes.ts'
import { isInstant } from '../../../../src/core/time.ts'
import { wallTimeOf } from '../../../../src/policies/clock.ts'
import { described, Field, FieldError, textareaContent, Username } from '../../../parts/fields.tsx'
import { attribute, Each } from '../../../parts/layout.tsx'
import { OLD_STAYS, SlugField } from '../../../parts/link-name.tsx'
import { Blanks } from '../blanks.tsx'
import { type BundleForm, type Checked, type EditorState, type FormError, namesOf } from './bundle-form.ts'
import { Part } from './part.tsx'

/** Some fields of a bundle’s form. */
export interface ControlsProps {
  names: readonly ScalarName[]
  form: BundleForm
  messageOf(field: FormError['field']): string | undefined
  /** The id of their form, if they are outside it. */
  formId?: string
}

/** A control for each field, by its kind. */
export function Controls({ names, form, messageOf, formId }: ControlsProps): JSX.Element {
  return (
    <Each
      of={names}
      show={(name) => {
        const Control = CONTROLS[CONTENT[name].kind]
        return <Control name={name} value={form[name]} error={messageOf(name)} formId={formId} />
      }}
    />
  )
}

interface ControlProps {
  name: ScalarName
  /** As typed. */
  value: string
  error: string | undefined
  formId: string | undefined
}

const CONTROLS = { text: Text, time: Time, choice: Choice, switch: Switch } satisfies Record<
  (typeof CONTENT)[ScalarName]['kind'],
  (props: ControlProps) => JSX.Element
>

function Text({ name, value, error, formId }: ControlProps): JSX.Element {
  const { label, ...field } = CONTENT[name]
  if ('lines' in field && field.lines === 'many') {
    return (
      <Field id={name} kind="whole" label={label} note="optional" error={error}>
        <textarea
          id={name}
          name={name}
          form={formId}
          rows="2"
          placeholder=" "
          dir="auto"
          {...described(name, error)}
          safe
        >
          {textareaContent(value)}
        </textarea>
      </Field>
    )
  }
  return (
    <Field id={name} label={label} note="optional" error={error}>
      <input
        id={name}
        name={name}
        form={formId}
        value={attribute(value)}
        dir="auto"
        autocomplete="off"
        {...described(name, error)}
      />
    </Field>
  )
}

/** The text in place of a missing time. */
const WITHOUT: Partial<Record<ScalarName, string>> = { opensAt: 'Now', closesAt: 'Never' }

/** A time in UTC; the script shows and sends it in the owner's time zone. */
function Time({ name, value, error, formId }: ControlProps): JSX.Element {
  return (
    <Field id={name} label={CONTENT[name].label} error={error}>
      <div class="when" data-without={WITHOUT[name]}>
        <input
          id={name}
          name={name}
          form={formId}
          type="datetime-local"
          value={attribute(wallTimeOf(value).wall)}
          data-instant={attribute(isInstant(value) ? value : '')}
          data-empty={wallTimeOf(value).wall === '' ? '' : undefined}
          autocomplete="off"
          {...described(name, error)}
        />
      </div>
    </Field>
  )
}

function Choice({ name, value, error, formId }: ControlProps): JSX.Element {
  const field = CONTENT[name]
  const options: readonly string[] = 'options' in field ? field.options : []
  return (
    <Field id={name} label={field.label} error={error}>
      <select id={name} name={name} form={formId} {...described(name, error)}>
        <Each
          of={options}
          show={(option) => (
            <option value={option} selected={option === value} safe>
              {inWords(name, option)}
            </option>
          )}
        />
      </select>
    </Field>
  )
}

/** A cleared checkbox is not sent, so a hidden field before it has that value: a form without the checkbox changes nothing. */
function Switch({ name, value, formId }: ControlProps): JSX.Element {
  const field = CONTENT[name]
  return (
    <p class="whole switch">
      <input type="hidden" name={name} form={formId} value={SWITCH_TEXTS.off} />
      <label class="choice">
        <input type="checkbox" name={name} form={formId} value={SWITCH_TEXTS.on} checked={value === SWITCH_TEXTS.on} />{' '}
        {'says' in field ? field.says : field.label}
      </label>
    </p>
  )
}

/** The error of a field of the bundle itself. */
export function messagesOf({ errors }: Pick<Checked, 'errors'>) {
  return (field: FormError['field']) =>
    errors.find((error) => error.link === null && error.variable === undefined && error.field === field)?.says
}

interface AboutProps {
  state: Pick<EditorState, 'form' | 'checked' | 'step' | 'has'>
  /** The heading without a title, where the title is the heading of the page. */
  untitled?: string
}

const OTHERS = scalarsIn('about').filter((name) => name !== 'title' && name !== 'description')

/**
 * The title and the description, in their final style. As a page's heading, the title has its field on top, visible only during
 * typing: only the heading marks blanks.
 */
export function About({ state, untitled }: AboutProps): JSX.Element {
  const { form, checked } = state
  const messageOf = messagesOf(checked)
  const [wrong, unfit] = [messageOf('title'), messageOf('description')]
  const parts = (
    <>
      <Part of="div" id="named" class="name-edit" state={state}>
        {untitled !== undefined && (
          <h1 dir="auto">
            <Blanks text={form.title.trim() || untitled} names={namesOf(form)} />
          </h1>
        )}
        <label class="visually-hidden" for="title">
          Title
        </label>
        <input
          id="title"
          name="title"
          form="editor"
          value={attribute(form.title)}
          placeholder={attribute(untitled ?? 'Name your links')}
          dir="auto"
          autocomplete="off"
          {...described('title', wrong)}
        />
        <FieldError id="title" error={wrong} />
      </Part>
      <Part of="div" id="described" state={state}>
        <label class="visually-hidden" for="description">
          Description, with **bold** and *italic*
        </label>
        <textarea
          id="description"
          name="description"
          form="editor"
          rows={String(linesOf(form.description))}
          placeholder="Add a description: **bold**, *italic*"
          dir="auto"
          {...described('description', unfit)}
          safe
        >
          {textareaContent(form.description)}
        </textarea>
        <FieldError id="description" error={unfit} />
        <Controls names={OTHERS} form={form} messageOf={messageOf} formId="editor" />
      </Part>
    </>
  )
  return state.step === 'checked' ? parts : <div class="about in-place">{parts}</div>
}

/** The approximate number of lines of a text, at most six; browsers that size a field by its text need no estimate. */
function linesOf(text: string): number {
  const lines = text.split('\n').map((line) => Math.max(1, Math.ceil(line.length / 90)))
  return Math.min(
    6,
    lines.reduce((sum, count) => sum + count, 0),
  )
}

/** For people who may change the link of a saved bundle. */
export interface Naming {
  /** A free slug from the title; null for none. */
  proposed: string | null
}

interface SharingProps extends Omit<ControlsProps, 'names'> {
  /** `new` for a copy, whose link can be chosen; the link of a saved one; null if the link is not shown. */
  link: 'new' | { slug: string; naming: Naming | undefined } | null
  isSlugFree: boolean | undefined
  /** Whether the audience can be changed, which nobody may propose. */
  isDecided: boolean
  /** Whether it has a password, which an empty field keeps. */
  hasPassword: boolean
  state: Pick<EditorState, 'step' | 'has'>
}

const OPENING = scalarsIn('opening')
const TIMES = OPENING.filter((name) => TIME_NAMES.some((time) => time === name))

/** The audience of the launcher, its times and its link. The password’s field is never pre-filled; styles hide unused fields. */
export function Sharing({ link, isSlugFree, isDecided, hasPassword, state, ...controls }: SharingProps): JSX.Element {
  const { form, messageOf } = controls
  const password = messageOf('password')
  const chosen = {
    id: 'slug',
    before: routes.launcher.page.start,
    value: form.slug,
    error: messageOf('slug'),
    isFree: isSlugFree,
  } as const
  const naming = link === null || link === 'new' ? undefined : link.naming
  return (
    <Part
      of="section"
      id="sharing"
      class="sharing about"
      attributes={{ 'aria-labelledby': 'sharing-heading' }}
      state={state}
    >
      <h2 id="sharing-heading">Sharing</h2>
      {isDecided && (
        <>
          <Controls names={['access']} {...controls} />
          <Field
            id="password"
            kind="secret"
            label="Password"
            note={hasPassword ? 'leave empty to keep it' : '8 characters or more'}
            error={password}
          >
            <Username name={link === null || link === 'new' ? '' : link.slug} />
            <input
              id="password"
              name="password"
              type="password"
              autocomplete="new-password"
              {...described('password', password)}
            />
          </Field>
          <p class="hint gated">
            Its organisation’s members, or only you, see it without a password. The links on it stay public.
          </p>
        </>
      )}
      <Controls names={TIMES} {...controls} />
      <Controls names={OPENING.filter((name) => !TIMES.includes(name))} {...controls} />
      <p class="hint timed">
        {'Times are in '}
        <span class="zone">UTC</span>
        {'. Outside them, viewers can’t see the bundle. You still can.'}
      </p>
      {naming !== undefined && <SlugField {...chosen} label="Link" hint={OLD_STAYS} />}
      {naming?.proposed != null && naming.proposed !== form.slug && (
        <p class="proposed">
          <button type="submit" name="do" value={`slug-${naming.proposed}`} class="quiet small">
            <span>
              {'Use '}
              <bdi safe>{`…/${naming.proposed}`}</bdi>
            </span>
          </button>
        </p>
      )}
      {link === 'new' && (
        <SlugField
          {...chosen}
          label="Custom link"
          placeholder="chosen for you"
          hint="You can change it later: the old one keeps working."
        />
      )}
    </Part>
  )
}
