import { type } from 'arktype'
import { fitted, isAscii, MAX_EMAIL } from '../core/text.ts'
import { isVouchedFor } from './proof.ts'
import type { Role } from './roles.ts'

const text = type('string | null')
const id = type('0 < string <= 255')

/** A person as providers tell of one (Clerk's form, and a plain one), as far as it is read. */
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

/** An organisation; its id is ours too. */
export const Organization = type({ id, 'name?': text, 'slug?': text, 'image_url?': text })

/** Who belongs to an organisation. */
export const Membership = type({
  organization: Organization,
  'public_user_data?': type({ 'user_id?': id, 'identifier?': text }).or('null'),
  'user?': type({ 'id?': id, 'email?': text, 'email_verified?': 'boolean | string | null' }).or('null'),
  'role?': text,
})

/** The role that a provider's name for one stands for: the least where it means nothing here (decisions 9). */
export function roleOf(role: string | null | undefined): Role {
  return role === 'org:admin' ? 'admin' : role === 'org:editor' ? 'editor' : 'viewer'
}

/** The person's first address, and whether the provider vouches for it: one that does not say does not (decisions 13). */
export function addressOf(sent: typeof Person.infer): { email: string | null; isVerified: boolean } {
  const addresses = sent.email_addresses ?? []
  const primary = addresses.find(({ id }) => id != null && id === sent.primary_email_address_id) ?? addresses[0]
  if (primary === undefined) return { email: readEmail(sent.email), isVerified: isVouchedFor(sent.email_verified) }
  return { email: readEmail(primary.email_address), isVerified: primary.verification?.status === 'verified' }
}

/** An e-mail address as it is kept, or null where there is none. */
export function readEmail(sent: string | null | undefined): string | null {
  const email = sent?.trim() ?? ''
  // What lower case makes of letters beyond ASCII may be somebody else's address.
  return email.length <= MAX_EMAIL && isAscii(email) && /^[^@]+@[^@]+$/.test(email) ? email.toLowerCase() : null
}

/** A sender cannot mend what it sends, so a text is cut to what may be kept. */
export function tidy(sent: string | null | undefined, max: number): string {
  const line = fitted(sent ?? '').replace(/[\t\n ]+/g, ' ')
  return [...line.trim()].slice(0, max).join('')
}
