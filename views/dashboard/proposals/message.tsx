/** @jsxImportSource @kitajs/html */

import type { ProposalInFull } from '../../../src/proposals/present.ts'
import { PROPOSAL_BOUNDS } from '../../../src/proposals/shapes.ts'
import { TextArea } from '../../parts/fields.tsx'
import { personName } from '../../parts/tile.tsx'

interface MessageProps extends Pick<ProposalInFull, 'proposal'> {
  /** The field's id and name: rows of links have a field named `note`. */
  id: 'note' | 'message'
  text: string
  error: string | undefined
}

/** The message that goes with every decision about a proposal. */
export function Message({ proposal, id, text, error }: MessageProps): JSX.Element {
  return (
    <TextArea
      id={id}
      label={addressed(proposal)}
      note="optional"
      error={error}
      value={text}
      rows="2"
      dir="auto"
      maxlength={String(PROPOSAL_BOUNDS.text)}
    />
  )
}

/** Nobody reads about a repair that the service suggests itself: what is typed is a note for the team. */
function addressed({ proposer, repairs }: ProposalInFull['proposal']): string {
  if (repairs !== null) return 'Note'
  return `Message to ${proposer === null ? 'the author' : personName(proposer)}`
}
