import { execFile } from 'node:child_process'
import type { Logger } from 'pino'

/**
 * Tells systemd how far the service is, where it asked to be told (`Type=notify` sets NOTIFY_SOCKET). systemd's own
 * command sends it, because neither runtime has datagram sockets in the file system. A failure is only logged.
 */
export function tellSystemd(state: 'READY=1' | 'STOPPING=1', log: Logger): void {
  if (process.env.NOTIFY_SOCKET === undefined) return
  execFile('systemd-notify', [state], (error) => {
    if (error !== null) log.warn({ err: error }, `systemd could not be told ${state}`)
  })
}
