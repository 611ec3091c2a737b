import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The folders of CONTRIBUTING's picture, a list for each line, from the highest floor to the lowest. */
export const FLOORS = (
  /## The floors[\s\S]*?```\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'))?.[1] ?? ''
)
  .trim()
  .split('\n')
  .map((line) => line.split(/ {2,}/).filter((word) => /^(?:src|views|extension|db)(?:[/.]|$)/.test(word)))
