import { type } from 'arktype'
import { invalid, Problem } from '../core/problem.ts'
import { refuse, refusing } from '../core/shape.ts'
import { line, lines, withText } from '../core/text-shapes.ts'
import { BOUNDS } from './bounds.ts'
import { optional } from './link-shapes.ts'

// What a bundle has for its owner alone: it is in no version, and no viewer and no copy gets it.

/** A bundle’s name in another system of its owner’s. */
export const ExternalId = line(BOUNDS.externalId).narrow(withText)

const KEY = /^[A-Za-z0-9_.-]{1,40}$/
/** JavaScript gives it a meaning of its own, so that it would be lost on the way. */
const NO_KEY = '__proto__'
/** The key that holds the Service-Client label. */
const LABEL = 'client'

const Metadata = type({ '[string]': lines(BOUNDS.metadataValue) })
  .narrow(
    refusing({ maxProperties: BOUNDS.metadataKeys, propertyNames: { pattern: KEY.source } }, (sent: object) =>
      // The label is among the keys that are read, and so may be sent back with them.
      Object.keys(sent).filter((key) => key !== LABEL).length > BOUNDS.metadataKeys
        ? { code: 'too_many', limit: BOUNDS.metadataKeys, of: 'entry' }
        : null,
    ),
  )
  .narrow((sent, ctx) => {
    const unfit = Object.keys(sent).find((key) => !KEY.test(key) || key === NO_KEY)
    return unfit === undefined || refuse(ctx, { code: 'not_a_metadata_key' }, unfit)
  })

/** These fields as callers send them; null for none. */
export const ownFields = optional({ externalId: ExternalId.or('null'), metadata: Metadata.or('null') })

/** The same, checked. */
export interface SentOwn {
  externalId?: string | null | undefined
  metadata?: Record<string, string> | null | undefined
}

/** As stored: without the label, which has a column of its own, and null where nothing is left. */
export interface OwnFields {
  externalId: string | null
  metadata: Record<string, string> | null
}

/** Refuses the fields of a caller without an account. @throws Problem BAD_REQUEST. */
export function refuseOwn({ externalId = null, metadata = null }: SentOwn): void {
  const sent = [...(externalId === null ? [] : ['externalId']), ...(metadata === null ? [] : ['metadata'])]
  if (sent.length > 0) throw invalid(sent.map((name) => ({ path: [name], reason: { code: 'needs_an_account' } })))
}

/** The fields of a new bundle. @throws Problem BAD_REQUEST for a label that is not the bundle’s. */
export function newOwn(sent: SentOwn, client: string | null): OwnFields {
  return ownAfter({ externalId: null, metadata: null, client }, sent)
}

/**
 * The fields after what was sent, each replaced as a whole.
 * @param before those of the bundle, with its label.
 * @throws Problem BAD_REQUEST for a label that is not the bundle’s.
 */
export function ownAfter(before: OwnFields & { client: string | null }, sent: SentOwn): OwnFields {
  const { externalId = before.externalId } = sent
  if (sent.metadata === undefined) return { externalId, metadata: before.metadata }
  const { [LABEL]: label, ...metadata } = sent.metadata ?? {}
  if (label !== undefined && label !== before.client) {
    throw invalid([{ path: ['metadata', LABEL], reason: { code: 'reserved_for_the_label' } }])
  }
  return { externalId, metadata: Object.keys(metadata).length === 0 ? null : metadata }
}

/** Metadata as the API shows it: with the label of the client that created the bundle. */
export function toMetadata({ client, metadata }: { client: string | null; metadata: OwnFields['metadata'] }) {
  return client === null ? metadata : { ...metadata, [LABEL]: client }
}

/** The error for an external id that another bundle of the owner has. */
export function externalIdTaken(externalId: string): Problem {
  return new Problem(
    'EXTERNAL_ID_TAKEN',
    `another bundle of this owner has the externalId ${JSON.stringify(externalId)}: update it as ext:${externalId}, or give one of them another`,
    { userMessage: 'Another of your bundles has this ID. Choose another, or change that one first.' },
  )
}
