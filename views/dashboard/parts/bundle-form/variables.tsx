/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../../src/bundles/content/content.ts'
import { labelOf, VARIABLE_LABELS, VARIABLE_NAME } from '../../../../src/bundles/variables/variables.ts'
import { DATE_DEFAULTS, dateOf, isDated } from '../../../../src/core/dates.js'
import { described, FieldError, textareaContent } from '../../../parts/fields.tsx'
import { Icon } from '../../../parts/icons.tsx'
import { attribute, Each } from '../../../parts/layout.tsx'
import {
  type EditorState,
  type FormError,
  NEW_VARIABLE,
  nextRow,
  type VariableFields,
  variableColumn,
} from './bundle-form.ts'
import { RemovedRow, WithRemoved } from './link-rows.tsx'
import { PLAIN } from './names.ts'
import { Part } from './part.tsx'

/** The variables of a bundle, which viewers of its launcher fill in. */
export function Variables({ state }: { state: EditorState }): JSX.Element {
  const { form, checked, focus } = state
  const { errors, variables: found } = checked
  const focused = focus !== null && 'variable' in focus ? focus : null
  const rows = (
    <WithRemoved
      rows={form.variables}
      removed={form.removed.variables}
      show={(fields, index) => (
        <VariableRow
          fields={fields}
          index={index}
          uses={found.uses[index] ?? ''}
          errors={errors.filter(({ variable }) => variable === index)}
          focus={focused?.variable === index ? focused.on : null}
          state={state}
        />
      )}
      showRemoved={(fields) => (
        <RemovedRow
          id={`variable-${fields.row}`}
          kind="variable"
          field={variableColumn('removed')}
          fields={fields}
          called={fields.name.trim() || 'a variable'}
          back={`remember-${fields.row}`}
          state={state}
        />
      )}
    />
  )
  if (state.step === 'checked') return rows
  return (
    <section class="variables" aria-labelledby="variables-heading">
      <div class="variables-head">
        <h2 id="variables-heading">Variables</h2>
        <p class="hint">Filled in by whoever opens the link</p>
      </div>
      {/* Distinguishes a form without variables from one that does not edit them. */}
      <input type="hidden" name="variables" value="" />
      <Each of={form.plain} show={(name) => <input type="hidden" name={PLAIN} value={name} />} />
      <datalist id="date-defaults">
        <Each of={DATE_DEFAULTS} show={(text) => <option value={text} label={`${text}: ${dateOf(text, 'UTC')}`} />} />
      </datalist>
      <ul id="variables">{rows}</ul>
      <p>
        <button
          type="submit"
          name="do"
          value={`variable-${nextRow(form.variables, form.removed.variables)}`}
          class="quiet small"
          hidden={form.variables.length >= BOUNDS.variables}
          autofocus={focused?.on === 'add'}
        >
          <Icon name="plus" />
          Add a variable
        </button>
      </p>
    </section>
  )
}

/** What a default that stands for a date is today. */
function Today({ fields }: { fields: VariableFields }): JSX.Element {
  const text = fields.default.trim()
  if (!isDated({ default: text, ...(fields.options.trim() === '' ? {} : { options: [] }) })) return ''
  return (
    <p class="hint" safe>
      {`Today it is ${dateOf(text, 'UTC')} (UTC); viewers get the date of their own time zone.`}
    </p>
  )
}

/** An empty row, which the script shows at once on request. */
export function NewVariable(): JSX.Element {
  return (
    <template id="new-variable">
      <VariableRow
        fields={{ ...NEW_VARIABLE, row: 'new' }}
        index={0}
        uses=""
        errors={[]}
        focus={null}
        state={{ step: null, has: new Set() }}
      />
    </template>
  )
}

interface RowProps {
  fields: VariableFields
  index: number
  /** Where it is used, in words. */
  uses: string
  errors: readonly FormError[]
  focus: 'name' | 'label' | 'add' | null
  state: Pick<EditorState, 'step' | 'has'>
}

function VariableRow({ fields, index, uses, errors, focus, state }: RowProps): JSX.Element {
  const id = `variable-${fields.row}`
  const errorOf = (field: FormError['field']) => errors.find((error) => error.field === field)
  const textOf = (field: 'name' | 'label' | 'example' | 'default') => {
    const error = errorOf(field)
    return {
      id: `${id}-${field}`,
      name: variableColumn(field),
      value: attribute(fields[field]),
      autocomplete: 'off',
      ...described(`${id}-${field}`, error?.says, error?.isHint),
    }
  }
  const messageOf = (field: FormError['field']) => {
    const error = errorOf(field)
    return <FieldError id={`${id}-${field}`} error={error?.says} isHint={error?.isHint} />
  }
  return (
    <Part of="li" class="variable" id={id} state={state}>
      <input type="hidden" name={variableColumn('row')} value={fields.row} />
      <fieldset>
        <legend class="visually-hidden" safe>{`Variable ${index + 1}`}</legend>
        <input type="hidden" name={variableColumn('was')} value={attribute(fields.was)} />
        <input type="hidden" name={variableColumn('placed')} value={attribute(fields.placed)} />
        <input type="hidden" name={variableColumn('found')} value={attribute(fields.found)} />
        <div class="cell named">
          <label for={`${id}-name`}>{VARIABLE_LABELS.name}</label>
          <input
            {...textOf('name')}
            pattern={VARIABLE_NAME.source}
            dir="ltr"
            spellcheck="false"
            autocapitalize="off"
            autofocus={focus === 'name'}
          />
          <p class="uses hint" safe>
            {uses}
          </p>
          {messageOf('name')}
        </div>
        <div class="cell">
          <label for={`${id}-label`}>{VARIABLE_LABELS.label}</label>
          <input
            {...textOf('label')}
            placeholder={labelOf({ name: fields.name })}
            dir="auto"
            autofocus={focus === 'label'}
          />
          {messageOf('label')}
        </div>
        <div class="cell">
          <label for={`${id}-example`}>{VARIABLE_LABELS.example}</label>
          <input {...textOf('example')} dir="auto" />
          {messageOf('example')}
        </div>
        <div class="cell">
          <label for={`${id}-options`}>
            {VARIABLE_LABELS.options} <span class="optional">one per line</span>
          </label>
          <textarea
            id={`${id}-options`}
            name={variableColumn('options')}
            rows="1"
            dir="auto"
            placeholder="Any value"
            {...described(`${id}-options`, errorOf('options')?.says)}
            safe
          >
            {textareaContent(fields.options)}
          </textarea>
          {messageOf('options')}
        </div>
        <details class="menu" open={errorOf('default') !== undefined}>
          <summary class="quiet" aria-label={attribute(`More for ${fields.name || 'the new variable'}`)}>
            <Icon name="more" />
          </summary>
          <div class="pop">
            <div class="cell">
              <label for={`${id}-default`}>
                {VARIABLE_LABELS.default} <span class="optional">where nobody fills it in</span>
              </label>
              <input {...textOf('default')} dir="auto" list="date-defaults" />
              {messageOf('default')}
              {errorOf('default') === undefined && <Today fields={fields} />}
            </div>
            <button type="submit" name="do" value={`forget-${fields.row}`} class="item danger">
              <Icon name="trash" />
              Remove
            </button>
          </div>
        </details>
      </fieldset>
    </Part>
  )
}
