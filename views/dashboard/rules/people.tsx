/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import {
  personIn,
  type TestViewer,
  type People as TriedAs,
  viewerInput,
} from '../../../src/policies/draft/test-viewer.ts'
import { Icon } from '../../parts/icons.tsx'
import { Monogram, personName } from '../parts/person.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

type PeopleProps = PropsWithChildren<{ site: DashboardSite; people: TriedAs; viewer: TestViewer }>

/** Three people to try rules as, and the fields of anybody else. */
export function People({ site, people, viewer, children }: PeopleProps): JSX.Element {
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
