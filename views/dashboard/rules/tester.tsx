/** @jsxImportSource @kitajs/html */

import type { Fact } from '../../../db/policy.ts'
import type { Findings, TestResult } from '../../../src/policies/draft/findings.ts'
import type { TestViewer } from '../../../src/policies/draft/test-viewer.ts'
import { Each } from '../../parts/each.tsx'
import { attribute } from '../../parts/layout.tsx'
import { FACT_WORDS, FACTS, TOPIC_GROUPS, TOPIC_WORDS } from './facts.ts'
import { Notes } from './parts.tsx'
import { Verdict } from './verdict.tsx'

/** The text fields, which have notes; a choice from a list cannot be wrong. */
const TYPED = [
  ...TOPIC_GROUPS.flatMap(({ topics }) => topics).filter(
    (topic) => topic !== 'signedIn' && topic !== 'timeWindow' && TOPIC_WORDS[topic].choices === undefined,
  ),
  'zone',
]
export const VIEWER_PLACES = TYPED.map((name) => `viewer.${name}`)

interface TesterProps {
  viewer: TestViewer
  findings: Findings
  testResult: TestResult
}

/** Describes a viewer and shows which tabs they get, and why. */
export function Tester({ viewer, findings, testResult }: TesterProps): JSX.Element {
  return (
    <section class="tester" id="try" aria-labelledby="try-title">
      <div class="tester-head">
        <h2 id="try-title">Try it</h2>
        <button type="submit" class="small" name="do" value="me">
          As my browser
        </button>
      </div>
      <ViewerFields viewer={viewer} findings={findings} />
      <p class="actions scriptless">
        <button type="submit" class="small" name="do" value="test">
          Show what they get
        </button>
      </p>
      <div id="verdict">
        <Verdict testResult={testResult} />
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
      <legend class="visually-hidden">The viewer</legend>
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
      <TextField name="query" label="In the link, after ?" placeholder="ref=mail" viewer={viewer} findings={findings} />
    </fieldset>
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
  name: keyof TestViewer
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
