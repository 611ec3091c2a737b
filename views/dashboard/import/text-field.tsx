/** @jsxImportSource @kitajs/html */

import { described, FieldError, textareaContent } from '../../parts/fields.tsx'
import { type ImportForm, MAX_FILE } from './import-form.ts'

/** The file types that the dialog offers first. Other files are parsed too, or refused with advice on how to save them. */
const FILES =
  '.html,.htm,.csv,.tsv,.md,.markdown,.json,.jsonl,.txt,.yaml,.yml,.opml,.xml,.xbel,.url,.webloc,.org,application/json,text/*'

/** The text to import: typed, pasted or read from a file. */
export function TextField({ form: { text, error }, rows }: { form: ImportForm; rows: number }): JSX.Element {
  return (
    <div class="field">
      <label for="text">Paste or upload</label>
      <textarea
        id="text"
        name="text"
        data-rich=""
        rows={String(rows)}
        spellcheck="false"
        autocapitalize="off"
        {...described('text', error ?? undefined)}
        safe
      >
        {textareaContent(text)}
      </textarea>
      <FieldError id="text" error={error ?? undefined} />
      <p class="file cluster">
        <label for="file">
          Or choose a file<span class="drop">, or drop one on the field</span>
        </label>
        <input
          id="file"
          name="file"
          type="file"
          accept={FILES}
          data-max={String(MAX_FILE)}
          aria-describedby="file-status"
        />
        <span id="file-status" class="hint" role="status"></span>
      </p>
    </div>
  )
}

/** The message during waits of more than a second; its script fills it in. */
export function Working(): JSX.Element {
  return <span class="hint working" id="working" role="status"></span>
}
