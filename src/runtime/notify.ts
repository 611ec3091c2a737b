import { execFile } from 'node:child_process'
import type { Logger } from 'pino'

/**
 * Reports the service's state to systemd if it asks for it (`Type=notify` sets NOTIFY_SOCKET). Uses systemd's own
 * command, because neither runtime has Unix datagram sockets. A failure is only logged.
 */
export function notifySystemd(state: 'READY=1' | 'STOPPING=1', log: Logger): void {
  if (process.env.NOTIFY_SOCKET === undefined) return
  execFile('systemd-notify', [state], (error) => {
    if (error !== null) log.warn({ err: error }, `could not notify systemd of ${state}`)
  })
}
