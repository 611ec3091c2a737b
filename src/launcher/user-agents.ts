import { hash } from 'node:crypto'
import { isbot } from 'isbot'
import { deviceOf } from '../audience/device.ts'
import { HeaderValues } from '../core/header-values.ts'
import { keyOf } from './breakdowns.ts'

/** A parsed User-Agent header. */
export interface UserAgent {
  /** Its text, truncated if very long. */
  name: string
  isBot: boolean
  /** The kind of device that it names, as `Breakdowns` counts it. */
  device: string
  /** 64 bits of its SHA-256, as two 32-bit halves. */
  hash: readonly [number, number]
}

/** User-Agents as read, because most viewers have one of a few. Bots identify themselves well within the length. */
export function userAgents(): HeaderValues<UserAgent> {
  return new HeaderValues(read, { values: 2_000, length: 512 })
}

function read(name: string): UserAgent {
  const digest = hash('sha256', name, 'buffer')
  return {
    name,
    isBot: isbot(name),
    device: keyOf('device', deviceOf(name)),
    hash: [digest.readInt32LE(0), digest.readInt32LE(4)],
  }
}
