/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import type { JsonSchema } from '../../src/core/shape.ts'
import { Each } from '../parts/each.tsx'

/** The parts of JSON Schema that the reference shows. */
type Read = {
  $ref?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  description?: string
  default?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  properties?: Record<string, Read>
  required?: string[]
  items?: Read
  anyOf?: Read[]
  oneOf?: Read[]
  additionalProperties?: boolean | Read
}

/** A text; words between backticks are code. */
export function Prose({ text }: { text: string }): JSX.Element {
  return (
    <Each
      of={text.split('`')}
      show={(part, index) => (index % 2 === 0 ? escapeHtml(part) : <code safe>{part}</code>)}
    />
  )
}

/** The fields of an object with type, limits and meaning; nested fields fold. */
export function Fields({ schema }: { schema: JsonSchema }): JSX.Element {
  const { properties = {}, required = [] } = schema as Read
  return (
    <ul class="fields">
      {Object.entries(properties).map(([name, field]) => (
        <Field name={name} field={field} isRequired={required.includes(name)} />
      ))}
    </ul>
  )
}

/** A field of an object: name, type, meaning and default. */
export function Field({
  name,
  field,
  isRequired,
}: {
  name: string
  field: JsonSchema
  isRequired: boolean
}): JSX.Element {
  const { description, default: without } = field as Read
  const inner = innerOf(field as Read)
  return (
    <li>
      <p class="field-head cluster">
        <code class="name" safe>
          {name}
        </code>
        <span class="hint">
          <Type schema={field} />
        </span>
        {isRequired ? <span class="required">required</span> : ''}
        {without === undefined ? '' : <span class="hint" safe>{`default ${JSON.stringify(without)}`}</span>}
      </p>
      {description === undefined ? (
        ''
      ) : (
        <p class="hint">
          <Prose text={description} />
        </p>
      )}
      {inner === null ? (
        ''
      ) : (
        <details>
          <summary safe>{`Fields of ${name}`}</summary>
          <Fields schema={inner as JsonSchema} />
        </details>
      )}
    </li>
  )
}

/** The object type of a field or of its list's items, if it is described inline and not by name. */
function innerOf(schema: Read): Read | null {
  if (schema.properties !== undefined) return schema
  if (schema.items !== undefined) return innerOf(schema.items)
  return schema.anyOf?.map(innerOf).find((inner) => inner !== null) ?? null
}

/** The type of a value in a few words; a named type is a link. */
export function Type({ schema }: { schema: JsonSchema }): JSX.Element {
  const { $ref, anyOf, oneOf, items, minItems = 0, maxItems } = schema as Read
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? ''
    return (
      <a href={`#schema-${name}`} safe>
        {name}
      </a>
    )
  }
  const branches = anyOf ?? oneOf
  if (branches !== undefined) {
    return (
      <>
        {branches.map((branch, index) => (
          <>
            {index === 0 ? '' : ' or '}
            <Type schema={branch as JsonSchema} />
          </>
        ))}
      </>
    )
  }
  if (items !== undefined) {
    const count = maxItems === undefined ? '' : ` of ${minItems} to ${maxItems}`
    return (
      <>
        <span safe>{`list${count}: `}</span>
        <Type schema={items as JsonSchema} />
      </>
    )
  }
  return <span safe>{words(schema as Read)}</span>
}

function words({ type, const: one, enum: some, format, ...bounds }: Read): string {
  if (one !== undefined) return JSON.stringify(one)
  if (some !== undefined) return some.map((value) => JSON.stringify(value)).join(', ')
  if (type === 'null') return 'null'
  if (type === 'boolean') return 'true or false'
  if (type === 'integer' || type === 'number') {
    const kind = type === 'integer' ? 'whole number' : 'number'
    const { minimum, maximum } = bounds
    if (minimum !== undefined && maximum !== undefined && maximum < 1e15) return `${kind}, ${minimum} to ${maximum}`
    return minimum === undefined ? kind : `${kind}, at least ${minimum}`
  }
  if (type === 'object') return 'object'
  if (format === 'date-time') return 'time'
  if (format === 'date') return 'day'
  if (type !== 'string') return 'anything'
  const { minLength = 0, maxLength } = bounds
  if (maxLength === undefined) return 'text'
  return minLength > 0 ? `text, ${minLength} to ${maxLength} characters` : `text, at most ${maxLength} characters`
}
