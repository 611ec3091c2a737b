import { eventually } from './eventually.ts'
import { fieldsIn } from './form.ts'
import type { Server } from './server.ts'

/** A JSON answer. */
export interface Answer<T> {
  status: number
  headers: Headers
  body: T
}

/** The fields of a bundle in the API that tests read. */
export interface BundleBody {
  slug: string
  url: string
  versionNumber: number
  urls: string[]
  urlMetadata: { note?: string; section?: string; tags?: string[]; openPolicy?: string }[]
  title: string | null
  description: string | null
  owner: { type: string; userId?: string; organizationId?: string }
  createdAt: string
  updatedAt: string
}

/** The text fields of a bundle without texts; listed here instead of derived, because answers are a public contract. */
export const NO_TEXTS = { title: null, description: null, opensAt: null, closesAt: null, closedNote: null }

/** The same with what else every bundle has. */
export const PLAIN = { ...NO_TEXTS, variables: [], access: 'link', copyable: false, icons: true, listed: false }

/** The answer to an anonymous creator. */
export interface CreatedBody {
  slug: string
  url: string
  claimUrl: string
  claimToken: string
}

type Unknown = Record<string, unknown>

/** A client with a cookie jar, like a browser, that does not follow redirects. */
export class Visitor {
  readonly cookies = new Map<string, string>()

  constructor(
    readonly server: Pick<Server, 'origin'>,
    /** Sent with every request. */
    readonly always: Record<string, string> = {},
  ) {}

  async fetch(
    path: string,
    init: { method?: string; body?: string | FormData; headers?: Record<string, string> } = {},
  ) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(path.startsWith('http') ? path : `${this.server.origin}${path}`, {
      ...init,
      redirect: 'manual',
      // The server may be closing an idle connection of an earlier test at this very moment.
      keepalive: false,
      headers: { ...(cookie === '' ? {} : { cookie }), ...this.always, ...init.headers },
    })
    for (const text of response.headers.getSetCookie()) {
      const [pair = ''] = text.split(';')
      const at = pair.indexOf('=')
      if (/Max-Age=0/i.test(text)) this.cookies.delete(pair.slice(0, at))
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }

  /** Calls a JSON route. */
  async api<T = Unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await this.fetch(path, {
      method,
      headers: { ...json, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer = text === '' ? {} : JSON.parse(text)
    if (response.status >= 400) {
      const { undeclared } = await import('./declared.ts')
      const wrong = undeclared(method, path, answer.code)
      if (wrong !== null) throw new Error(wrong)
    }
    return { status: response.status, headers: response.headers, body: answer as T }
  }

  /** Posts a plain form. */
  form(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.fetch(path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { ...type, ...headers },
    })
  }

  /** Makes a bundle on the home page, without a script: the list that the first press shows is sent as it is. */
  async publish(fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    const list = await this.form('/', fields, headers)
    if (list.status !== 200) return list
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams(fieldsIn(await list.text())).toString()
    return this.fetch('/', { method: 'POST', body, headers: { ...type, ...headers } })
  }

  /** Mints a key for the subject that it acts for. */
  async mint(wishes: Unknown = {}): Promise<{ rawKey: string; apiKey: { id: number } }> {
    const { status, body } = await this.api<{ rawKey: string; apiKey: { id: number } }>('POST', '/api/me/keys', {
      name: 'a key',
      ...wishes,
    })
    if (status !== 201) throw new Error(`a key was refused: ${status} ${JSON.stringify(body)}`)
    return body
  }

  /** A program with a new key of the subject that it acts for. */
  async program(wishes: Unknown = {}): Promise<Visitor> {
    return new Visitor(this.server, { authorization: `Bearer ${(await this.mint(wishes)).rawKey}` })
  }

  /** Creates a bundle. */
  async makeBundle(fields: Unknown = {}): Promise<CreatedBody> {
    const { status, body } = await this.api<CreatedBody>('POST', '/api/links', { urls: [URL_A, URL_B], ...fields })
    if (status !== 201) throw new Error(`a bundle was refused: ${status} ${JSON.stringify(body)}`)
    return body
  }
}

export const URL_A = 'https://a.example/'
export const URL_B = 'https://b.example/'
export const PASSWORD = 'correct horse battery'

/** A visitor with an account, signed in. */
export class Person extends Visitor {
  email = ''
  userId = ''
}

let people = 0

/** An email address that no other test uses. */
export function newEmail(name = 'person'): string {
  people += 1
  return `${name}-${people}@people.example`
}

/** A new person with a confirmed address, signed in: by rows where that is possible, since four requests take twenty times as long. */
export async function newPerson(server: Server, email = newEmail()): Promise<Person> {
  const arrived = await server.arrive?.(email)
  if (arrived === undefined) return arriveByMail(server, email)
  const person = new Person(server)
  for (const [name, value] of arrived.cookies) person.cookies.set(name, value)
  person.email = email
  person.userId = arrived.userId
  return person
}

/** Somebody who signs in, or up, through a mailed link: faster than hashing a password. */
export async function arriveByMail(server: Server, email = newEmail()): Promise<Person> {
  const person = new Person(server)
  const asked = await person.api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
  if (asked.status !== 200) throw new Error(`a mailed link was refused: ${asked.status} ${JSON.stringify(asked.body)}`)
  await press(person, linkIn(await mailTo(server, email, 'Your sign-in link')))
  const { body } = await person.api<{ subject: { userId: string } }>('GET', '/api/me')
  person.email = email
  person.userId = body.subject.userId
  return person
}

/** A new person with a password and an unconfirmed address, signed in. */
export async function signUp(server: Pick<Server, 'origin'>, email = newEmail()): Promise<Person> {
  const person = new Person(server)
  const { status, body } = await person.api<{ user: { id: string } }>('POST', '/api/auth/sign-up/email', {
    email,
    password: PASSWORD,
    name: email.split('@')[0],
  })
  if (status !== 200) throw new Error(`a sign-up was refused: ${status} ${JSON.stringify(body)}`)
  person.email = email
  person.userId = body.user.id
  return person
}

/** Signs in to an existing account in another browser. */
export async function signIn(server: Pick<Server, 'origin'>, email: string, password = PASSWORD): Promise<Visitor> {
  const visitor = new Visitor(server)
  const { status } = await visitor.api('POST', '/api/auth/sign-in/email', { email, password })
  if (status !== 200) throw new Error(`a sign-in was refused: ${status}`)
  return visitor
}

/** Creates an organisation with its creator as admin, and adds members. */
export async function newOrganization(
  admin: Person,
  members: readonly (readonly [Person, string])[] = [],
): Promise<{ id: string; memberIds: Map<Person, string> }> {
  people += 1
  const { body } = await admin.api<{ id: string }>('POST', '/api/auth/organization/create', {
    name: `Organisation ${people}`,
    slug: `organisation-${people}`,
  })
  const memberIds = new Map<Person, string>()
  for (const [person, role] of members) memberIds.set(person, await addMember(admin, body.id, person, role))
  return { id: body.id, memberIds }
}

/** Invites a person, who accepts and then acts for themselves. @returns the member's id. */
export async function addMember(admin: Visitor, organizationId: string, person: Person, role: string): Promise<string> {
  const invited = await admin.api<{ id: string }>('POST', '/api/auth/organization/invite-member', {
    email: person.email,
    role,
    organizationId,
  })
  const accepted = await person.api<{ member: { id: string } }>('POST', '/api/auth/organization/accept-invitation', {
    invitationId: invited.body.id,
  })
  if (accepted.status !== 200) throw new Error(`an invitation was refused: ${JSON.stringify(accepted.body)}`)
  await actFor(person, null)
  return accepted.body.member.id
}

/** Switches the subject a person acts for: an organisation, or with null the person. */
export async function actFor(person: Visitor, organizationId: string | null): Promise<void> {
  const { status } = await person.api('POST', '/api/auth/organization/set-active', { organizationId })
  if (status !== 200) throw new Error(`the organisation was not made active: ${status}`)
}

/** A mail in the log of a server without SMTP_URL. */
interface LoggedMail {
  to: string
  subject: string
  text: string
}

/** How far a server's output has been read, and the mails in it: tests poll long logs. */
const mailLogs = new WeakMap<object, { read: number; mails: LoggedMail[] }>()

/** Every mail to an address so far, oldest first. */
function mailsTo(server: Pick<Server, 'output'>, to: string): LoggedMail[] {
  const log = mailLogs.get(server) ?? { read: 0, mails: [] }
  mailLogs.set(server, log)
  const output = server.output()
  const end = output.lastIndexOf('\n') + 1
  for (const line of output.slice(log.read, end).split('\n')) {
    if (!line.startsWith('{') || !line.endsWith('}') || !line.includes('"mail":')) continue
    const { mail } = JSON.parse(line) as { mail?: LoggedMail }
    if (mail !== undefined) log.mails.push(mail)
  }
  log.read = end
  return log.mails.filter((mail) => mail.to === to)
}

/** Waits for a mail to an address whose subject begins with `subject`. @returns the latest. */
export async function mailTo(server: Pick<Server, 'output'>, to: string, subject: string): Promise<LoggedMail> {
  const latest = () => mailsTo(server, to).findLast((mail) => mail.subject.startsWith(subject))
  await eventually(() => latest() !== undefined, `a mail to ${to} that begins with ${subject}`)
  return latest()!
}

/** Waits for an invitation to an address. @returns the latest one's link. */
export async function invitationLink(server: Pick<Server, 'output'>, to: string): Promise<string> {
  const latest = () => mailsTo(server, to).findLast(({ subject }) => subject.includes(' invited you to '))
  await eventually(() => latest() !== undefined, `an invitation to ${to}`)
  return linkIn(latest()!)
}

/**
 * A mail in the development mailbox. Claim mails appear only there: they are not logged, because a claim token must not
 * end up in a log.
 */
export async function mailInBox({ origin }: Pick<Server, 'origin'>, to: string, subject: string): Promise<LoggedMail> {
  const page = await (await fetch(`${origin}/dev/mailbox`)).text()
  const text = page
    .split('<article')
    .find((mail) => mail.includes(`to ${to} at `) && mail.includes(subject))
    ?.replace(/<[^>]*>/g, ' ')
    .replaceAll('&amp;', '&')
  if (text === undefined) throw new Error(`no mail to ${to} in the mailbox with ${subject}`)
  return { to, subject: text, text }
}

/** The first link in a mail. */
export function linkIn({ text }: Pick<LoggedMail, 'text'>): string {
  return /https?:\/\/\S+/.exec(text)?.[0] ?? ''
}

/** Opens a mailed link, fills in `fields` and presses the page's button. */
export async function press(visitor: Visitor, link: string, fields: Record<string, string> = {}): Promise<Response> {
  const { pathname, searchParams } = new URL(link)
  const next = searchParams.get('next')
  return visitor.form(pathname, { ...(next === null ? {} : { next }), ...fields })
}

/** Follows a redirect. */
export function follow(visitor: Visitor, answer: Response): Promise<Response> {
  if (answer.status !== 303) throw new Error(`not a redirect: ${answer.status}`)
  return visitor.fetch(answer.headers.get('location') ?? '')
}

/** Confirms the address of a person who signed up. */
export async function confirm(server: Server, person: Person): Promise<void> {
  const answer = await press(person, linkIn(await mailTo(server, person.email, 'Confirm your address')))
  if (answer.status !== 303) throw new Error(`an address was not confirmed: ${answer.status}`)
}
