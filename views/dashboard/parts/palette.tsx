/** @jsxImportSource @kitajs/html */
import { BOUNDS } from '../../../src/bundles/content/content.ts'
import { routes } from '../../../src/core/routes.ts'
import { allowsRole } from '../../../src/identity/caller.ts'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { attribute, Each, type SignedInUser } from '../../parts/layout.tsx'
import { personName } from '../../parts/tile.tsx'

/** The shortcuts in the help; `palette-keys.js` implements them. */
const KEYS = [
  ['Ctrl K or ⌘ K', 'Go to a bundle or a page'],
  ['Alt ↑ or Alt ↓', 'Move the link that has the focus'],
  ['/', 'Search'],
  ['n', 'New bundle'],
  ['?', 'Show these shortcuts'],
] as const

/** The text field selects it with `aria-activedescendant`. */
const OPTION = { class: 'item', role: 'option', tabindex: '-1', 'aria-selected': 'false' } as const

interface Place {
  href: string
  name: string
  icon: IconName
  /** The single key that leads there. */
  key?: string
}

interface PaletteProps {
  user: SignedInUser
  pages: readonly Place[]
}

/** Opens the palette, whose entries are all reachable without it too. */
export function PaletteButton(): JSX.Element {
  return (
    <button type="button" class="quiet scripted to-palette" data-opens="palette" aria-keyshortcuts="Control+K Meta+K">
      <Icon name="search" />
      <span>{'Go to… '}</span>
      <kbd>Ctrl K</kbd>
    </button>
  )
}

/** The command palette for pages, workspaces and bundles, and the help on shortcuts. Both need the script. */
export function Palette({ user, pages }: PaletteProps): JSX.Element {
  const mayEdit = allowsRole(user.role, 'editor')
  const actions: Place[] = mayEdit
    ? [
        { href: routes.newBundle.page.href(), name: 'New bundle', icon: 'plus', key: 'n' },
        { href: routes.bundles.import.href(), name: 'Import', icon: 'download' },
      ]
    : []
  const others = [{ id: '', name: personName(user) }, ...user.organizations].filter(
    ({ id }) => id !== (user.acting?.id ?? ''),
  )
  return (
    <>
      <dialog id="palette" class="palette" aria-label="Go to a bundle or a page">
        <input
          id="palette-q"
          type="text"
          role="combobox"
          aria-label="Go to a bundle or a page"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-autocomplete="list"
          placeholder="Find a bundle, or go to…"
          maxlength={BOUNDS.title}
          autocomplete="off"
          spellcheck="false"
        />
        <div id="palette-list" data-bundle={routes.bundle.edit.template}>
          <Each
            of={[...actions, ...pages]}
            show={({ href, name, icon, key }) => (
              <div {...OPTION} id={`palette-${href}`} data-href={href} data-icon={icon} data-key={key}>
                <Icon name={icon} />
                <span safe>{name}</span>
              </div>
            )}
          />
          <Each
            of={others}
            show={({ id, name }) => (
              <div {...OPTION} id={`palette-workspace-${id}`} data-workspace={attribute(id)}>
                <Icon name="switch" />
                <span dir="auto" safe>
                  {`Switch to ${name}`}
                </span>
              </div>
            )}
          />
        </div>
        <p id="palette-count" class="hint" role="status"></p>
        <button type="button" class="quiet small" data-opens="shortcuts">
          Keyboard shortcuts
        </button>
      </dialog>
      <dialog id="shortcuts" class="palette" aria-labelledby="shortcuts-heading">
        <h2 id="shortcuts-heading">Keyboard shortcuts</h2>
        <dl class="keys">
          <Each
            of={KEYS}
            show={([key, does]) => (
              <div>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            )}
          />
        </dl>
        <label class="choice">
          <input type="checkbox" id="single-keys" />
          <span>Use single keys</span>
        </label>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  )
}
