import { Resolver } from 'node:dns/promises'
import { text } from 'node:stream/consumers'
import { get, post } from '../../src/outgoing/request.ts'
import { NotSent, targetOf } from '../../src/outgoing/target.ts'

// Run by outgoing.test.ts on each runtime: sends requests through the guard, and prints what became of them.

/** A request to try. */
export interface Attempt {
  url: string
  privateNetworks: boolean
  /** The first host counts as public, which no host of this machine is. */
  beginsInPublic?: true
  /** Only checks whether it may be sent. */
  checkOnly?: true
  timeoutMs?: number
  /** Gets it instead of posting to it. */
  isGet?: true
}

export interface Attempts {
  /** The port of the name server. */
  nameServer: number
  attempts: Attempt[]
}

const { nameServer, attempts } = JSON.parse(await text(process.stdin)) as Attempts
const resolver = new Resolver({ timeout: 2_000, tries: 1 })
resolver.setServers([`127.0.0.1:${nameServer}`])

/** The status of the answer, or why there is none. */
async function outcome({
  url,
  privateNetworks,
  beginsInPublic,
  checkOnly,
  timeoutMs,
  isGet,
}: Attempt): Promise<number | string> {
  let checks = 0
  const guard = {
    get privateNetworks() {
      checks += 1
      return privateNetworks || (beginsInPublic === true && checks === 1)
    },
    resolver,
  }
  try {
    if (!URL.canParse(url)) return 'no URL'
    if (checkOnly) {
      await targetOf(new URL(url), guard)
      return 'may be sent'
    }
    if (isGet) {
      const asked = {
        account: 'tests',
        headers: { 'x-test': 'yes' },
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      }
      const { status, body } = await get(url, asked, guard)
      return body.byteLength > 0 && body.byteLength < 10 ? `${status} ${body}` : status
    }
    const sent = { account: 'tests', headers: { 'x-test': 'yes' }, body: '{"a":"ü"}' }
    return (await post(url, sent, guard, timeoutMs)).status
  } catch (error) {
    return error instanceof NotSent ? error.message : `unexpected: ${error}`
  }
}

// One after the other, because what one attempt does to the name server matters.
const outcomes: (number | string)[] = []
for (const attempt of attempts) outcomes.push(await outcome(attempt))
console.log(JSON.stringify(outcomes))
// What was refused or timed out must hold nothing open.
