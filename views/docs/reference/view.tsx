/** @jsxImportSource @kitajs/html */

import { routes } from '../../../src/core/routes.ts'
import type { JsonSchema } from '../../../src/core/shape.ts'
import { asSentence } from '../../../src/core/words.ts'
import type { Described, OpenApi } from '../../../src/operations/openapi-types.ts'
import type { Site } from '../../parts/layout.tsx'
import { DocsFrame } from '../parts/frame.tsx'
import { Fields, Operation, type Placed, Prose } from './operation.tsx'

/** The API reference, generated from the OpenAPI document. */
export function DocsPage({
  site,
  document,
  problem,
}: {
  site: Site
  document: OpenApi
  /** The shape of every error. */
  problem: JsonSchema
}): JSX.Element {
  const placed = inOrder(document)
  // In the document, each error has a schema with its own codes; these are listed with the operations.
  const isError = ([name]: [string, JsonSchema]) => /^[A-Z_]+(?:_or_|$)/.test(name)
  const own = Object.entries(document.components.schemas).filter((one) => !isError(one))
  const shapes: [string, JsonSchema][] = [...own, ['Problem', problem]]
  const list = <Contents placed={placed} shapes={shapes.map(([name]) => name)} />
  return (
    <DocsFrame
      site={site}
      title={document.info.title}
      tab="api"
      contents={{ label: 'Operations', opens: 'Contents' }}
      list={list}
      main={{ id: 'reference', name: 'reference' }}
      scripts={['docs.js']}
    >
      <section class="intro" id="start">
        <h1 safe>{document.info.title}</h1>
        <Start origin={site.origin} isOpen={placed.some(isOpenToAll)} />
        <p>
          <Prose text={document.info.description} />
        </p>
        <Key />
      </section>
      {placed.map((one) => (
        <Operation placed={one} origin={site.origin} />
      ))}
      <section id="shapes">
        <h2>Shapes</h2>
        <p class="hint">Objects that several operations accept or return.</p>
      </section>
      {shapes.map(([name, schema]) => (
        <Shape name={name} schema={schema} />
      ))}
    </DocsFrame>
  )
}

function Contents({ placed, shapes }: { placed: readonly Placed[]; shapes: readonly string[] }): JSX.Element {
  const parts = [...new Set(placed.flatMap(({ operation }) => operation.tags))]
  return (
    <ul>
      <li>
        <a href="#start">Start here</a>
      </li>
      <li>
        <a href="/api/openapi.json">OpenAPI document</a>
      </li>
      <li>
        <a href="/llms.txt">For AI agents</a>
      </li>
      {parts.map((part) => (
        <li>
          <p class="label" safe>
            {part}
          </p>
          <ul>
            {placed
              .filter(({ operation }) => operation.tags.includes(part) && !isDryRun(operation))
              .map((one) => (
                <Entry placed={one} dryRun={placed.find(({ operation }) => isDryRun(operation, one.operation))} />
              ))}
          </ul>
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

/** An operation in the contents, with its dry run below it. */
function Entry({ placed, dryRun }: { placed: Placed; dryRun: Placed | undefined }): JSX.Element {
  const { method, operation } = placed
  return (
    <li>
      <a href={`#${operation.operationId}`}>
        <span safe>{asSentence(operation.operationId.replaceAll('_', ' '))}</span>
        <span class={`method ${method.toLowerCase()}`} safe>
          {method}
        </span>
      </a>
      {dryRun !== undefined && (
        <ul>
          <li>
            <a href={`#${dryRun.operation.operationId}`}>Dry run</a>
          </li>
        </ul>
      )}
    </li>
  )
}

const DRY_RUN = '_dry_run'

/** Whether an operation is a dry run: of the other one, if it is given. */
function isDryRun({ operationId }: Described, of?: Described): boolean {
  return of === undefined ? operationId.endsWith(DRY_RUN) : operationId === of.operationId + DRY_RUN
}

/** The operations in the order of the document, but each dry run after its operation. */
function inOrder({ paths }: OpenApi): Placed[] {
  const placed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Placed => ({ method: method.toUpperCase(), path, operation })),
  )
  const dryRunsOf = (one: Placed) => placed.filter(({ operation }) => isDryRun(operation, one.operation))
  return placed.filter(({ operation }) => !isDryRun(operation)).flatMap((one) => [one, ...dryRunsOf(one)])
}

/** Whether the operation creates bundles for anonymous callers. */
function isOpenToAll({ operation: { operationId, security } }: Placed): boolean {
  return operationId === 'create_bundle' && security.some((way) => Object.keys(way).length === 0)
}

function Start({ origin, isOpen }: { origin: string; isOpen: boolean }): JSX.Element {
  return (
    <>
      <p>
        {isOpen ? 'Create a bundle without an account, or create' : 'Create'} an{' '}
        <a href={routes.keys.list.href()}>API key</a> and send it as <code>{'Authorization: Bearer &lt;key&gt;'}</code>.
      </p>
      <pre class="code">
        <code safe>
          {`curl ${origin}/api/links \\\n  -H 'content-type: application/json' \\\n${isOpen ? '' : "  -H 'authorization: Bearer <key>' \\\n"}  -d '{"urls":["https://example.com/plan","https://example.com/status"]}'`}
        </code>
      </pre>
    </>
  )
}

function Key(): JSX.Element {
  return (
    <div class="key">
      <label for="key">API key for trying requests here</label>
      <input
        id="key"
        type="password"
        autocomplete="off"
        spellcheck="false"
        placeholder="oa_…"
        aria-describedby="key-hint"
      />
      <p class="hint" id="key-hint">
        Kept only on this page until you leave it. Without a key, requests use your sign-in.
      </p>
    </div>
  )
}

function Shape({ name, schema }: { name: string; schema: JsonSchema }): JSX.Element {
  const branches = (schema.anyOf as JsonSchema[] | undefined) ?? [schema]
  return (
    <section class="operation" id={`schema-${name}`} aria-labelledby={`schema-${name}-title`}>
      <h2 id={`schema-${name}-title`} safe>
        {name}
      </h2>
      {schema.description !== undefined && <p safe>{String(schema.description)}</p>}
      {branches.map((branch, index) => (
        <>
          {index !== 0 && <p class="hint">or</p>}
          <Fields schema={branch} />
        </>
      ))}
    </section>
  )
}
