import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { fieldsIn } from '../form.ts'
import { startInProcess } from '../in-process.ts'
import { Visitor } from '../people.ts'
import { WITHOUT_LIMITS } from '../security/callers.ts'
import { type Furnished, furnish } from '../security/furnished.ts'
import { pagesFor } from '../security/routes.ts'
import type { Server } from '../server.ts'
import { htmlErrorsOf } from '../valid-html.ts'

/** Typed into every empty field: valid in hardly any, and markup if it is not escaped. */
const ODD = `no & "good" <x>'`

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(180_000)
let server: Server
let ann: Furnished
let pages: string[]
beforeAll(async () => {
  server = await startInProcess(WITHOUT_LIMITS)
  ann = await furnish(server, (place) => `${place} & <b>"text"</b>`)
  pages = await pagesFor(server, ann.person, ann.values)
})
afterAll(async () => {
  await server.stop()
})

test('every page is valid HTML, for its owner and for a stranger', async () => {
  const missing = ['/nothing-here', '/l/nothing-here', '/claim/x', '/dashboard/nothing-here']
  const wrong: unknown[] = []
  for (const by of [ann.person, new Visitor(server)]) {
    for (const path of [...pages, ...missing]) {
      const answer = await by.fetch(path)
      const html = await answer.text()
      // A redirect has no page, and files of bookmarks have a format of their own.
      if (html === '' || answer.headers.has('content-disposition')) continue
      const errors = await htmlErrorsOf(html)
      if (errors.length > 0) wrong.push([path, answer.status, errors])
    }
  }
  expect(wrong).toEqual([])
  expect(pages.length).toBeGreaterThan(40)
})

test('every answer to a form is valid HTML, also with errors', async () => {
  const wrong: unknown[] = []
  const refused = new Set<string>()
  const stranger = new Visitor(server)
  // The dashboard first: a password that is set by mail signs out.
  for (const path of pages.toSorted()) {
    const by = path.startsWith('/dashboard') ? ann.person : stranger
    const html = await (await by.fetch(path)).text()
    for (const [form, tag] of html.matchAll(/(<form[^>]* method="post"[^>]*>).*?<\/form>/gs)) {
      const action = /action="(\/[^"]*)"/.exec(tag ?? '')?.[1] ?? path
      const fields = fieldsIn(form)
      if (fields.every(([, value]) => value !== '')) continue
      // What is pasted into the editor is listed before anything else is looked at.
      const isPasted = fields.some(([name]) => name === 'more')
      for (const pasted of isPasted ? [ODD, ''] : ['']) {
        const typed = fields.map(([name, value]): [string, string] => {
          return [name, name === 'more' ? pasted : value === '' ? ODD : value]
        })
        const answer = await by.form(action, Object.fromEntries(typed))
        const body = await answer.text()
        if (answer.status >= 400) refused.add(action)
        const errors = body === '' ? [] : await htmlErrorsOf(body)
        if (errors.length > 0) wrong.push([action, answer.status, errors])
      }
    }
  }
  expect(wrong).toEqual([])
  expect(refused.size).toBeGreaterThan(12)
})
