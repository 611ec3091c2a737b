import type { Code } from '../core/codes.ts'

export const ERROR_DOCS: Record<Code, string> = {
  INVALID_URLS: 'Something under `urls`, `addUrls` or `removeUrls` is invalid: fix what the message names.',
  BAD_REQUEST: 'Something in the request is invalid: fix what the message names.',
  INVALID_JSON: 'The body is missing, not JSON or not UTF-8.',
  INVALID_EMAIL: 'This is not an email address.',
  INVALID_PASSWORD: 'This is not the password of your account.',
  INVALID_TOKEN: 'The link has expired, or was used: ask for a new one.',
  PASSWORD_TOO_SHORT: 'A password has at least 8 characters.',
  PASSWORD_TOO_LONG: 'A password has at most 128 characters.',
  PASSWORD_TOO_COMMON: 'The password is one of the most common ones: choose another.',
  PASSWORD_IS_PERSONAL: 'The password is your address or the name of the service: choose another.',
  LAST_ADMIN: 'The organisation would have no admin: make another member one first.',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'The invited person is a member already.',
  INVALID_EMAIL_OR_PASSWORD: 'There is no account with this address and password.',
  UNAUTHORIZED:
    'No credential was sent, or the key is malformed, unknown, revoked or ended, or belongs to someone who has left.',
  MEMBERS_ONLY: "Only signed-in members of the bundle's owner may see it. With a key, read it by get_bundle.",
  PASSWORD_REQUIRED: "Viewers need the bundle's password: send it with the form of its page.",
  FORBIDDEN:
    'A scope or role is missing (the message says which), the bundle is not yours, or the key does not work from here.',
  EMAIL_NOT_VERIFIED: 'Signing in needs a confirmed address: open the link we emailed you.',
  INVITATION_LIMIT_REACHED: 'The organisation has too many open invitations: revoke one first.',
  EMAIL_UNVERIFIED:
    'Verify your email address first, with the link we emailed you; you can request another in your settings.',
  RECENT_SIGN_IN_REQUIRED: 'Sign in again and retry: this requires a sign-in within the last 24 hours.',
  SIGN_UP_CLOSED: 'Sign-up is closed here: ask the operator of the service for an account.',
  INVITATION_REQUIRED: 'Sign-up is by invitation: request a sign-in link for the address that was invited.',
  PASSWORD_SIGN_IN_OFF: 'Passwords are not used here: request a sign-in link, or use single sign-on.',
  ACCOUNT_DISABLED: 'The operator of the service has disabled your account: ask them to enable it.',
  PLAN_LIMIT: 'A limit of the plan is reached: the message says which, and how to get past it.',
  NOT_OPEN_YET: 'The bundle is not open to viewers yet.',
  CLOSED: 'The bundle is no longer open to viewers.',
  NOT_FOUND: 'It does not exist, or was deleted.',
  METHOD_NOT_ALLOWED: 'The method is not allowed for this path: see Allow.',
  SLUG_TAKEN: 'The slug is taken: choose another, or omit it.',
  EXTERNAL_ID_TAKEN: 'Another bundle of the same owner has this `externalId`: the message says what to do.',
  HANDLE_TAKEN: 'Another organisation has or had this handle: choose another.',
  IDEMPOTENCY_CONFLICT: 'The idempotency key was used with another body: use a new one.',
  PROPOSAL_CONFLICT:
    'The proposal and the newest version both changed what the message names, or the proposal is no longer open.',
  KEY_NOT_ROTATABLE: "The key has ended, was rotated before, or is an app's: the message says what to do.",
  VERSION_CONFLICT: 'Someone else changed the bundle: read it again and repeat the edit.',
  PAYLOAD_TOO_LARGE: 'The body is larger than 256 KiB, or than 384 KiB with a picture.',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as JSON, with its Content-Type and without Content-Encoding.',
  MISDIRECTED_REQUEST:
    'The Host header names another server: a proxy in between must pass on the one that it was sent, and SERVICE_BASE_URL must be the public address.',
  BLOCKED: 'The operator has taken the bundle down, or it links to a blocked host.',
  RATE_LIMITED: 'Too many requests: wait retryAfterSeconds, then retry.',
  INTERNAL_ERROR: 'Something failed on our side. It is safe to retry, with an idempotency key if something is created.',
  STORE_UNAVAILABLE:
    'The database is not responding: wait for Retry-After, then retry, with an idempotency key if something is created.',
}

/** Descriptions and examples of the fields of errors, for documents. `message`, in a list of several errors, is like `error`. */
export const PROBLEM_DOCS = {
  error: ['What is wrong, and what to do about it.', 'urls[3] must be an http: or https: URL'],
  code: ['The kind of error, for programs.', 'INVALID_URLS'],
  path: ['The field, as a JSON path.', 'urls[3]'],
  message: ['What is wrong with it, and what to do about it.', 'urls[3] must be an http: or https: URL'],
} as const
