import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError } from './exit.ts'
import { readText } from './input.ts'
import { note } from './output.ts'

/** The flag for a bundle's password. Never an argument, which other processes and the shell's history see. */
export const PASSWORD_FILE = {
  'password-file': {
    valueHint: 'path',
    description: 'A file with the password for --access password; asked for if omitted; - is standard input',
  },
} as const

/**
 * The password from a file, or from a prompt if one is needed, as part of an input.
 * @throws UsageError if it can be neither read nor asked for.
 */
export async function passwordIn(file: string | undefined, isNeeded: boolean): Promise<{ password?: string }> {
  if (file !== undefined) return { password: (await readText(file)).replace(/\r?\n$/, '') }
  if (!isNeeded) return {}
  if (!process.stdin.isTTY) throw new UsageError('--access password needs a password: give it with --password-file')
  return { password: await askHidden('Password for its viewers: ') }
}

/** The answer to a question on the terminal, which does not echo it. */
export async function askHidden(question: string): Promise<string> {
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const questions = createInterface({ input: process.stdin, output: silence, terminal: true })
  // Asked only now, because from here on the terminal does not echo.
  process.stderr.write(question)
  try {
    return await questions.question('')
  } finally {
    questions.close()
    note('')
  }
}
