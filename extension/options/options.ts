import { NotConnected, originIn } from '../parts/address.ts'
import { isFirefox } from '../parts/browser.ts'
import { askForInstance, connectWithoutAccount, signIn } from '../parts/connection.ts'
import { chooseInstance, readInstances } from '../parts/instances.ts'
import { nameOf } from '../parts/requests.ts'
import { changeSettings, readSettings } from '../parts/settings.ts'
import { showInstances } from './instances.ts'

const form = document.querySelector<HTMLFormElement>('#connect')!
const address = document.querySelector<HTMLInputElement>('#address')!
const error = document.querySelector<HTMLElement>('#error')!
const said = document.querySelector<HTMLElement>('#said')!
const sections = document.querySelector<HTMLInputElement>('#sections')!

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const isWithAccount = new FormData(form, event.submitter).get('with') === 'account'
  refuse('')
  try {
    const origin = originIn(address.value)
    // Before anything that takes time: the browser asks only because of a press.
    const asking = askForInstance(origin)
    setBusy(true)
    if (!(await asking))
      throw new NotConnected('Openall needs this permission to reach the service. Try again to allow it.')
    said.textContent = 'Connecting…'
    const name = await nameOf(origin)
    if (isWithAccount) await signIn(origin, name)
    else await connectWithoutAccount(origin, name)
    await chooseInstance(origin)
    form.reset()
    said.textContent = `Connected to ${name}. Press Openall’s button in the toolbar to save tabs.`
  } catch (thrown) {
    said.textContent = ''
    if (!(thrown instanceof NotConnected)) throw thrown
    refuse(thrown.message)
  } finally {
    setBusy(false)
  }
})

function refuse(message: string): void {
  error.textContent = message
  address.toggleAttribute('aria-invalid', message !== '')
  if (message !== '') address.focus()
}

function setBusy(isBusy: boolean): void {
  for (const button of form.querySelectorAll('button')) button.disabled = isBusy
}

sections.addEventListener('change', () => changeSettings({ sectionsAsGroups: sections.checked }))

async function showSettings(): Promise<void> {
  sections.checked = (await readSettings()).sectionsAsGroups
}

/** The shortcut as it is now: its user may have changed it, or another extension may have it. */
async function showShortcut(): Promise<void> {
  const commands = await chrome.commands.getAll()
  const { shortcut = '' } = commands.find(({ name }) => name === '_execute_action') ?? {}
  const place = document.querySelector<HTMLElement>('#shortcut')!
  if (shortcut === '') place.textContent = 'No shortcut'
  else place.replaceChildren(Object.assign(document.createElement('kbd'), { textContent: shortcut }))
  document.querySelector<HTMLElement>('#change')!.textContent = isFirefox()
    ? 'To change the shortcut, open about:addons, press the gear, and choose Manage Extension Shortcuts.'
    : 'To change the shortcut, open chrome://extensions/shortcuts.'
}

type Permission = 'tabs' | 'tabGroups' | 'bookmarks'

/** What the extension asks for when it is first needed, and why. */
const REASONS: Readonly<Record<Permission, readonly [called: string, why: string]>> = {
  tabs: ['Your tabs', 'Save a whole window, and find the tabs of a bundle that are already open.'],
  tabGroups: ['Your tab groups', 'Save a group, and give the group of an opened bundle its title and colour.'],
  bookmarks: ['Your bookmarks', 'Save a folder. Openall changes no bookmark.'],
}

const permissions = document.querySelector<HTMLElement>('#permissions')!
const template = document.querySelector<HTMLTemplateElement>('#permission')!

/** Shows which of them are allowed, each with a button to allow it or to take it back. */
async function showPermissions(): Promise<void> {
  for (const [permission, [called, why]] of Object.entries(REASONS) as [Permission, readonly [string, string]][]) {
    const row = permissions.querySelector<HTMLElement>(`[data-is=${permission}]`) ?? add(permission, called, why)
    const isAllowed = await chrome.permissions.contains({ permissions: [permission] })
    const button = row.querySelector('button')!
    button.textContent = isAllowed ? 'Revoke' : 'Allow'
    button.setAttribute('aria-label', `${button.textContent}: ${called}`)
    button.dataset.does = isAllowed ? 'remove' : 'request'
  }
}

function add(permission: Permission, called: string, why: string): HTMLElement {
  const row = (template.content.cloneNode(true) as DocumentFragment).querySelector<HTMLElement>('li')!
  row.dataset.is = permission
  row.querySelector('.called')!.textContent = called
  row.querySelector('.hint')!.textContent = why
  const button = row.querySelector('button')!
  // The page's own listeners draw the row anew.
  button.addEventListener('click', () =>
    button.dataset.does === 'remove'
      ? chrome.permissions.remove({ permissions: [permission] })
      : chrome.permissions.request({ permissions: [permission] }),
  )
  permissions.append(row)
  return row
}

chrome.storage.local.onChanged.addListener((changes) => {
  if ('instances' in changes || 'chosen' in changes) showInstances()
  if ('settings' in changes) showSettings()
})
for (const event of [chrome.permissions.onAdded, chrome.permissions.onRemoved]) {
  event.addListener(() => {
    showPermissions()
    showInstances()
  })
}

await Promise.all([showInstances(), showSettings(), showShortcut(), showPermissions()])
if ((await readInstances()).all.length === 0) address.focus()
// The popup leads here with the address of the page that it was opened on.
const from = new URLSearchParams(location.search).get('address')
if (from !== null) await fillIn(from).catch(() => {})

/** Fills in the address of a page if it is one of a service. */
async function fillIn(page: string): Promise<void> {
  const origin = originIn(page)
  await nameOf(origin)
  if (address.value !== '') return
  address.value = origin
  address.focus()
}
