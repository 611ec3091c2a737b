/** @jsxImportSource @kitajs/html */

import { guideGroups } from '../../../src/api/guides.ts'
import { routes } from '../../../src/core/routes.ts'

/** A section of a guide. */
export interface Heading {
  id: string
  text: string
}

/** All guides in their groups. @param open the guide that is read, with its sections. */
export function GuideList({ open }: { open?: { guide: string; sections: readonly Heading[] } }): JSX.Element {
  return (
    <ul>
      {guideGroups().map(({ group, guides }) => (
        <li>
          <p class="label" safe>
            {group}
          </p>
          <ul>
            {guides.map(({ guide, title }) => (
              <li>
                <a
                  href={routes.docs.guide.href({ guide })}
                  aria-current={guide === open?.guide ? 'page' : undefined}
                  safe
                >
                  {title}
                </a>
                {guide === open?.guide && open.sections.length > 0 && <Sections sections={open.sections} />}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

function Sections({ sections }: { sections: readonly Heading[] }): JSX.Element {
  return (
    <ul>
      {sections.map(({ id, text }) => (
        <li>
          <a href={`#${id}`} safe>
            {text}
          </a>
        </li>
      ))}
    </ul>
  )
}
