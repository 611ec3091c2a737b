/** @jsxImportSource @kitajs/html */

import { TypedText } from '../../parts/fields.tsx'
import { BundlesLink } from './bundles-link.tsx'
import { Head } from './shell.tsx'

interface ProblemProps {
  heading: string
  text: string
  /** The typed text of a form that was refused as a whole. */
  typed: string | undefined
}

/** An error in place of a page or a form's result; the navigation stays. */
export function ProblemView({ heading, text, typed }: ProblemProps): JSX.Element {
  return (
    <>
      <Head title={heading} lede={text} />
      <TypedText text={typed} />
      <p class="actions">
        <BundlesLink />
      </p>
    </>
  )
}
