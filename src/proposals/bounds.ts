/** Limits of proposals: of a text in Unicode code points, and how many are kept. */
export const PROPOSAL_BOUNDS = {
  text: 500,
  /** Open ones of a bundle. */
  open: 20,
  /** Open ones of an owner's bundles. */
  openOfOwner: 200,
  /** Decided ones of a bundle: the newest. */
  closed: 20,
  /** Those of them that a webhook has still to be told of. */
  untold: 200,
  /** Bytes of all of an owner's bundles, with what rows take besides; beyond it the oldest decided ones go. */
  bytesOfOwner: 16 * 2 ** 20,
} as const
