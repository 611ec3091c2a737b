/** @jsxImportSource @kitajs/html */

import { described, FieldError, textareaContent } from '../../parts/fields.tsx'
import type { ImportForm } from './import-form.ts'

/** The text to import: typed, pasted or read from a file. */
export function TextField({ form: { text, error }, rows }: { form: ImportForm; rows: number }): JSX.Element {
  return (
    <div class="field">
      <label for="text">Paste or upload</label>
      <textarea
        id="text"
        name="text"
        rows={String(rows)}
        required
        spellcheck="false"
        autocapitalize="off"
        {...described('text', error ?? undefined)}
        safe
      >
        {textareaContent(text)}
      </textarea>
      <FieldError id="text" error={error ?? undefined} />
      <p class="file cluster scripted">
        <label for="file">
          Or choose a file<span class="drop">, or drop one on the field</span>
        </label>
        <input id="file" type="file" accept=".html,.htm,.csv,.tsv,.md,.markdown,.json,.txt,application/json,text/*" />
        <span id="file-status" class="hint" role="status"></span>
      </p>
    </div>
  )
}
