/** @jsxImportSource @kitajs/html */

import type { Described, OpenApi, Parameter } from '../../src/api/openapi.ts'
import type { JsonSchema } from '../../src/core/shape.ts'
import { attribute, Document, type Site } from '../parts/layout.tsx'
import { asset } from '../static.ts'
import { Field, Fields, Prose, Type } from './schema.tsx'

/** One operation with its place in the document. */
interface Placed {
  method: string
  path: string
  operation: Described
}

/** The reference of the API, from its OpenAPI document alone. */
export function DocsPage({ site, document }: { site: Site; document: OpenApi }): JSX.Element {
  const placed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Placed => ({ method: method.toUpperCase(), path, operation })),
  )
  // Errors stand with the operations.
  const shapes = Object.entries(document.components.schemas).filter(([name]) => !/^[A-Z_]+(?:_or_|$)/.test(name))
  return (
    <Document title={document.info.title} styles="docs.css" scripts={['docs.js']} head={undefined}>
      <a class="skip" href="#reference">
        Skip to the reference
      </a>
      <header class="top wide">
        <a class="brand" href="/">
          <img src={asset('icon.svg')} alt="" width="26" height="26" />
          <span safe>{site.name}</span>
        </a>
        <nav class="who" aria-label="Formats">
          <a class="quiet" href="/api/openapi.json">
            OpenAPI
          </a>
          <a class="quiet" href="/llms.txt">
            For agents
          </a>
        </nav>
      </header>
      <div class="docs">
        <nav class="contents" aria-label="Operations">
          {/* Folded where there is no room beside the reference; which of the two is there is for the style to say. */}
          <details>
            <summary>Contents</summary>
            <Contents placed={placed} shapes={shapes.map(([name]) => name)} />
          </details>
          <div class="beside">
            <Contents placed={placed} shapes={shapes.map(([name]) => name)} />
          </div>
        </nav>
        <main id="reference">
          <section class="intro" id="start">
            <h1 safe>{document.info.title}</h1>
            <p class="lede">
              <Prose text={document.info.description} />
            </p>
            <Start origin={site.origin} />
          </section>
          {placed.map((one) => (
            <Operation placed={one} origin={site.origin} />
          ))}
          <section id="shapes">
            <h2>Shapes</h2>
            <p class="hint">What several operations take or answer.</p>
          </section>
          {shapes.map(([name, schema]) => (
            <Shape name={name} schema={schema} />
          ))}
        </main>
      </div>
    </Document>
  )
}

function Contents({ placed, shapes }: { placed: readonly Placed[]; shapes: readonly string[] }): JSX.Element {
  return (
    <ul>
      <li>
        <a href="#start">Start here</a>
      </li>
      {placed.map(({ method, operation: { operationId } }) => (
        <li>
          <a href={`#${operationId}`}>
            <span class={`method ${method.toLowerCase()}`} safe>
              {method}
            </span>
            <span safe>{operationId.replaceAll('_', ' ')}</span>
          </a>
        </li>
      ))}
      <li>
        <a href="#shapes">Shapes</a>
        <ul>
          {shapes.map((name) => (
            <li>
              <a href={`#schema-${name}`} safe>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </li>
    </ul>
  )
}

function Start({ origin }: { origin: string }): JSX.Element {
  return (
    <>
      <p>
        Make a bundle without an account, or make an <a href="/dashboard/keys">API key</a> and send it as{' '}
        <code>{'Authorization: Bearer &lt;key&gt;'}</code>.
      </p>
      <pre class="code">
        <code safe>
          {`curl ${origin}/api/links \\\n  -H 'content-type: application/json' \\\n  -d '{"urls":["https://example.com/plan","https://example.com/status"]}'`}
        </code>
      </pre>
      <div class="key">
        <label for="key">API key for trying calls here</label>
        <input
          id="key"
          type="password"
          autocomplete="off"
          spellcheck="false"
          placeholder="oa_…"
          aria-describedby="key-hint"
        />
        <p class="hint" id="key-hint">
          Kept on this page alone, until you leave it. Without one, calls are made as you are signed in.
        </p>
      </div>
    </>
  )
}

function Operation({ placed, origin }: { placed: Placed; origin: string }): JSX.Element {
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
      <p class="route">
        <span class={`method ${method.toLowerCase()}`} safe>
          {method}
        </span>
        <code safe>{path}</code>
        <Access operation={operation} />
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
              <code safe>{JSON.stringify(answer.example, null, 2)}</code>
            </pre>
          )}
          <Try placed={placed} />
        </div>
      </div>
    </section>
  )
}

function Access({ operation: { security } }: { operation: Described }): JSX.Element {
  const isOpen = security.some((way) => Object.keys(way).length === 0)
  const [scope] = security.flatMap(({ key }) => key ?? [])
  return (
    <span class="access" safe>
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
      <h3>Answers</h3>
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
      <p class="type">
        <Type schema={schema} />
      </p>
    )
  }
  return (
    <details>
      <summary>Fields of the answer</summary>
      <Fields schema={schema} />
    </details>
  )
}

function Shape({ name, schema }: { name: string; schema: JsonSchema }): JSX.Element {
  const branches = (schema.anyOf as JsonSchema[] | undefined) ?? [schema]
  return (
    <section class="operation" id={`schema-${name}`} aria-labelledby={`schema-${name}-title`}>
      <h2 id={`schema-${name}-title`} safe>
        {name}
      </h2>
      {schema.description === undefined ? '' : <p safe>{String(schema.description)}</p>}
      {branches.map((branch, index) => (
        <>
          {index === 0 ? '' : <p class="hint">or</p>}
          <Fields schema={branch} />
        </>
      ))}
    </section>
  )
}

/** The call as a command that can be run once its words in capitals are set. */
function curl({ method, path, operation: { parameters, requestBody, security } }: Placed, origin: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(parameters, name))
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
  const search = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join('&')
  const [[type, body] = []] = Object.entries(requestBody?.content ?? {})
  const isOpen = security.some((way) => Object.keys(way).length === 0)
  return [
    `curl${method === 'GET' || body !== undefined ? '' : ` -X ${method}`}${method === 'PATCH' ? ' -X PATCH' : ''} "${origin}${filled}${search === '' ? '' : `?${search}`}"`,
    ...(isOpen ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...(body === undefined ? [] : [`-H 'content-type: ${type}'`, `-d '${JSON.stringify(body.example)}'`]),
  ].join(' \\\n  ')
}

function exampleOf(parameters: readonly Parameter[], name: string): string {
  return encodeURIComponent(String(parameters.find((parameter) => parameter.name === name)?.example ?? name))
}

/** A form that makes the call from this page; without scripts it is not shown. */
function Try({ placed: { method, path, operation } }: { placed: Placed }): JSX.Element {
  const { operationId, parameters, requestBody } = operation
  const [[type = '', body] = []] = Object.entries(requestBody?.content ?? {})
  const fields = parameters.filter((parameter) => parameter.in !== 'header')
  return (
    <details class="try">
      <summary>Try it</summary>
      <form data-try data-method={method} data-path={path} data-type={type}>
        {fields.map(({ name, in: where, required, example }) => (
          <div class="field">
            <label for={`${operationId}-${name}`} safe>
              {name}
            </label>
            <input
              id={`${operationId}-${name}`}
              name={name}
              data-in={where}
              required={required}
              placeholder={attribute(String(example ?? ''))}
              autocomplete="off"
            />
          </div>
        ))}
        {body === undefined ? (
          ''
        ) : (
          <div class="field">
            <label for={`${operationId}-body`}>Body</label>
            <textarea id={`${operationId}-body`} name="body" data-in="body" rows="6" spellcheck="false" safe>
              {JSON.stringify(body.example, null, 2)}
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
