import { crc32 } from 'node:zlib'
import { BASE62, randomBase62 } from '../core/secrets.ts'

const PREFIX_LENGTH = 12
const SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6
const SHAPE = new RegExp(
  `^(oa_[0-9A-Za-z]{${PREFIX_LENGTH}})\\.([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
)

/** How long the key of an app can be renewed after it was last renewed. Its text is valid for less. */
export const RENEWABLE_SECONDS = 30 * 86_400

/** How long the code of a device can be typed in, and then collected. */
export const DEVICE_SECONDS = 600

/** The parts of a key: the public prefix identifies it, the secret authenticates it. */
interface KeyToken {
  keyPrefix: string
  secret: string
}

/** A new key and its text, `<keyPrefix>.<secret>`, whose last six characters are a checksum. */
export function newKeyToken(): KeyToken & { text: string } {
  const keyPrefix = `oa_${randomBase62(PREFIX_LENGTH)}`
  const secret = randomBase62(SECRET_LENGTH)
  return { keyPrefix, secret, text: `${keyPrefix}.${secret}${checksum(keyPrefix, secret)}` }
}

/** Parses a key; null if its format or checksum is wrong, so that a mistyped key costs no read. */
export function readKeyToken(text: string): KeyToken | null {
  const [, keyPrefix = '', secret = '', sum] = SHAPE.exec(text) ?? []
  return sum !== undefined && sum === checksum(keyPrefix, secret) ? { keyPrefix, secret } : null
}

function checksum(keyPrefix: string, secret: string): string {
  let rest = crc32(`${keyPrefix}.${secret}`)
  let text = ''
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit += 1) {
    text = `${BASE62[rest % 62]}${text}`
    rest = Math.floor(rest / 62)
  }
  return text
}
