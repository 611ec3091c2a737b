/** @jsxImportSource @kitajs/html */

import { attribute } from '../parts/layout.tsx'
import { exampleQuery, type Placed } from './placed.ts'

/** A form that sends the call from this page; hidden without scripts. */
export function Try({ placed: { method, path, operation } }: { placed: Placed }): JSX.Element {
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
        {body === undefined ? (
          ''
        ) : (
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
