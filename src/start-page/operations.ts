import { Buffer } from 'node:buffer'
import { type } from 'arktype'
import { COLORS } from '../../db/schema.ts'
import {
  HANDLE_DOC,
  MAX_NAME,
  OrganizationInPath,
  organization,
  organizationOf,
  toOrganization,
  unfitName,
} from '../accounts/operations.ts'
import { callAs } from '../accounts/refusals.ts'
import { slugOf } from '../bundles/edit/unversioned.ts'
import type { Reason } from '../core/issue.ts'
import { lazy } from '../core/lazy.ts'
import { part } from '../core/paging.ts'
import { checked, object, refuse, refusing, says } from '../core/shape.ts'
import { withText } from '../core/text-shapes.ts'
import { signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import { filter, ListedBundles, presented } from './answers.ts'
import { changeAppearance, MAX_HANDLE } from './appearance.ts'
import { PAGE, startPageOf } from './listed.ts'
import { drawn, MAX_PICTURE } from './pictures.ts'

/** The most characters of a picture in Base64. */
const MAX_PICTURE_TEXT = 4 * Math.ceil(MAX_PICTURE / 3)

/** Why a picture in Base64 is refused before it is drawn, or null. */
function unfitPicture(text: string): Reason | null {
  if (text.length > MAX_PICTURE_TEXT) return { code: 'picture_too_large' }
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? null : { code: 'no_picture' }
}

const edit = object({
  organizationId: OrganizationInPath,
  'name?': says(
    type('string')
      .narrow(refusing({ minLength: 1, maxLength: MAX_NAME }, unfitName))
      .narrow(withText),
    'The new name, without a web address: mails quote it.',
    'Acme Support',
  ),
  'handle?': says(slugOf(MAX_HANDLE).or('null'), ...HANDLE_DOC),
  'color?': says(type.enumerated(...COLORS).or('null'), 'Its colour; null for none.', 'teal'),
  'picture?': says(
    type('string')
      .narrow(refusing({ minLength: 1, maxLength: MAX_PICTURE_TEXT }, unfitPicture))
      .or('null'),
    'The Base64 of a PNG, JPEG, WebP or SVG: at most 256 KiB, and 1024 pixels a side. It is drawn anew, 128 pixels large. ' +
      'Null for none.',
    null,
  ),
})

/** The body of PATCH /api/organizations/:organizationId. */
const OrganizationEdit = checked(
  edit,
  edit.narrow((sent, ctx) => Object.keys(sent).length > 1 || refuse(ctx, { code: 'no_change' })),
)

const ChangedOrganization = lazy(() => object({ organization: organization() }))

/** PATCH /api/organizations/:organizationId. */
export const updateOrganization = implement('update_organization', {
  summary: 'Change how an organisation presents itself',
  description:
    'Changes the name, the handle, the colour or the picture that members and viewers see. A handle gives the organisation a start page; ' +
    'one that is given up leads to the new one for 90 days, and stays taken. Admins only.',
  input: OrganizationEdit,
  example: { organizationId: 'o_27pd', name: 'Acme Support', handle: 'acme' },
  output: ChangedOrganization,
  // A picture of 256 KiB takes a third more in Base64.
  maxBody: 384 * 1024,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'HANDLE_TAKEN', 'PLAN_LIMIT', 'RATE_LIMITED'],
  async run({ organizationId, name, picture: sent, ...appearance }, context) {
    const { caller, service } = context
    const { id } = await organizationOf(context, organizationId, 'admin')
    const { userId } = signedIn(caller)
    const picture = typeof sent === 'string' ? await drawn(service, userId, Buffer.from(sent, 'base64')) : sent
    const changes = { ...appearance, ...(picture !== undefined && { picture }) }
    if (Object.keys(changes).length > 0) {
      await changeAppearance(service.store, { organizationId: id, userId }, changes, service.config)
    }
    if (name !== undefined) {
      await callAs(signedIn(caller), service, '/organization/update', {
        organizationId: id,
        data: { name: name.trim() },
      })
    }
    return { organization: toOrganization(await organizationOf(context, id, 'admin'), service.config) }
  },
})

/** The query of GET /api/organizations/:organizationId/links. */
const Listing = object({
  organizationId: says('0 < string <= 64', 'The organisation’s handle, or its id.', 'acme'),
  ...filter,
  ...part,
})

/** GET /api/organizations/:organizationId/links. */
export const listListed = implement('list_listed', {
  summary: 'List the bundles on an organisation’s start page',
  description:
    'Lists the bundles that an organisation lists on its start page and that you may open: to its members all of them, to ' +
    'others those that anyone with the link can see now. The path has the organisation’s handle, or its id.',
  input: Listing,
  output: ListedBundles,
  errors: ['NOT_FOUND'],
  present: presented,
  run: ({ organizationId: handle, limit = PAGE, ...wanted }, { caller, service }) =>
    startPageOf(service, caller, handle, { limit, ...wanted }),
})
