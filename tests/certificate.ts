import { join } from 'node:path'

/**
 * Makes a certificate for a name, signed by nobody, valid for two days.
 * @returns the files of its key and itself, in the folder. Services trust it with `trusting(cert)`.
 */
export function makeCertificate(folder: string, host: string): { key: string; cert: string } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const wishes = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test -addext`
  const words = ['openssl', ...wishes.split(' '), `subjectAltName=DNS:${host}`, '-keyout', key, '-out', cert]
  const { exitCode, stderr } = Bun.spawnSync(words, { stderr: 'pipe' })
  if (exitCode !== 0) throw new Error(`no certificate: ${stderr}`)
  return { key, cert }
}

/** The environment in which Bun and Deno trust a certificate. */
export function trusting(cert: string): Record<string, string> {
  return { NODE_EXTRA_CA_CERTS: cert, DENO_CERT: cert }
}
