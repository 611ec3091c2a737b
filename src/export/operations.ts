import { type } from 'arktype'
import { signedIn } from '../identity/caller.ts'
import { type Download, implement } from '../operations/operation.ts'
import { ExportedData, exportOf } from './export.ts'

/** GET /api/me/export. */
export const exportData = implement('export_data', {
  summary: 'Download all data stored about you or an organisation, as one JSON file',
  description:
    'Returns a file with all data of a person or an organisation: profile or members, keys without their secrets, and ' +
    'every bundle, including deleted ones, with its versions, policy, counts and proposals. A session gets its user’s data, a key ' +
    'that of the subject it acts for; `organizationId` selects an organisation that you are an admin of.',
  input: type({ 'organizationId?': '0 < string <= 64', '+': 'reject' }),
  output: ExportedData,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  download: (whole: Download) => whole,
  run: ({ organizationId }, { service, caller }) => exportOf(service, signedIn(caller), organizationId),
})
