// For the client and the extension too, so without the runtime's own modules.

/** 128 random bits as hexadecimal digits. `crypto.randomUUID` is missing on pages without TLS. */
export function randomId(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(16)))
}

/** Bytes as hexadecimal digits. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
