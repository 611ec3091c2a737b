import type { Problem } from '../core/problem.ts'
import { accountOf } from './devices.ts'

/** In Unicode code points. */
const MIN_LENGTH = 8
const MAX_LENGTH = 128
/** The same bound in UTF-16 units, which better-auth counts. */
export const MAX_PASSWORD_UNITS = MAX_LENGTH * 2
/** How many of the most common passwords of sufficient length are refused. */
const MOST_COMMON = 10_000
const AT_LEAST = `Use at least ${MIN_LENGTH} characters.`
const AT_MOST = `Use at most ${MAX_LENGTH} characters.`

/** Why a password is refused. */
interface Refusal {
  code: 'PASSWORD_TOO_SHORT' | 'PASSWORD_TOO_LONG' | 'PASSWORD_TOO_COMMON' | 'PASSWORD_IS_PERSONAL'
  /** For the user. */
  message: string
}

/** The form that is compared and hashed: keyboards encode the same letters differently. */
export function plainPassword(password: string): string {
  return password.normalize('NFKC')
}

/**
 * Why a new password is refused, or null (NIST SP 800-63B). An attacker tries the owner’s address and the service’s name first.
 */
export async function unfitPassword(
  password: string,
  { email, service }: { email: string | null; service: string },
): Promise<Refusal | null> {
  const plain = plainPassword(password)
  const length = [...plain].length
  if (length < MIN_LENGTH || plain.trim() === '') {
    return { code: 'PASSWORD_TOO_SHORT', message: `The password is too short. ${AT_LEAST}` }
  }
  if (length > MAX_LENGTH) {
    return { code: 'PASSWORD_TOO_LONG', message: `The password is too long. ${AT_MOST}` }
  }
  const word = plain.trim().toLowerCase()
  const address = accountOf(email ?? '')
  const personal = [address, address.split('@')[0], service.toLowerCase(), service.toLowerCase().replaceAll(' ', '')]
  if (personal.includes(word)) {
    return {
      code: 'PASSWORD_IS_PERSONAL',
      message: 'The password is too easy to guess. Don’t use your email address or the name of this service.',
    }
  }
  if ((await commonPasswords()).has(word)) {
    return {
      code: 'PASSWORD_TOO_COMMON',
      message: 'The password is too common, so it’s easy to guess. Choose another.',
    }
  }
  return null
}

/** Why a password was refused, as shown beside its field; null for another refusal. */
export function besidePassword({ code, message }: Problem): string | null {
  if (code === 'PASSWORD_TOO_SHORT') return AT_LEAST
  if (code === 'PASSWORD_TOO_LONG') return AT_MOST
  return code.startsWith('PASSWORD_') ? message : null
}

let common: Promise<ReadonlySet<string>> | undefined

/** Passwords that nobody may choose; loaded once. */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => {
    const ranked = dictionary['passwords-common'].filter((word) => word.length >= MIN_LENGTH)
    return new Set(ranked.slice(0, MOST_COMMON))
  })
  return common
}
