import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import manifest from '../package.json' with { type: 'json' }

// Says which packages of signing in are older than the newest of their major version: `bun run lag`. It never fails,
// because neither a release elsewhere nor an unreachable registry makes a commit wrong.

/** What signs people and apps in, mails their links, and checks events of identity providers. */
const PACKAGES = ['better-auth', 'nodemailer', '@node-oauth/oauth2-server', 'standardwebhooks'] as const

const TIMEOUT_MS = 10_000

const ask = promisify(execFile)

/** The newest version of the same major, as the package manager finds it; null if the registry does not tell. */
async function newest(name: string, major: string): Promise<string | null> {
  try {
    const { stdout } = await ask(process.execPath, ['pm', 'view', `${name}@${major}`, 'version'], {
      timeout: TIMEOUT_MS,
    })
    return /^\d+\.\d+\.\d+\S*$/.exec(stdout.trim())?.[0] ?? null
  } catch {
    return null
  }
}

const lines = await Promise.all(
  PACKAGES.map(async (name) => {
    const version = manifest.dependencies[name]
    const [major = ''] = version.split('.')
    const found = await newest(name, major)
    if (found === null) return `${name} ${version}: the registry could not be asked`
    return found === version ? `${name} ${version} is the newest ${major}` : `${name} ${version} lags behind ${found}`
  }),
)
console.log(lines.join('\n'))
