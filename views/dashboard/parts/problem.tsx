/** @jsxImportSource @kitajs/html */

import { Typed } from '../../parts/fields.tsx'
import { Head } from './shell.tsx'

interface ProblemProps {
  heading: string
  text: string
  /** The typed text of a form that was refused as a whole. */
  typed: string | undefined
}

/** In place of a page that cannot be shown, or of what came of a form: the way to the others stays beside it. */
export function ProblemView({ heading, text, typed }: ProblemProps): JSX.Element {
  return (
    <>
      <Head title={heading} lede={text} />
      <Typed text={typed} />
      <p class="actions">
        <a class="button" href="/dashboard">
          Go to your bundles
        </a>
      </p>
    </>
  )
}
