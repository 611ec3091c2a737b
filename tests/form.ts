import { unescaped } from './contract/html.ts'
import type { Visitor } from './people.ts'

/** The fields of the forms in a page with their values, in order, as a browser would submit them without a button. */
export function fieldsIn(html: string): [string, string][] {
  const fields: [string, string][] = []
  let select: { name: string; values: string[]; chosen: string | null } | null = null
  let text: { name: string; value: string } | null = null
  const rewriter = new HTMLRewriter()
    .on('input[name]', {
      element(input) {
        const type = input.getAttribute('type') ?? 'text'
        if (type === 'checkbox' && input.getAttribute('checked') === null) return
        fields.push([read(input, 'name'), read(input, 'value')])
      },
    })
    .on('select[name]', {
      element(element) {
        const opened = { name: read(element, 'name'), values: [] as string[], chosen: null as string | null }
        select = opened
        element.onEndTag(() => {
          fields.push([opened.name, opened.chosen ?? opened.values[0] ?? ''])
          select = null
        })
      },
    })
    .on('option', {
      element(option) {
        if (select === null) return
        select.values.push(read(option, 'value'))
        if (option.getAttribute('selected') !== null) select.chosen = read(option, 'value')
      },
    })
    .on('textarea[name]', {
      element(element) {
        const opened = { name: read(element, 'name'), value: '' }
        text = opened
        element.onEndTag(() => {
          fields.push([opened.name, unescaped(opened.value).replace(/^\n/, '').replace(/\r?\n/g, '\r\n')])
          text = null
        })
      },
      text(chunk) {
        if (text !== null) text.value += chunk.text
      },
    })
  rewriter.transform(html.replace(/<template[^>]*>.*?<\/template>/gs, ''))
  return fields
}

/** The same of one form, by its id, with the fields above it that belong to it by `form`. */
export function fieldsOf(html: string, id: string): [string, string][] {
  const [whole = '', inside = ''] = new RegExp(`<form[^>]* id="${id}"[^>]*>([\\s\\S]*?)</form>`).exec(html) ?? []
  const above = html.slice(0, html.indexOf(whole))
  const apart = above.match(
    new RegExp(`<input[^>]* form="${id}"[^>]*>|<textarea[^>]* form="${id}"[^>]*>[\\s\\S]*?</textarea>`, 'g'),
  )
  return fieldsIn([...(apart ?? []), inside].join(''))
}

function read(element: HTMLRewriterTypes.Element, name: string): string {
  return unescaped(element.getAttribute(name) ?? '')
}

/** Body and headers of a `multipart/form-data` form with these fields. */
export function multipart(fields: readonly (readonly [string, string])[]) {
  const boundary = 'a-boundary-of-the-tests'
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return {
    body: `${parts.join('')}--${boundary}--\r\n`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}

/** Imports what a page of the import found in a text; returns the slug of the first bundle, or `''`. */
export async function confirmImport(by: Visitor, page: string, text: string): Promise<string> {
  return /\/dashboard\/links\/([a-z0-9]{10})"/.exec(await sendImport(by, page, text))?.[1] ?? ''
}

/** The same; returns the next page. */
export async function sendImport(by: Visitor, page: string, text: string): Promise<string> {
  const body = new URLSearchParams([
    ...fieldsIn(page).filter(([name]) => name !== 'text' && name !== 'q'),
    ['text', text],
    ['do', 'make'],
  ])
  const made = await by.fetch('/dashboard/links/import', {
    method: 'POST',
    body: body.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  return made.text()
}
