import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A page of the documentation. */
export function pageOf(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), 'utf8')
}

/** The code blocks of one language on a page, unchanged. */
export function blocksOf(page: string, language: string): string[] {
  return Array.from(page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')), ([, block = '']) => block)
}

/** Runs a page's examples unchanged, in a shell whose curl fails if the service refuses. */
export class Shell {
  readonly home = mkdtempSync(join(tmpdir(), 'openall-docs-'))

  constructor() {
    writeFileSync(join(this.home, '.curlrc'), 'fail-with-body\n')
  }

  async run(script: string, env: Record<string, string>) {
    const child = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script], {
      env: { PATH: process.env.PATH, HOME: this.home, ...env },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { code: await child.exited, output, errors }
  }

  remove(): void {
    rmSync(this.home, { recursive: true })
  }
}
