/** @jsxImportSource @kitajs/html */

import { Icon } from '../../parts/icons.tsx'
import { type BuilderProps, idOf } from './parts.tsx'

interface AddButtonsProps {
  path: string
  builder: BuilderProps
  mayAdd: boolean
  mayGroup: boolean
}

/** The buttons that add a condition or a group. */
export function AddButtons({ path, builder, mayAdd, mayGroup }: AddButtonsProps): JSX.Element {
  const button = (action: string, text: 'Condition' | 'Group', focus: string) => (
    <button
      type="submit"
      class="quiet small"
      name="do"
      value={`${action} ${path}`}
      id={idOf(`${path}.${focus}`)}
      autofocus={builder.focus === `${path}.${focus}`}
    >
      <Icon name="plus" />
      {text}
    </button>
  )
  return (
    <div class="adds cluster">
      {mayAdd ? button('if.add', 'Condition', 'add') : ''}
      {mayGroup ? button('if.group', 'Group', 'group') : ''}
    </div>
  )
}
