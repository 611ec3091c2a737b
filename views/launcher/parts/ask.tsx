/** @jsxImportSource @kitajs/html */

import type { Variable } from '../../../db/schema.ts'
import { labelOf } from '../../../src/bundles/variables/variables.ts'
import { routes } from '../../../src/core/routes.ts'
import { type Filling, isComplete } from '../../../src/core/template.js'
import { optionMark } from '../../../src/launcher/page-template.ts'
import type { PublicBundle } from '../../../src/launcher/served.ts'
import { Field } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'

interface AskProps {
  bundle: Pick<PublicBundle, 'slug' | 'variables'>
  filling: Filling
  /** The variables that rules read, which decide which tabs there are. */
  deciding: readonly string[]
  /** How many tabs the button opens. */
  openable: number
  /** The rendered `Carried` fields. */
  carried: JSX.Element
}

/** Asks the viewer for the launcher's values; once complete, shows them with the form to change them. */
export function Ask(props: AskProps): JSX.Element {
  const { bundle, filling } = props
  if (bundle.variables.length === 0) return ''
  const isFilled = isComplete(filling)
  return (
    <>
      {isFilled && <Given variables={bundle.variables} filling={filling} />}
      <Form {...props} isFilled={isFilled} />
    </>
  )
}

/**
 * The given values. Each links to its field, also without a script: the form is visible while one of its fields is the target.
 */
function Given({ variables, filling }: { variables: readonly Variable[]; filling: Filling }): JSX.Element {
  return (
    <div class="given">
      <Each
        of={variables}
        show={(variable) => (
          <a class="pick" href={`#value-${variable.name}`}>
            <span dir="auto" safe>
              {labelOf(variable)}
            </span>{' '}
            <bdi class="value" data-variable={variable.name} safe>
              {filling.values[variable.name] ?? ''}
            </bdi>
            <Icon name="edit" />
          </a>
        )}
      />
      <CopyValues />
    </div>
  )
}

/** A button for the script, which shows it once there is something to copy. */
function CopyValues(): JSX.Element {
  return (
    <a id="copy-values" class="quiet" href="#links">
      <Icon name="copy" />
      Copy this link
    </a>
  )
}

/** The form with the fields. It works without a script: submitting it opens the filled launcher. */
function Form({ isFilled, ...props }: AskProps & { isFilled: boolean }): JSX.Element {
  const { bundle, filling, deciding, openable, carried } = props
  return (
    <form class={['ask', isFilled && 'folded']} method="get" action={routes.launcher.page.href({ slug: bundle.slug })}>
      <Each
        of={bundle.variables}
        show={(variable) => (
          <Control variable={variable} filling={filling} isDeciding={deciding.includes(variable.name)} />
        )}
      />
      {carried}
      <button type="submit" class="scriptless">
        Fill in the links
      </button>
      <div class="after">
        <p class="hint" id="fills">
          <Hint isDeciding={deciding.length > 0} openable={openable} />
        </p>
        {!isFilled && <CopyValues />}
      </div>
    </form>
  )
}

/** The effects of typing and Enter; Enter does nothing while a value is refused. */
function Hint({ isDeciding, openable }: { isDeciding: boolean; openable: number }): JSX.Element {
  const enter = isDeciding ? 'Enter shows them.' : openable === 0 ? '' : `Enter opens ${openable === 1 ? 'it' : 'all'}.`
  return (
    <>
      {isDeciding ? 'Which links there are depends on what you enter.' : 'Fills in as you type.'}
      {enter !== '' && (
        <span class="enter" safe>
          {` ${enter}`}
        </span>
      )}
    </>
  )
}

interface ControlProps {
  variable: Variable
  filling: Filling
  isDeciding: boolean
}

function Control({ variable, filling, isDeciding }: ControlProps): JSX.Element {
  const { name, example, options, default: otherwise } = variable
  const { values, sent, invalid } = filling
  const id = `value-${name}`
  const error = invalid.find((wrong) => wrong.name === name)?.message
  // Browsers would read a null character as U+FFFD, which is accepted. U+0001 is refused like it.
  const value = sent[name]?.replaceAll('\0', '\u0001') ?? values[name]
  const shared = {
    id,
    name,
    required: otherwise === undefined,
    dir: 'auto',
    'data-decides': isDeciding ? '' : undefined,
    'aria-invalid': error === undefined ? undefined : 'true',
    'aria-describedby': error === undefined ? 'fills' : `${id}-error fills`,
  } as const
  return (
    <Field id={id} label={labelOf(variable)} error={error}>
      {options === undefined ? (
        <input
          {...shared}
          value={value === undefined ? undefined : attribute(value)}
          placeholder={attribute(otherwise ?? example ?? '')}
          autocomplete="on"
          autocapitalize="off"
          spellcheck="false"
          enterkeyhint="go"
        />
      ) : (
        <select {...shared}>
          {otherwise === undefined && <option value="">Choose…</option>}
          {value !== undefined && error !== undefined && !options.includes(value) && (
            <option value={attribute(value)} selected disabled safe>
              {value}
            </option>
          )}
          <Each
            of={options}
            show={(option, at) => {
              const mark = optionMark(value, at)
              return (
                <option
                  value={attribute(option)}
                  selected={mark === null && option === (value ?? otherwise)}
                  data-chosen={mark ?? undefined}
                  safe
                >
                  {option}
                </option>
              )
            }}
          />
        </select>
      )}
    </Field>
  )
}
