/** @jsxImportSource @kitajs/html */

import { BOUNDS, NOTHING } from '../../../src/bundles/content/content.ts'
import { withTexts } from '../../../src/bundles/links/link-fields.ts'
import { declaredBy, isDeclaration, type Offer, offersIn, taken } from '../../../src/bundles/variables/placeholders.ts'
import type { ImportedBundle, ImportedLink } from '../../../src/imports/plan.ts'
import { attribute, Each } from '../../parts/layout.tsx'
import { CAN_BE_FILLED, IS_FILLED, KEEP, STAYS } from '../../parts/names-in-links.tsx'
import type { ImportForm } from './import-form.ts'

/** What becomes of names in braces, and what could become variables, in the links of a bundle of the plan. */
interface Found {
  declared: readonly string[]
  left: readonly string[]
  offers: readonly Offer[]
}

const urlsOf = (links: readonly ImportedLink[]) => links.map(({ url }) => url)

/** Nothing, if the file says which variables the bundle has. */
export function foundIn({ links, variables }: ImportedBundle): Found {
  if (variables !== undefined) return { declared: [], left: [], offers: [] }
  const urls = urlsOf(links)
  const found = declaredBy({ ...NOTHING, urls })
  const declared = found.variables.map(({ name }) => name)
  const offers = offersIn(urls, declared, BOUNDS.variables).filter((offer) => !isDeclaration(offer))
  return { declared, left: found.left, offers }
}

/** The value of a choice about a name in a bundle. */
const choiceOf = (bundle: number, name: string) => `${bundle}.${name}`

/** The bundle as chosen: with offers taken, and without the variables that stay text. */
export function asChosen(
  bundle: ImportedBundle,
  index: number,
  { plain, filled }: Pick<ImportForm, 'plain' | 'filled'>,
): ImportedBundle {
  const { declared, offers } = foundIn(bundle)
  const chosen = offers.filter(({ written }) => filled.has(choiceOf(index, written)))
  const take = (text: string) => chosen.reduce(taken, text)
  const links = bundle.links.map((link) => ({ ...link, url: take(link.url), metadata: withTexts(link.metadata, take) }))
  const kept = new Set(declared.filter((name) => plain.has(choiceOf(index, name))))
  if (kept.size === 0) return { ...bundle, links }
  return { ...bundle, links, variables: declaredBy({ ...NOTHING, urls: urlsOf(links) }, kept).variables }
}

interface NamesProps {
  form: Pick<ImportForm, 'plain' | 'filled'>
  found: Found
  bundle: number
  link: number
  /** The names in braces that occur in no link above. */
  own: readonly string[]
}

/** Explains the names in a link, each with a choice. */
export function PlannedNames({ form, found: { declared, left, offers }, bundle, link, own }: NamesProps): JSX.Element {
  return (
    <>
      <Each
        of={own.filter((name) => declared.includes(name) || left.includes(name))}
        show={(name) => (
          <p class="hint said">
            <span>
              <code safe>{`{${name}}`}</code>
              {declared.includes(name) ? IS_FILLED : STAYS}
            </span>
            {declared.includes(name) && (
              <Choice name="plain" value={choiceOf(bundle, name)} chosen={form.plain} label={KEEP} />
            )}
          </p>
        )}
      />
      <Each
        of={offers.filter(({ links: [first] }) => first === link)}
        show={({ written, name }) => (
          <p class="hint said">
            <span>
              <code safe>{written}</code>
              {CAN_BE_FILLED}
            </span>
            <Choice name="filled" value={choiceOf(bundle, written)} chosen={form.filled} label={`Make it {${name}}`} />
          </p>
        )}
      />
    </>
  )
}

interface ChoiceProps {
  name: 'plain' | 'filled'
  value: string
  chosen: ReadonlySet<string>
  label: string
}

function Choice({ name, value, chosen, label }: ChoiceProps): JSX.Element {
  return (
    <label>
      <input type="checkbox" name={name} value={attribute(value)} checked={chosen.has(value)} />
      <span safe>{label}</span>
    </label>
  )
}
