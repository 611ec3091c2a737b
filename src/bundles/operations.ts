import { operation } from '../operation.ts'
import * as bundles from './bundles.ts'
import { type CreatedBundle, NewBundle } from './shapes.ts'

/** POST /api/links (spec 4.1). */
export const createBundle = operation({
  name: 'create_bundle',
  summary: 'Make a bundle of up to 25 URLs and get its link',
  route: 'POST /links',
  access: 'public',
  limit: 'address',
  idempotent: true,
  status: 201,
  input: NewBundle,
  headers: ({ slug }: CreatedBundle) => ({ location: `/api/links/${slug}` }),
  run: (input, { service: { store, config }, caller, client, commit }) =>
    bundles.create(input, { store, config, caller, client, commit }),
})
