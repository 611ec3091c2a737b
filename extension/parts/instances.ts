import { inTurn } from './turns.ts'

/** How the extension acts on an instance for an account: as an app. Its tokens are kept apart (connection.ts). */
interface Account {
  /** The client id of this installation, registered at the instance. */
  clientId: string
  /** Whether the instance has ended the sign-in: its user has to sign in again. */
  hasEnded: boolean
}

/** An instance of the service that its user connected. */
export interface Instance {
  /** `https://openall.example` */
  origin: string
  /** Its own name. */
  name: string
  /** Null: bundles are saved without an account. */
  account: Account | null
  /** Whether its launchers open all tabs as soon as they are shown, without a press. */
  opensAtOnce: boolean
}

interface Stored {
  /** By origin. */
  instances: Readonly<Record<string, Instance>>
  /** The origin of the instance for saving and finding. */
  chosen: string | null
}

/** The connected instances, and the chosen one. */
export async function readInstances(): Promise<{ all: Instance[]; chosen: Instance | null }> {
  const { instances, chosen } = await read()
  const all = Object.values(instances)
  return { all, chosen: (chosen === null ? undefined : instances[chosen]) ?? all[0] ?? null }
}

/** The connected instance that an address belongs to; null for none. */
export async function instanceOf(address: string): Promise<Instance | null> {
  if (!URL.canParse(address)) return null
  const { instances } = await read()
  const { origin } = new URL(address)
  return Object.hasOwn(instances, origin) ? (instances[origin] ?? null) : null
}

/** Stores an instance, new or changed. */
export async function keepInstance(instance: Instance): Promise<void> {
  await change(({ instances, chosen }) => ({
    instances: { ...instances, [instance.origin]: instance },
    chosen: chosen ?? instance.origin,
  }))
}

/** Changes fields of a stored instance; one that was disconnected meanwhile stays so. */
export async function changeInstance(origin: string, fields: Partial<Omit<Instance, 'origin'>>): Promise<void> {
  await change(({ instances, chosen }) => {
    const before = instances[origin]
    return { instances: before ? { ...instances, [origin]: { ...before, ...fields } } : instances, chosen }
  })
}

/** Forgets an instance. */
export async function dropInstance(origin: string): Promise<void> {
  await change(({ instances, chosen }) => {
    const { [origin]: _, ...rest } = instances
    return { instances: rest, chosen: chosen === origin ? (Object.keys(rest)[0] ?? null) : chosen }
  })
}

/** Chooses the instance for saving and finding. */
export async function chooseInstance(origin: string): Promise<void> {
  await change(({ instances }) => ({ instances, chosen: origin }))
}

/** The permission to reach an instance. A pattern has no port: the browser allows all ports of a host. */
export function hostPattern(origin: string): string {
  const { protocol, hostname } = new URL(origin)
  return `${protocol}//${hostname}/*`
}

async function read(): Promise<Stored> {
  const { instances = {}, chosen = null } = await chrome.storage.local.get<Partial<Stored>>(['instances', 'chosen'])
  return { instances, chosen }
}

/** One change after the other, of all pages and the worker together. */
function change(to: (before: Stored) => Stored): Promise<void> {
  return inTurn('instances', async () => chrome.storage.local.set({ ...to(await read()) }))
}
