/** @jsxImportSource @kitajs/html */

import type { JsonSchema } from '../../src/core/shape.ts'
import type { Described, Parameter } from '../../src/operations/openapi-types.ts'
import { exampleQuery, type Placed } from './placed.ts'
import { Field, Fields, Prose, Type } from './schema.tsx'
import { Try } from './try.tsx'

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
          {parameters.length === 0 ? '' : <Parameters parameters={parameters} />}
          {body === undefined ? (
            ''
          ) : (
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
          {answer === undefined ? (
            ''
          ) : (
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
                {isSuccess && schema !== undefined ? <Body schema={schema} /> : ''}
                {isSuccess && Object.keys(headers).length > 0 ? (
                  <p class="hint" safe>{`Headers: ${Object.keys(headers).join(', ')}`}</p>
                ) : (
                  ''
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
