/** @jsxImportSource @kitajs/html */

import type { Variable } from '../../db/schema.ts'
import { labelOf } from '../../src/bundles/variables.ts'
import { type Filling, isComplete } from '../../src/core/template.js'
import { optionMark } from '../../src/launcher/page-template.ts'
import type { PublicBundle } from '../../src/launcher/served.ts'
import { Each } from '../parts/each.tsx'
import { described, Field } from '../parts/fields.tsx'
import { attribute } from '../parts/layout.tsx'

interface AskProps {
  bundle: Pick<PublicBundle, 'slug' | 'variables'>
  filling: Filling
}

/** What the launcher asks its viewer for; once it has all, what it was given, which can be changed. */
export function Ask(props: AskProps): JSX.Element {
  const { variables } = props.bundle
  const { filling } = props
  if (variables.length === 0) return ''
  if (!isComplete(filling)) return <Form {...props} />
  return (
    <details class="given">
      <summary>
        <Each
          of={variables}
          show={(variable) => (
            <span class="pick">
              <span dir="auto" safe>
                {labelOf(variable)}
              </span>{' '}
              <bdi class="value" data-variable={variable.name} safe>
                {filling.values[variable.name] ?? ''}
              </bdi>
            </span>
          )}
        />
      </summary>
      <Form {...props} />
    </details>
  )
}

/** It is complete without a script: it leads to the filled launcher. */
function Form({ bundle: { slug, variables }, filling }: AskProps): JSX.Element {
  return (
    <form class="ask" id="ask" method="get" action={`/l/${slug}`}>
      <Each of={variables} show={(variable) => <Control variable={variable} filling={filling} />} />
      <button type="submit" class="scriptless">
        Fill in the links
      </button>
    </form>
  )
}

function Control({ variable, filling }: { variable: Variable; filling: Filling }): JSX.Element {
  const { name, example, options, default: otherwise } = variable
  const { values, sent, invalid } = filling
  const id = `value-${name}`
  const error = invalid.find((wrong) => wrong.name === name)?.message
  const value = sent[name] ?? values[name]
  return (
    <Field id={id} label={labelOf(variable)} error={error}>
      {options === undefined ? (
        <input
          id={id}
          name={name}
          value={value === undefined ? undefined : attribute(value)}
          placeholder={attribute(otherwise ?? example ?? '')}
          required={otherwise === undefined}
          autocomplete="on"
          autocapitalize="off"
          spellcheck="false"
          dir="auto"
          {...described(id, error)}
        />
      ) : (
        <select id={id} name={name} required={otherwise === undefined} dir="auto" {...described(id, error)}>
          {otherwise === undefined ? <option value="">Choose…</option> : ''}
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
