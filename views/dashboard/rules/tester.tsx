/** @jsxImportSource @kitajs/html */
import type { PropsWithChildren } from '@kitajs/html'
import type { Fact } from '../../../db/policy.ts'
import type { Variable } from '../../../db/schema.ts'
import { labelOf } from '../../../src/bundles/variables/variables.ts'
import { count, joinList } from '../../../src/core/words.ts'
import {
  personIn,
  type TestTexts,
  type TestViewer,
  type People as TriedAs,
  viewerInput,
} from '../../../src/policies/draft/draft.ts'
import type { Findings, TestResult } from '../../../src/policies/draft/findings.ts'
import type { RuleTrace } from '../../../src/policies/evaluate.ts'
import type { Tried } from '../../../src/policies/preview.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { Monogram, personName } from '../../parts/tile.tsx'
import { FACT_WORDS, FACTS, topicOfVariable } from '../parts/rules/facts.ts'
import type { DashboardSite } from '../parts/shell.tsx'
import { idOf, Mark, Notes } from './parts.tsx'
import { TabList } from './read.tsx'
import { ConditionTree } from './tree.tsx'

interface TesterProps {
  site: DashboardSite
  people: TriedAs
  /** The bundle's variables. */
  variables: readonly Variable[]
  viewer: TestViewer
  findings: Findings
  testResult: TestResult
  /** Whether the rules are JSON, without a place beside each for why it matches. */
  isJson: boolean
}

/** Describes a viewer and shows which tabs they get. */
export function Tester({ site, people, variables, viewer, findings, testResult, isJson }: TesterProps): JSX.Element {
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
          <Verdict testResult={testResult} variables={variables} isJson={isJson} />
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

/** The viewer's value of a variable; empty stands for the default. */
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

type PeopleProps = PropsWithChildren<{ site: DashboardSite; people: TriedAs; viewer: TestViewer }>

/** Three sample people for testing the rules, and the fields of a custom viewer. */
function People({ site, people, viewer, children }: PeopleProps): JSX.Element {
  const chosen = personIn(people, viewer)
  const isCustom = chosen === null && Object.keys(viewerInput({ ...viewer, values: new Map() })).length > 0
  return (
    <fieldset class="people">
      <legend class="visually-hidden">The viewer</legend>
      <Person name="me" label="Me" said="In this browser" isChosen={chosen === 'me'}>
        <Monogram text={personName(site.user)} />
      </Person>
      <Person name="colleague" label="A colleague" said="Signed in, on a computer" isChosen={chosen === 'colleague'}>
        <Icon name="people" />
      </Person>
      <Person name="phone" label="Somebody on a phone" said="Not signed in" isChosen={chosen === 'phone'}>
        <Icon name="phone" />
      </Person>
      <details class="custom" open={isCustom}>
        <summary>Custom</summary>
        {children}
      </details>
    </fieldset>
  )
}

type PersonProps = PropsWithChildren<{ name: keyof TriedAs; label: string; said: string; isChosen: boolean }>

function Person({ name, label, said, isChosen, children }: PersonProps): JSX.Element {
  return (
    <button
      type="submit"
      class="item"
      name="do"
      value={name}
      id={`try-${name}`}
      aria-pressed={isChosen ? 'true' : 'false'}
    >
      {children}
      <span class="who">
        <span class="name" safe>
          {label}
        </span>
        <span class="hint" safe>
          {said}
        </span>
      </span>
    </button>
  )
}

interface VerdictProps {
  testResult: TestResult
  /** The bundle's variables. */
  variables: readonly Variable[]
  isJson: boolean
}

/** The tabs that the viewer gets, and of JSON why. */
export function Verdict({ testResult, variables, isJson }: VerdictProps): JSX.Element {
  const { preview, places, message, issues } = testResult
  if (preview === null) {
    return (
      <p class="note error" id="outcome">
        <Icon name="alert" />
        <span safe>{message ?? 'You can’t try this yet.'}</span>
      </p>
    )
  }
  const unfinished = [
    ...new Set(issues.filter(({ path }) => path[1] === 'rules').map(({ path }) => Number(path[2]) + 1)),
  ]
  const matched = preview.trace.findIndex(({ ruleId }) => ruleId === preview.matchedRuleId)
  return (
    <>
      <p class="big" safe>
        {count(preview.tabs.length, 'tab')}
      </p>
      <MatchedRule preview={preview} number={matched === -1 ? null : (places[matched] ?? matched) + 1} />
      {unfinished.length > 0 && <LeftOut numbers={unfinished} />}
      <AskedFirst filling={preview.filling} variables={variables} />
      <TabList tabs={preview.tabs} fill={{ variables, filling: preview.filling }} />
      {isJson && preview.trace.length > 0 && (
        <Trace trace={preview.trace} places={places} matched={matched} variables={variables} />
      )}
    </>
  )
}

/** The values that the launcher requires before it opens anything. */
function AskedFirst({
  filling: { missing, invalid },
  variables,
}: Pick<Tried, 'filling'> & Pick<VerdictProps, 'variables'>) {
  const names = [...missing, ...invalid.map(({ name }) => name)]
  const asked = variables.filter(({ name }) => names.includes(name)).map(labelOf)
  if (asked.length === 0) return ''
  return (
    <p class="hint" dir="auto" safe>
      {`The page asks them for ${joinList(asked, 'and')} first.`}
    </p>
  )
}

function LeftOut({ numbers }: { numbers: readonly number[] }): JSX.Element {
  const which = `${numbers.length === 1 ? 'Rule' : 'Rules'} ${numbers.slice(0, 5).join(', ')}${numbers.length > 5 ? ' and more' : ''}`
  return (
    <p class="hint" safe>
      {`${which} ${numbers.length === 1 ? 'is' : 'are'} left out until ${numbers.length === 1 ? 'it’s' : 'they’re'} finished.`}
    </p>
  )
}

function MatchedRule({ preview, number }: { preview: Tried; number: number | null }): JSX.Element {
  return (
    <p class={['outcome', number !== null && 'yes']} id="outcome">
      {number === null ? (
        <span>
          No rule matches. They see <strong>the default tabs</strong>.
        </span>
      ) : (
        <>
          <Icon name="check" />
          <span>
            Rule {number}:{' '}
            <strong dir="auto" safe>
              {preview.matchedRuleName ?? ''}
            </strong>
          </span>
        </>
      )}
    </p>
  )
}

/** With more rules than this, only the matching rule is unfolded. */
const UNFOLDED = 6

interface TraceProps {
  trace: readonly RuleTrace[]
  places: readonly number[]
  matched: number
  variables: readonly Variable[]
}

function Trace({ trace, places, matched, variables }: TraceProps): JSX.Element {
  return (
    <>
      <h3>Why</h3>
      <ol class="trace">
        <Each
          of={trace}
          show={({ name, matched: holds, condition }, index) => {
            const isTried = matched === -1 || index <= matched
            return (
              <li class={isTried ? undefined : 'later'}>
                <details open={index === matched || (isTried && trace.length <= UNFOLDED)}>
                  <summary>
                    <Mark matched={holds} />
                    <span class="number">{(places[index] ?? index) + 1}</span>
                    <bdi safe>{name}</bdi>
                    {!isTried && <span class="hint">not reached</span>}
                  </summary>
                  <ul>
                    <ConditionTree condition={condition} variables={variables} />
                  </ul>
                </details>
              </li>
            )
          }}
        />
      </ol>
    </>
  )
}
