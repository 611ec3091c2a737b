/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/bounds.ts'
import { VARIABLE_LABELS, VARIABLE_NAME } from '../../../src/bundles/variables.ts'
import { Each } from '../../parts/each.tsx'
import { described, FieldError, textareaContent } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { type EditorState, type FormError, NEW_VARIABLE, type VariableFields, variableColumn } from './bundle-form.ts'

/** The variables of a bundle, which whoever opens its launcher fills in. */
export function Variables({ form, checked, focus }: Pick<EditorState, 'form' | 'checked' | 'focus'>): JSX.Element {
  const { errors, variables: found } = checked
  const focused = focus !== null && 'variable' in focus ? focus : null
  return (
    <section class="variables" aria-labelledby="variables-heading">
      <div class="variables-head">
        <h2 id="variables-heading">Variables</h2>
        <p class="hint">Filled in by whoever opens the link</p>
      </div>
      {/* Tells a form without variables from one that does not ask for them. */}
      <input type="hidden" name="variables" value="" />
      <ul id="variables">
        <Each
          of={form.variables}
          show={(fields, index) => (
            <VariableRow
              fields={fields}
              id={`variable-${index + 1}`}
              index={index}
              uses={found.uses[index] ?? ''}
              errors={errors.filter(({ variable }) => variable === index)}
              focus={focused?.variable === index ? focused.on : null}
            />
          )}
        />
      </ul>
      <p>
        <button
          type="submit"
          name="do"
          value="variable"
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

/** An empty row, for the script to add. */
export function NewVariable(): JSX.Element {
  return (
    <template id="new-variable" data-most={String(BOUNDS.variables)}>
      <VariableRow fields={NEW_VARIABLE} id="variable-new" index={0} uses="" errors={[]} focus={null} />
    </template>
  )
}

interface RowProps {
  fields: VariableFields
  /** The prefix of the fields' ids. */
  id: string
  index: number
  /** Where it is used, in words. */
  uses: string
  errors: readonly FormError[]
  focus: 'name' | 'label' | 'add' | null
}

function VariableRow({ fields, id, index, uses, errors, focus }: RowProps): JSX.Element {
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
    <li class="variable">
      <fieldset>
        <legend class="visually-hidden" safe>{`Variable ${index + 1}`}</legend>
        <input type="hidden" name={variableColumn('was')} value={attribute(fields.was)} />
        <input type="hidden" name={variableColumn('placed')} value={attribute(fields.placed)} />
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
          <input {...textOf('label')} dir="auto" autofocus={focus === 'label'} />
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
              <input {...textOf('default')} dir="auto" />
              {messageOf('default')}
            </div>
            <button type="submit" name="do" value={`forget-${index}`} class="item danger">
              <Icon name="trash" />
              Remove
            </button>
          </div>
        </details>
      </fieldset>
    </li>
  )
}
