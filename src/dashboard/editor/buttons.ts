import {
  type BundleForm,
  type Focus,
  isEmptyLink,
  type LinkFields,
  NEW_VARIABLE,
  namesOf,
} from '../../../views/dashboard/editor/bundle-form.ts'
import { BOUNDS } from '../../bundles/bounds.ts'
import { offersIn } from '../../bundles/placeholders.ts'
import { NEW_LINK } from './bundle-form.ts'
import { afterOwnButton } from './own-form.ts'
import { withOffer } from './variable-fields.ts'

// What the buttons of the form do without its script.

/** The form after a button, and what to focus. */
interface Pressed {
  form: BundleForm
  focus: Focus
}

/** The form after one of its buttons; null for a button that does not change the form. */
export function afterButton(form: BundleForm, button: string): Pressed | null {
  const { links } = form
  const last = links.length - 1
  if (button === 'paste') {
    const left = atLeastOne(links.filter((link) => !isEmptyLink(link)))
    return { form: { ...form, links: left }, focus: { link: left.length - 1, on: 'url' } }
  }
  if (button === 'add') return { form: { ...form, links: [...links, NEW_LINK] }, focus: { link: last + 1, on: 'url' } }
  if (button === 'section') {
    const section = newSection(links)
    return { form: { ...form, links: [...links, { ...NEW_LINK, section }] }, focus: { link: last + 1, on: 'section' } }
  }
  const own = afterOwnButton(form.own, button)
  if (own !== null) return { form: { ...form, own: own.own }, focus: { entry: own.entry } }
  const [, action, index = ''] = /^(up|down|remove)-(\d{1,3})$/.exec(button) ?? []
  const at = Number(index)
  if (action === undefined) return afterVariableButton(form, button)
  if (at > last) return null
  const rest = links.toSpliced(at, 1)
  if (action === 'remove') {
    const left = atLeastOne(rest)
    return { form: { ...form, links: left }, focus: { link: Math.min(at, left.length - 1), on: 'url' } }
  }
  const to = Math.max(0, Math.min(last, action === 'up' ? at - 1 : at + 1))
  const moved = rest.toSpliced(to, 0, amid(rest, to, links[at] ?? NEW_LINK))
  return { form: { ...form, links: moved }, focus: { link: to, on: action === 'up' ? 'up' : 'down' } }
}

/** The same for the buttons of variables. */
function afterVariableButton(form: BundleForm, button: string): Pressed | null {
  const { links, variables } = form
  if (button === 'variable') {
    const focus = { variable: variables.length, on: 'name' } as const
    return { form: { ...form, variables: [...variables, NEW_VARIABLE] }, focus }
  }
  const [, index] = /^forget-(\d{1,3})$/.exec(button) ?? []
  if (index !== undefined && Number(index) < variables.length) {
    const left = variables.toSpliced(Number(index), 1)
    return { form: { ...form, variables: left }, focus: { variable: 0, on: 'add' } }
  }
  const urls = links.map(({ url }) => url)
  const offer = offersIn(urls, namesOf(form), BOUNDS.variables).find(({ written }) => button === `declare-${written}`)
  if (offer === undefined) return null
  const taken = withOffer(form, offer)
  const variable = taken.variables.findIndex(({ name }) => name.trim() === offer.name)
  return { form: taken, focus: { variable, on: 'label' } }
}

/** A moved link takes the section that it is in, or is next to; link-list.js does the same. */
function amid(links: readonly LinkFields[], to: number, link: LinkFields): LinkFields {
  const sections = [links[to - 1], links[to]].flatMap((neighbour) => (neighbour === undefined ? [] : neighbour.section))
  return sections.includes(link.section) ? link : { ...link, section: sections[0] ?? '' }
}

/** A name that no section has. */
function newSection(links: readonly LinkFields[]): string {
  const taken = new Set(links.map(({ section }) => section.trim()))
  let name = 'New section'
  for (let n = 2; taken.has(name); n += 1) name = `New section ${n}`
  return name
}

function atLeastOne(links: LinkFields[]): LinkFields[] {
  return links.length === 0 ? [NEW_LINK] : links
}
