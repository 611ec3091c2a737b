type Permission = 'tabs' | 'tabGroups' | 'bookmarks'

/** What the extension asks for when it is first needed, and why. */
const REASONS: Readonly<Record<Permission, readonly [called: string, why: string]>> = {
  tabs: ['Your tabs', 'Save a whole window, and find tabs of a bundle that are open already.'],
  tabGroups: ['Your tab groups', 'Save a group, and give the group of an opened bundle its title and colour.'],
  bookmarks: ['Your bookmarks', 'Save a folder. Openall changes no bookmark.'],
}

const list = document.querySelector<HTMLElement>('#permissions')!
const template = document.querySelector<HTMLTemplateElement>('#permission')!

/** Shows which of them are allowed, each with a button to allow it or to take it back. */
export async function showPermissions(): Promise<void> {
  for (const [permission, [called, why]] of Object.entries(REASONS) as [Permission, readonly [string, string]][]) {
    const row = list.querySelector<HTMLElement>(`[data-is=${permission}]`) ?? add(permission, called, why)
    const isAllowed = await chrome.permissions.contains({ permissions: [permission] })
    const button = row.querySelector('button')!
    button.textContent = isAllowed ? 'Take back' : 'Allow'
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
  list.append(row)
  return row
}
