/** A request that cannot be carried out; the message says why and what to do. */
export class CannotOperate extends Error {}
