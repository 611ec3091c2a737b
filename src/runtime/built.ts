import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import about from '../../package.json' with { type: 'json' }

/** The version, such as `0.1.0`. */
export const VERSION = about.version

/**
 * The source of this build: the first digits of the commit, with `-dirty` if files had changed since; `unknown` without git. The
 * executable contains it (tools/single.ts); from source, git is asked, which takes milliseconds.
 */
export function commitOfBuild(): string {
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  try {
    const words = ['--git-dir=.git', '--work-tree=.', 'describe', '--always', '--dirty', '--exclude=*']
    return execFileSync('git', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return 'unknown'
  }
}
