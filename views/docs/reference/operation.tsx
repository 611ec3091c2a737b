/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import type { JsonSchema } from '../../../src/core/shape.ts'
import type { Described, Parameter } from '../../../src/operations/openapi-types.ts'
import { attribute, Each } from '../../parts/layout.tsx'

/** One operation: description, input and answers, with an example and a form to try it. */
export function Operation({ placed, origin }: { placed: Placed; origin: string }): JSX.Element {
  const { method, path, operation } = placed
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const [body] = Object.values(requestBody?.content ?? {})
  const [[, success] = []] = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .reverse()
  const answer = success?.content?.['application/json']
  return (
    <section class="operation" id={operationId} aria-labelledby={`${operationId}-title`}>
      <h2 id={`${operationId}-title`} safe>
        {summary}
      </h2>
      <p class="route cluster">
        <span class={`method ${method.toLowerCase()}`} safe>
          {method}
        </span>
        <code safe>{path}</code>
        <Auth operation={operation} />
      </p>
      <p>
        <Prose text={description} />
      </p>
      <div class="halves">
        <div>
          {parameters.length > 0 && <Parameters parameters={parameters} />}
          {body !== undefined && (
            <>
              <h3>Body</h3>
              <Fields schema={body.schema} />
            </>
          )}
          <Answers responses={responses} />
        </div>
        <div class="examples">
          <h3>Example</h3>
          <pre class="code">
            <code safe>{curl(placed, origin)}</code>
          </pre>
          {answer !== undefined && (
            <pre class="code answer">
              <code safe>{JSON.stringify(answer.examples?.example.value, null, 2)}</code>
            </pre>
          )}
          <Try placed={placed} />
        </div>
      </div>
    </section>
  )
}

function Auth({ operation: { security, 'x-scope': scope } }: { operation: Described }): JSX.Element {
  const isOpen = security.some((way) => Object.keys(way).length === 0)
  return (
    <span class="hint" safe>
      {[isOpen ? 'without an account' : 'signed in, or with a key', scope === undefined ? '' : `scope ${scope}`]
        .filter((text) => text !== '')
        .join(' · ')}
    </span>
  )
}

function Parameters({ parameters }: { parameters: readonly Parameter[] }): JSX.Element {
  const kinds = [
    ['path', 'In the path'],
    ['query', 'In the query'],
    ['header', 'Headers'],
  ] as const
  return (
    <>
      {kinds.map(([kind, heading]) => {
        const some = parameters.filter((parameter) => parameter.in === kind)
        if (some.length === 0) return ''
        return (
          <>
            <h3>{heading}</h3>
            <ul class="fields">
              {some.map(({ name, required, description, schema }) => (
                <Field name={name} field={{ ...schema, description }} isRequired={required} />
              ))}
            </ul>
          </>
        )
      })}
    </>
  )
}

function Answers({ responses }: { responses: Described['responses'] }): JSX.Element {
  return (
    <>
      <h3>Responses</h3>
      <ul class="answers">
        {Object.entries(responses).map(([status, { description, content, headers = {} }]) => {
          const schema = content?.['application/json']?.schema
          const isSuccess = status.startsWith('2')
          return (
            <li>
              <span class={['status', isSuccess ? 'good' : 'bad']} safe>
                {status}
              </span>
              <div>
                <p>
                  <Prose text={description} />
                </p>
                {isSuccess && schema !== undefined && <Body schema={schema} />}
                {isSuccess && Object.keys(headers).length > 0 && (
                  <p class="hint" safe>{`Headers: ${Object.keys(headers).join(', ')}`}</p>
                )}
              </div>
            </li>
          )
        })}
      </ul>
    </>
  )
}

function Body({ schema }: { schema: JsonSchema }): JSX.Element {
  if (schema.properties === undefined) {
    return (
      <p class="hint">
        <Type schema={schema} />
      </p>
    )
  }
  return (
    <details>
      <summary>Response fields</summary>
      <Fields schema={schema} />
    </details>
  )
}

/** The call as a curl command; words in capitals are placeholders. */
function curl({ method, path, operation: { parameters, requestBody, security } }: Placed, origin: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(parameters, name))
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
  const search = query.map(exampleQuery).join('&')
  const [[type, body] = []] = Object.entries(requestBody?.content ?? {})
  const isOpen = security.some((way) => Object.keys(way).length === 0)
  const implied = body === undefined ? 'GET' : 'POST'
  return [
    `curl${method === implied ? '' : ` -X ${method}`} "${origin}${filled}${search === '' ? '' : `?${search}`}"`,
    ...(isOpen ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...(body === undefined
      ? []
      : [`-H 'content-type: ${type}'`, `-d '${JSON.stringify(body.examples?.example.value)}'`]),
  ].join(' \\\n  ')
}

function exampleOf(parameters: readonly Parameter[], name: string): string {
  return encodeURIComponent(String(parameters.find((parameter) => parameter.name === name)?.example ?? name))
}

/** A form that sends the call from this page; hidden without scripts. */
function Try({ placed: { method, path, operation } }: { placed: Placed }): JSX.Element {
  const { operationId, parameters, requestBody } = operation
  const [[type = '', body] = []] = Object.entries(requestBody?.content ?? {})
  const fields = parameters.filter((parameter) => parameter.in !== 'header')
  return (
    <details class="try">
      <summary>Try it</summary>
      <form data-try data-method={method} data-path={path} data-type={type}>
        {fields.map(({ name, in: where, required, explode, example }) => (
          <div class="field">
            <label for={`${operationId}-${name}`} safe>
              {name}
            </label>
            <input
              id={`${operationId}-${name}`}
              name={name}
              data-in={explode === true ? 'fields' : where}
              required={required}
              placeholder={attribute(
                explode === true ? exampleQuery({ name, explode, example }) : String(example ?? ''),
              )}
              autocomplete="off"
            />
          </div>
        ))}
        {body !== undefined && (
          <div class="field">
            <label for={`${operationId}-body`}>Body</label>
            <textarea id={`${operationId}-body`} name="body" data-in="body" rows="6" spellcheck="false" safe>
              {JSON.stringify(body.examples?.example.value, null, 2)}
            </textarea>
          </div>
        )}
        <button type="submit" class="primary">
          Send
        </button>
        <div class="outcome" role="status"></div>
      </form>
    </details>
  )
}

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

/** A text with code between backticks. */
export function Prose({ text }: { text: string }): JSX.Element {
  return (
    <Each
      of={text.split('`')}
      show={(part, index) => (index % 2 === 0 ? escapeHtml(part) : <code safe>{part}</code>)}
    />
  )
}

/** The fields of an object with types, limits and descriptions; nested fields are folded. */
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

/** A field of an object: name, type, description and default. */
function Field({ name, field, isRequired }: { name: string; field: JsonSchema; isRequired: boolean }): JSX.Element {
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
        {isRequired && <span class="required">required</span>}
        {without !== undefined && <span class="hint" safe>{`default ${JSON.stringify(without)}`}</span>}
      </p>
      {description !== undefined && (
        <p class="hint">
          <Prose text={description} />
        </p>
      )}
      {inner !== null && (
        <details>
          <summary safe>{`Fields of ${name}`}</summary>
          <Fields schema={inner as JsonSchema} />
        </details>
      )}
    </li>
  )
}

/** The object type of a field or its list items, if it is inline and not named. */
function innerOf(schema: Read): Read | null {
  if (schema.properties !== undefined) return schema
  if (schema.items !== undefined) return innerOf(schema.items)
  return schema.anyOf?.map(innerOf).find((inner) => inner !== null) ?? null
}

/** The type of a value in a few words; a named type is a link. */
function Type({ schema }: { schema: JsonSchema }): JSX.Element {
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
            {index !== 0 && ' or '}
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

/** One operation with its place in the document. */
export interface Placed {
  method: string
  path: string
  operation: Described
}

/** The example of a query parameter: `limit=20`; for one that has all parameters as its fields, `id=4711&range=7d`. */
function exampleQuery({ name, explode, example }: Pick<Parameter, 'name' | 'explode' | 'example'>): string {
  const fields = explode === true ? Object.entries(example ?? {}) : [[name, example]]
  return fields.map(([field, value]) => `${field}=${encodeURIComponent(String(value))}`).join('&')
}
