import { NotConnected } from '../parts/address.ts'
import { askForInstance, disconnect, signIn } from '../parts/connection.ts'
import { changeInstance, chooseInstance, hostPattern, type Instance, readInstances } from '../parts/instances.ts'
import { nameOf } from '../parts/requests.ts'

const section = document.querySelector<HTMLElement>('#services')!
const list = document.querySelector<HTMLElement>('#instances')!
const heading = document.querySelector<HTMLElement>('#services-heading')!
const said = document.querySelector<HTMLElement>('#said')!
const template = document.querySelector<HTMLTemplateElement>('#instance')!

let shown = ''
let turn = 0

/** Shows the connected instances, with what may be done about each. */
export async function showInstances(): Promise<void> {
  turn += 1
  const mine = turn
  const { all, chosen } = await readInstances()
  const rows = await Promise.all(all.map(async (instance) => ({ instance, isAllowed: await isAllowed(instance) })))
  const now = JSON.stringify([rows, chosen?.origin])
  // A row that is drawn anew would lose its focus.
  if (now === shown || mine !== turn) return
  shown = now
  const focused = placeOf(document.activeElement)
  section.hidden = all.length === 0
  document.querySelector<HTMLElement>('#choosing')!.hidden = all.length < 2
  document.querySelector('#connect-heading')!.textContent = section.hidden
    ? 'Connect a service'
    : 'Connect another service'
  list.replaceChildren(
    ...rows.map(({ instance, isAllowed }) => {
      const isOnly = rows.length === 1
      return rowOf(instance, { isAllowed, isOnly, isChosen: instance.origin === chosen?.origin })
    }),
  )
  if (focused !== null) comeBackTo(focused)
}

function isAllowed({ origin }: Instance): Promise<boolean> {
  return chrome.permissions.contains({ origins: [hostPattern(origin)] })
}

interface RowState {
  /** Whether the browser still lets the extension reach it: its user can take that back in the browser's settings. */
  isAllowed: boolean
  isOnly: boolean
  isChosen: boolean
}

function rowOf(instance: Instance, { isAllowed, isOnly, isChosen }: RowState): HTMLElement {
  const { origin, name, account } = instance
  const row = (template.content.cloneNode(true) as DocumentFragment).querySelector<HTMLElement>('li')!
  const part = <E extends HTMLElement>(selector: string) => row.querySelector<E>(selector)!
  row.dataset.origin = origin
  part('.called').textContent = name
  part('.host').textContent = new URL(origin).host
  const isSignedIn = account !== null && !account.hasEnded
  const state = part('.state')
  state.dataset.is = account === null ? 'anonymous' : account.hasEnded ? 'ended' : 'signed in'
  state.textContent = account === null ? 'Without an account' : account.hasEnded ? 'Signed out' : 'Signed in'
  const chooses = part<HTMLInputElement>('[type=radio]')
  chooses.checked = isChosen
  chooses.hidden = isOnly
  chooses.addEventListener('change', () => chooseInstance(origin))
  const atOnce = part<HTMLInputElement>('[type=checkbox]')
  atOnce.checked = instance.opensAtOnce
  atOnce.addEventListener('change', () => changeInstance(origin, { opensAtOnce: atOnce.checked }))
  const allow = part<HTMLButtonElement>('.allow')
  allow.hidden = isAllowed
  act(allow, row, () => askForInstance(origin))
  const signsIn = part<HTMLButtonElement>('.sign-in')
  signsIn.hidden = isSignedIn
  signsIn.textContent = account === null ? 'Sign in' : 'Sign in again'
  act(signsIn, row, async () => {
    if (!(await askForInstance(origin))) throw new NotConnected('Openall needs this permission to reach the service.')
    await signIn(origin, await nameOf(origin))
  })
  const end = part<HTMLButtonElement>('.end')
  end.textContent = isSignedIn ? 'Sign out' : 'Disconnect'
  act(end, row, async () => {
    const isEnded = await disconnect(origin)
    const done = isSignedIn ? `Signed out of ${name}.` : `Disconnected from ${name}.`
    said.textContent = isEnded ? done : `${done} It can’t be reached: end the sign-in there too, under API keys.`
  })
  for (const button of [signsIn, end, allow]) button.setAttribute('aria-label', `${button.textContent}: ${name}`)
  return row
}

/** Does something at a press, and says beside it what went wrong. */
function act(button: HTMLButtonElement, row: HTMLElement, does: () => Promise<unknown>): void {
  const error = row.querySelector<HTMLElement>('.error')!
  button.addEventListener('click', async () => {
    error.textContent = ''
    button.disabled = true
    try {
      await does()
    } catch (thrown) {
      if (!(thrown instanceof NotConnected)) throw thrown
      error.textContent = thrown.message
    } finally {
      button.disabled = false
    }
  })
}

interface Place {
  origin: string
  selector: string
}

/** Which control of which row an element is. */
function placeOf(element: Element | null): Place | null {
  const origin = element?.closest<HTMLElement>('.instance')?.dataset.origin
  if (origin === undefined || element === null) return null
  return {
    origin,
    selector: element.className === '' ? `[type=${element.getAttribute('type')}]` : `.${element.className}`,
  }
}

function comeBackTo({ origin, selector }: Place): void {
  const row = [...list.querySelectorAll<HTMLElement>('.instance')].find((one) => one.dataset.origin === origin)
  const control = row?.querySelector<HTMLElement>(selector)
  if (control && !control.hidden) control.focus()
  else heading.focus()
  if (section.hidden) document.querySelector<HTMLElement>('#address')!.focus()
}
