import { existsSync } from 'node:fs'
import { SECRET } from '../../db/backup.ts'
import { type Config, databaseFile, readConfig } from '../config/config.ts'
import { readSetting } from '../config/settings.ts'
import { randomBase62 } from '../core/secrets.ts'

/**
 * The settings as the service reads them, except that no command creates the secret that the service’s first start creates: in a
 * wrong folder it would be the first file of a new store.
 * @throws BadSetting.
 */
export function operatorConfig(env: Record<string, string | undefined>): Config {
  const file = databaseFile(readSetting(env, 'DATABASE_URL'))
  const isMissing = file !== null && !existsSync(file + SECRET) && readSetting(env, 'SERVICE_SECRET') === undefined
  return readConfig(isMissing ? { ...env, SERVICE_SECRET: randomBase62(32) } : env)
}
