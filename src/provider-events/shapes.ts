import { type } from 'arktype'
import { isAscii, MAX_EMAIL, sanitized } from '../core/text.ts'
import type { Role } from '../identity/caller.ts'
import { isVouchedFor } from '../identity/proof.ts'

const text = type('string | null')
const id = type('0 < string <= 255')

/** A person as providers send one (Clerk’s format and a plain one): the fields that are read. */
export const Person = type({
  'id?': id,
  'email?': text,
  'email_verified?': 'boolean | string | null',
  'name?': text,
  'first_name?': text,
  'last_name?': text,
  'image_url?': text,
  'primary_email_address_id?': text,
  'email_addresses?': type({
    'id?': text,
    email_address: 'string',
    'verification?': type({ 'status?': text }).or('null'),
  })
    .array()
    .atMostLength(1000),
})

/** An organisation; its id becomes ours. */
export const Organization = type({ id, 'name?': text, 'slug?': text, 'image_url?': text })

export const Membership = type({
  organization: Organization,
  'public_user_data?': type({ 'user_id?': id, 'identifier?': text }).or('null'),
  'user?': type({ 'id?': id, 'email?': text, 'email_verified?': 'boolean | string | null' }).or('null'),
  'role?': text,
})

/** Maps a provider's role name to ours; an unknown one to viewer. */
export function roleOf(role: string | null | undefined): Role {
  return role === 'org:admin' ? 'admin' : role === 'org:editor' ? 'editor' : 'viewer'
}

/** The person's primary address, and whether the provider has verified it; not saying so means no. */
export function addressOf(sent: typeof Person.infer): { email: string | null; isVerified: boolean } {
  const addresses = sent.email_addresses ?? []
  const primary = addresses.find(({ id }) => id != null && id === sent.primary_email_address_id) ?? addresses[0]
  if (primary === undefined) return { email: readEmail(sent.email), isVerified: isVouchedFor(sent.email_verified) }
  return { email: readEmail(primary.email_address), isVerified: primary.verification?.status === 'verified' }
}

/** An email address in its stored form, or null if it is invalid. */
export function readEmail(sent: string | null | undefined): string | null {
  const email = sent?.trim() ?? ''
  // Lower-casing a non-ASCII letter may give someone else’s address.
  return email.length <= MAX_EMAIL && isAscii(email) && /^[^@]+@[^@]+$/.test(email) ? email.toLowerCase() : null
}

/** Providers do not correct what they send, so texts are shortened instead of refused. */
export function tidy(sent: string | null | undefined, max: number): string {
  const line = sanitized(sent ?? '').replace(/[\t\n ]+/g, ' ')
  return [...line.trim()].slice(0, max).join('')
}
