import { readImport } from '../../src/imports/import.ts'
import * as WILD from './wild.ts'

// Run by import-wild.test.ts on each runtime: prints what is read of each text: address, title, and what is said of each link.

const read = Object.values(WILD).flatMap((cases) =>
  cases.map(([what, text]) => [
    what,
    ...readImport(text).bundles.flatMap(({ links }) =>
      links.map(({ url, metadata: { note = '' }, said = [] }) => [url, note, ...said.map(({ reason }) => reason)]),
    ),
  ]),
)
console.log(JSON.stringify(read))
