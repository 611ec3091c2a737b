/** @jsxImportSource @kitajs/html */

import type { Tab, Traced } from '../../../db/policy.ts'
import { count } from '../../../src/core/words.ts'
import { ROLES } from '../../../src/identity/roles.ts'
import type { DEVICES } from '../../../src/policies/agents.ts'
import type { Preview } from '../../../src/policies/answers.ts'
import type { RuleTrace } from '../../../src/policies/evaluate.ts'
import { destination } from '../../parts/destination.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { Findings, Tried } from './notes.ts'
import { idOf, Mark, State } from './parts.tsx'
import { sentenceOf } from './words.ts'

/** What is picked among what there is: nothing can be wrong with it. */
const PICKED = ['signedIn', 'orgRole', 'device'] as const
/** What is typed, with a place where something may be told of it. */
const TYPED = ['emailDomain', 'language', 'os', 'browser', 'country', 'query', 'referrerDomain', 'now', 'zone'] as const

/** The tester's fields: who the rules are tried with. */
export const VIEWER_FIELDS = [...PICKED, ...TYPED]
export const VIEWER_PLACES = TYPED.map((name) => `viewer.${name}`)

/** Who the rules are tried with, as the tester's fields have it; `''` where nothing is said. */
export type TriedViewer = Readonly<Record<(typeof VIEWER_FIELDS)[number], string>>

interface TesterProps {
  viewer: TriedViewer
  findings: Findings
  tried: Tried
}

/** Picks a viewer and shows what they get, and why. */
export function Tester({ viewer, findings, tried }: TesterProps): JSX.Element {
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
        <Verdict tried={tried} />
      </div>
    </section>
  )
}

interface FieldsProps {
  viewer: TriedViewer
  findings: Findings
}

function ViewerFields({ viewer, findings }: FieldsProps): JSX.Element {
  const text = (name: (typeof TYPED)[number], label: string, placeholder: string, list?: string) => (
    <div class="fact">
      <label for={`viewer-${name}`}>{label as 'safe'}</label>
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
      <State place={`viewer.${name}`} findings={findings} />
    </div>
  )
  const choice = (name: (typeof PICKED)[number], label: string, none: string, known: Record<string, string>) => (
    <div class="fact">
      <label for={`viewer-${name}`}>{label as 'safe'}</label>
      <select id={`viewer-${name}`} name={`viewer.${name}`}>
        <option value="">{none as 'safe'}</option>
        {Object.entries(known).map(([value, called]) => (
          <option value={value} selected={viewer[name] === value} safe>
            {called}
          </option>
        ))}
      </select>
    </div>
  )
  return (
    <fieldset class="facts">
      <legend class="said">The viewer</legend>
      <label class="check">
        <input type="checkbox" name="viewer.signedIn" value="true" checked={viewer.signedIn === 'true'} />
        <span>Signed in</span>
      </label>
      {text('emailDomain', 'E-mail domain', 'acme.com', 'known-emailDomain') as 'safe'}
      {choice('orgRole', 'Role', 'none', Object.fromEntries(ROLES.map((role) => [role, role]))) as 'safe'}
      {choice('device', 'Device', 'unknown', DEVICE_NAMES) as 'safe'}
      {text('language', 'Language', 'de-AT', 'known-language') as 'safe'}
      {text('os', 'System', 'ios', 'known-os') as 'safe'}
      {text('browser', 'Browser', 'safari', 'known-browser') as 'safe'}
      {text('country', 'Country', 'DE', 'known-country') as 'safe'}
      {text('referrerDomain', 'Coming from', 'news.example', 'known-referrerDomain') as 'safe'}
      <div class="fact">
        <label for="viewer-now">Date and time</label>
        <input
          type="datetime-local"
          id="viewer-now"
          name="viewer.now"
          value={attribute(viewer.now)}
          aria-describedby="viewer-now-state"
        />
        <State place="viewer.now" findings={findings} />
      </div>
      {text('zone', 'Time zone', 'UTC', 'zones') as 'safe'}
      {text('query', 'In the link, after ?', 'ref=newsletter') as 'safe'}
    </fieldset>
  )
}

const DEVICE_NAMES: Record<(typeof DEVICES)[number], string> = {
  desktop: 'computer',
  mobile: 'phone',
  tablet: 'tablet',
}

/** What the viewer gets, and why. */
export function Verdict({ tried: { preview, places, message, issues } }: { tried: Tried }): JSX.Element {
  if (preview === null) {
    return (
      <p class="note error" id="outcome">
        <Icon name="alert" />
        <span safe>{message ?? 'This cannot be tried yet.'}</span>
      </p>
    )
  }
  const unfinished = [
    ...new Set(issues.filter(({ path }) => path[1] === 'rules').map(({ path }) => Number(path[2]) + 1)),
  ]
  const matched = preview.trace.findIndex(({ ruleId }) => ruleId === preview.matchedRuleId)
  return (
    <>
      <Outcome preview={preview} number={matched === -1 ? null : (places[matched] ?? matched) + 1} />
      {unfinished.length === 0 ? '' : <LeftOut numbers={unfinished} />}
      <Tabs tabs={preview.tabs} />
      {preview.trace.length === 0 ? '' : <Trace trace={preview.trace} places={places} matched={matched} />}
    </>
  )
}

function LeftOut({ numbers }: { numbers: readonly number[] }): JSX.Element {
  const which = `${numbers.length === 1 ? 'Rule' : 'Rules'} ${numbers.slice(0, 5).join(', ')}${numbers.length > 5 ? ' and more' : ''}`
  return (
    <p class="hint" safe>
      {`${which} ${numbers.length === 1 ? 'is' : 'are'} left out until finished.`}
    </p>
  )
}

function Outcome({ preview, number }: { preview: Preview; number: number | null }): JSX.Element {
  return (
    <p class={['outcome', number !== null && 'yes']} id="outcome">
      {number === null ? (
        <span>
          No rule holds: <strong>the bundle’s own tabs</strong>
        </span>
      ) : (
        <>
          <Icon name="check" />
          <span>
            {`Rule ${number}: ` as 'safe'}
            <strong dir="auto" safe>
              {preview.matchedRuleName ?? ''}
            </strong>
          </span>
        </>
      )}
    </p>
  )
}

/** The tabs as the launcher would list them. */
function Tabs({ tabs }: { tabs: readonly Tab[] }): JSX.Element {
  return (
    <>
      <p class="hint">{`They get ${count(tabs.length, 'tab')}:` as 'safe'}</p>
      <ol class="got">
        {
          tabs.map(({ url, note = '' }) => {
            const { host, unicode, path } = destination(url)
            const [title = ''] = note.trim().split('\n')
            return (
              <li>
                {title === '' ? (
                  ''
                ) : (
                  <bdi class="title" safe>
                    {title}
                  </bdi>
                )}
                <bdi class={title === '' ? undefined : 'hint'} title={attribute(url)} safe>
                  {`${unicode === null ? host : `${unicode} (${host})`}${title === '' ? path : ''}`}
                </bdi>
              </li>
            )
          }) as 'safe'[]
        }
      </ol>
    </>
  )
}

/** Of a long policy only what decided is unfolded. */
const UNFOLDED = 6
/** Of one rule no more is shown: its own words tell the rest. */
const MAX_NODES = 80

interface TraceProps {
  trace: readonly RuleTrace[]
  places: readonly number[]
  matched: number
}

function Trace({ trace, places, matched }: TraceProps): JSX.Element {
  return (
    <>
      <h3>Why</h3>
      <ol class="trace">
        {
          trace.map(({ name, matched: holds, condition }, index) => {
            const isTried = matched === -1 || index <= matched
            return (
              <li class={isTried ? undefined : 'later'}>
                <details open={index === matched || (isTried && trace.length <= UNFOLDED)}>
                  <summary>
                    <Mark matched={holds} />
                    <span class="number">{(places[index] ?? index) + 1}</span>
                    <bdi safe>{name}</bdi>
                    {isTried ? '' : <span class="hint">not reached</span>}
                  </summary>
                  <ul>
                    <TracedCondition condition={condition} left={{ nodes: MAX_NODES }} />
                  </ul>
                </details>
              </li>
            )
          }) as 'safe'[]
        }
      </ol>
    </>
  )
}

const GROUPS = { and: 'All of', or: 'Any of', not: 'None of' } as const

function TracedCondition({ condition, left }: { condition: Traced; left: { nodes: number } }): JSX.Element {
  left.nodes -= 1
  if (left.nodes < 0) return left.nodes === -1 ? <li class="hint">and more</li> : ''
  return (
    <li>
      <span class="traced">
        <Mark matched={condition.matched} />
        {'of' in condition ? (
          <strong>{GROUPS[condition.op]}</strong>
        ) : (
          <span dir="auto" safe>
            {sentenceOf(condition)}
          </span>
        )}
      </span>
      {'of' in condition ? (
        <ul>{condition.of.map((part) => (<TracedCondition condition={part} left={left} />) as 'safe')}</ul>
      ) : (
        ''
      )}
    </li>
  )
}

/** What may be chosen from while a viewer is described or a condition written: what the rules themselves ask about. */
export function Suggestions({ asked, own }: { asked: ReadonlyMap<string, ReadonlySet<string>>; own: readonly Tab[] }) {
  const lists: [string, Iterable<string>][] = [...asked].map(([field, values]) => [`known-${field}`, values])
  return (
    <>
      {
        [...lists, ['own', own.map(({ url }) => url)] as const].map(([id, values]) => (
          <datalist id={idOf(id)}>
            {[...new Set(values)].slice(0, 40).map((value) => (
              <option value={attribute(value)} />
            ))}
          </datalist>
        )) as 'safe'[]
      }
      <datalist id="zones">
        <option value="UTC" />
      </datalist>
    </>
  )
}
