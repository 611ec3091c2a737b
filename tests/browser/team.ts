import { actFor, addMember, confirm, newPerson, type Person, signIn, signUp } from '../people.ts'
import type { Server } from '../server.ts'
import { plantWebhooks } from './webhooks.ts'

/** Texts that break pages with missing escaping or without right-to-left support. */
const MARKUP = '<script>alert(1)</script> & "co"'
export const ODD_NAME = 'שלום مرحبا 👩‍👩‍👧'

/** The picture of an organisation, as the API takes it. */
export const PICTURE = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#0b5d4d"/><path d="M14 46 32 14l18 32z" fill="#f4c95d"/></svg>',
).toString('base64')

/** An organisation with people, keys, webhooks and names of every kind, for the account scenes. */
export interface Team {
  /** Has a password and keys that are new, used up, unlimited and revoked. */
  admin: Person
  editor: Person
  id: string
  editorMemberId: string
  keyId: number
}

/** Creates the team; its editor is also invited to another organisation. */
export async function prepareTeam(server: Server): Promise<Team> {
  const [admin, editor] = [await signUp(server, 'edith@people.example'), await newPerson(server)]
  await confirm(server, admin)
  await admin.api('POST', '/api/auth/update-user', { name: MARKUP })
  await signIn(server, admin.email)
  const mint = (name: string, more: object = {}) => admin.mint({ name, ...more })
  const make = async (name: string) =>
    (await admin.api<{ id: string }>('POST', '/api/auth/organization/create', { name, slug: crypto.randomUUID() })).body
  const invite = (organizationId: string, email: string) =>
    admin.api('POST', '/api/auth/organization/invite-member', { organizationId, email, role: 'viewer' })

  await invite((await make(MARKUP)).id, editor.email)
  const { id } = await make(ODD_NAME)
  await admin.api('PATCH', `/api/organizations/${id}`, { color: 'teal', picture: PICTURE })
  const editorMemberId = await addMember(admin, id, editor, 'editor')
  await invite(id, `${'a-long-name-'.repeat(5)}@${'long-'.repeat(10)}host.example`)
  await actFor(editor, id)
  await admin.makeBundle()
  const { apiKey } = await mint('nightly import')
  const { rawKey } = await mint(ODD_NAME, { scopes: ['keys:admin'], rateLimitPerHour: 1 })
  await fetch(`${server.origin}/api/me`, { headers: { authorization: `Bearer ${rawKey}` } })
  await mint('x'.repeat(100), { rateLimitPerHour: 0, scopes: ['links:read'] })
  const { apiKey: old } = await mint(MARKUP)
  await admin.api('DELETE', `/api/me/keys?id=${old.id}`)
  await plantWebhooks(server, apiKey.id)
  return { admin, editor, id, editorMemberId, keyId: apiKey.id }
}
