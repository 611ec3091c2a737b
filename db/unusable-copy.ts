/** A file that is not, or cannot become, a copy of a store; the message says what to do. */
export class UnusableCopy extends Error {}
