/** @jsxImportSource @kitajs/html */

import type { Fact } from '../../../db/policy.ts'
import type { Variable } from '../../../db/schema.ts'
import { labelOf } from '../../../src/bundles/variables.ts'
import type { Findings, TestResult } from '../../../src/policies/draft/findings.ts'
import type { TestTexts, TestViewer, People as TriedAs } from '../../../src/policies/draft/test-viewer.ts'
import { Each } from '../../parts/each.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { DashboardSite } from '../parts/shell.tsx'
import { FACT_WORDS, FACTS, topicOfVariable } from './facts.ts'
import { idOf, Notes } from './parts.tsx'
import { People } from './people.tsx'
import { Verdict } from './verdict.tsx'

interface TesterProps {
  site: DashboardSite
  people: TriedAs
  /** The bundle's variables. */
  variables: readonly Variable[]
  viewer: TestViewer
  findings: Findings
  testResult: TestResult
}

/** Describes a viewer and shows which tabs they get, and why. */
export function Tester({ site, people, variables, viewer, findings, testResult }: TesterProps): JSX.Element {
  return (
    <section class="tester aside" id="try" aria-labelledby="try-title">
      <div class="stays">
        <h2 id="try-title">Try it as</h2>
        <People site={site} people={people} viewer={viewer}>
          <ViewerFields viewer={viewer} findings={findings} />
        </People>
        <div class="facts">
          <Each
            of={variables}
            show={(variable) => <VariableField variable={variable} viewer={viewer} findings={findings} />}
          />
        </div>
        <p class="actions scriptless">
          <button type="submit" class="small" name="do" value="test">
            Show what opens
          </button>
        </p>
        <div id="verdict">
          <Verdict testResult={testResult} variables={variables} />
        </div>
      </div>
    </section>
  )
}

interface FieldsProps {
  viewer: TestViewer
  findings: Findings
}

function ViewerFields({ viewer, findings }: FieldsProps): JSX.Element {
  return (
    <fieldset class="facts">
      <legend class="visually-hidden">What is known of them</legend>
      <label class="check">
        <input type="checkbox" name="viewer.signedIn" value="true" checked={viewer.signedIn === 'true'} />
        <span>Signed in</span>
      </label>
      <Each of={FACTS} show={(fact) => <FactField fact={fact} viewer={viewer} findings={findings} />} />
      <div class="fact">
        <label for="viewer-now">Date and time</label>
        <input
          type="datetime-local"
          id="viewer-now"
          name="viewer.now"
          value={attribute(viewer.now)}
          aria-describedby="viewer-now-state"
        />
        <Notes place="viewer.now" findings={findings} />
      </div>
      <TextField name="zone" label="Time zone" placeholder="UTC" list="zones" viewer={viewer} findings={findings} />
      <TextField name="query" label="Link parameter" placeholder="ref=mail" viewer={viewer} findings={findings} />
    </fieldset>
  )
}

/** What the viewer fills in; nothing is the default. */
function VariableField({ variable, viewer, findings }: FieldsProps & { variable: Variable }): JSX.Element {
  const { name, default: otherwise, options } = variable
  const path = `viewer.values.${name}`
  const id = idOf(path)
  const value = viewer.values.get(name) ?? ''
  const unfilled = otherwise === undefined ? '' : `${otherwise} (default)`
  return (
    <div class="fact">
      <label for={id} dir="auto" safe>
        {labelOf(variable)}
      </label>
      {options === undefined ? (
        <input
          id={id}
          name={path}
          value={attribute(value)}
          placeholder={attribute(unfilled || (variable.example ?? ''))}
          list={idOf(`known-${topicOfVariable(variable)}`)}
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          dir="auto"
          aria-describedby={`${id}-state`}
        />
      ) : (
        <select id={id} name={path} dir="auto" aria-describedby={`${id}-state`}>
          <option value="" safe>
            {unfilled || 'none'}
          </option>
          <Each
            of={options.includes(value) || value === '' ? options : [value, ...options]}
            show={(option) => (
              <option value={attribute(option)} selected={option === value} safe>
                {option}
              </option>
            )}
          />
        </select>
      )}
      <Notes place={path} findings={findings} />
    </div>
  )
}

function FactField({ fact, viewer, findings }: FieldsProps & { fact: Fact }): JSX.Element {
  const { label, placeholder = '', choices, none = 'unknown' } = FACT_WORDS[fact]
  if (choices === undefined) {
    return (
      <TextField
        name={fact}
        label={label}
        placeholder={placeholder}
        list={`known-${fact}`}
        viewer={viewer}
        findings={findings}
      />
    )
  }
  return (
    <div class="fact">
      <label for={`viewer-${fact}`} safe>
        {label}
      </label>
      <select id={`viewer-${fact}`} name={`viewer.${fact}`}>
        <option value="" safe>
          {none}
        </option>
        {Object.entries(choices).map(([value, name]) => (
          <option value={value} selected={viewer[fact] === value} safe>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

interface TextFieldProps extends FieldsProps {
  name: keyof TestTexts
  label: string
  placeholder: string
  /** The id of a list of suggestions. */
  list?: string
}

function TextField({ name, label, placeholder, list, viewer, findings }: TextFieldProps): JSX.Element {
  return (
    <div class="fact">
      <label for={`viewer-${name}`} safe>
        {label}
      </label>
      <input
        id={`viewer-${name}`}
        name={`viewer.${name}`}
        value={attribute(viewer[name])}
        placeholder={placeholder}
        list={list}
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        aria-describedby={`viewer-${name}-state`}
      />
      <Notes place={`viewer.${name}`} findings={findings} />
    </div>
  )
}
