import { spawn } from 'node:child_process'

/** Whether a browser can be shown: over SSH and in containers there is no display. */
export function hasBrowser(): boolean {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME } = process.env
  if (BROWSER || process.platform === 'darwin' || process.platform === 'win32') return true
  return Boolean(DISPLAY || WAYLAND_DISPLAY || WSL_DISTRO_NAME)
}

/** Starts the browser without a shell, because the URL is untrusted. */
export function openInBrowser(url: string): Promise<void> {
  const [program, ...args] = browser()
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  return new Promise((resolve, reject) => {
    child.on('error', () => reject(new Error(`${program} cannot be run: set BROWSER to your browser, or use --print`)))
    child.on('spawn', () => {
      child.unref()
      resolve()
    })
  })
}

function browser(): [string, ...string[]] {
  if (process.env.BROWSER) return [process.env.BROWSER]
  if (process.platform === 'darwin') return ['open']
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return ['xdg-open']
}
