/** @jsxImportSource @kitajs/html */

import { Field } from '../../parts/fields.tsx'

interface PasteBoxProps {
  /** Whether a bundle begins with it; else it is folded. */
  isFirst: boolean
  hasFocus: boolean
}

/** Takes any text with links in it. Its script makes rows of them as soon as something is pasted. */
export function PasteBox({ isFirst, hasFocus }: PasteBoxProps): JSX.Element {
  const box = (
    <Field id="more" label="Paste your links" labelClass={isFirst ? 'visually-hidden' : undefined}>
      <textarea
        id="more"
        name="more"
        rows={isFirst ? '5' : '4'}
        spellcheck="false"
        autocapitalize="off"
        dir="auto"
        autofocus={hasFocus}
        data-find-url="/found"
        placeholder={'Paste anything: a chat, an email, a list.\nWe find the links.'}
      ></textarea>
      <p>
        <button type="submit" name="do" value="paste" class="small">
          Add them
        </button>
      </p>
    </Field>
  )
  if (isFirst) return <div class="paste-box">{box}</div>
  return (
    <details class="more">
      <summary>Paste several</summary>
      {box}
    </details>
  )
}
