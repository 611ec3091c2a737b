import { type } from 'arktype'
import { type Download, implement } from '../core/operation.ts'
import { ExportedData, exportOf } from '../export/export.ts'
import { Me } from './answers.ts'
import { signedIn } from './caller.ts'

/** GET /api/me (spec 4.9). */
export const whoAmI = implement('who_am_i', {
  summary: 'Tell whom this credential acts for, in which role and with which scopes',
  description:
    'Tells whose bundles this credential reaches (a user’s or an organisation’s), in which role, and what its scopes ' +
    'allow. Call it first where you are not sure what you may do.',
  // It takes nothing, so nothing that a link brings along could mean something else here.
  input: type({ '+': 'delete' }),
  output: Me,
  run: async (_, { caller }) => {
    const { subject, role, scopes } = signedIn(caller)
    return { subject, role, scopes: [...scopes] }
  },
})

/** GET /api/me/export (decisions 11). */
export const exportData = implement('export_data', {
  summary: 'Download everything that is kept of you, or of an organisation, as one JSON file',
  description:
    'Answers with a file of all that is kept of a person, or of an organisation: profile or members, keys without their ' +
    'secrets, and every bundle, deleted ones too, with its versions, policy and counts. A session gets its person’s data, ' +
    'a key that of the subject it acts for; `organizationId` asks for an organisation that you are an admin of.',
  input: type({ 'organizationId?': '0 < string <= 64', '+': 'reject' }),
  output: ExportedData,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  download: (whole: Download) => whole,
  run: ({ organizationId }, { service: { store }, caller }) => exportOf(store, signedIn(caller), organizationId),
})
