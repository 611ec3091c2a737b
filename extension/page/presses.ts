// Which button of the page its user has pressed. Scripts can send clicks too, and even ones that the browser vouches for, by
// pressing a label: so a click counts only after the press of a pointer or key on the same button, which no script can send.

/** How long after a press the page may hand over. */
const WITHIN_MS = 1500
/** How long a press may take. */
const LONGEST_PRESS_MS = 10_000

const BUTTONS = '#open, #again, #rest, .part, form.ask button, main button[data-slug]'

let down: { button: Element; at: number } | null = null
let armed: { slug: string; at: number } | null = null

/** Whether the button for a bundle was pressed just now. Each press counts once. */
export function isPressed(slug: string): boolean {
  const is =
    armed !== null && armed.slug === slug && Date.now() - armed.at < WITHIN_MS && navigator.userActivation.isActive
  armed = null
  return is
}

export function watchPresses(): void {
  window.addEventListener('pointerdown', noteDown, true)
  window.addEventListener('keydown', onKey, true)
  window.addEventListener(
    'click',
    (event) => {
      const button = buttonOf(event)
      if (button === null || down?.button !== button || Date.now() - down.at > LONGEST_PRESS_MS) return
      down = null
      arm(button)
    },
    true,
  )
}

function noteDown(event: Event): void {
  const button = buttonOf(event)
  down = button === null ? null : { button, at: Date.now() }
}

function onKey(event: KeyboardEvent): void {
  noteDown(event)
  if (!event.isTrusted || event.repeat || !(event.target instanceof Element)) return
  // Enter in a field of the values presses the button; on a start page, `o` opens the row in focus.
  const form = event.key === 'Enter' ? event.target.closest('form.ask') : null
  const row = event.key === 'o' ? event.target.closest('main li') : null
  const button = form ?? row?.querySelector('button[data-slug]')
  if (button) arm(button)
}

/** The button that an event of a user is about; null for none, and for events of scripts. */
function buttonOf({ isTrusted, target }: Event): Element | null {
  return isTrusted && target instanceof Element ? target.closest(BUTTONS) : null
}

function arm(button: Element): void {
  const { slug } = button.closest<HTMLElement>('[data-slug]')?.dataset ?? {}
  if (slug && navigator.userActivation.isActive) armed = { slug, at: Date.now() }
}
