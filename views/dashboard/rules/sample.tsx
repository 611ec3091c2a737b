/** @jsxImportSource @kitajs/html */

import type { Policy } from '../../../db/policy.ts'
import { Sample } from '../parts/sample.tsx'
import { RulesRead } from './read.tsx'

const POLICY: Policy = {
  version: 1,
  rules: [
    {
      id: 'sample-team',
      name: 'Our team',
      when: { op: 'equals', field: 'emailDomain', value: 'acme.com' },
      tabs: [{ url: 'https://intranet.example/' }, { url: 'https://wiki.example/' }],
    },
    {
      id: 'sample-phone',
      name: 'On a phone',
      when: { op: 'equals', field: 'device', value: 'mobile' },
      tabs: [{ url: 'https://app.example/' }],
    },
  ],
}
const NO_FINDINGS = { notes: new Map(), marks: new Map(), absent: {} }

/** A sample of the page, shown until there are rules. */
export function SampleRules(): JSX.Element {
  return (
    <Sample caption="An example of rules">
      <RulesRead policy={POLICY} findings={NO_FINDINGS} />
    </Sample>
  )
}
