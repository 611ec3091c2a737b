import { type ConfigData, type DOMTree, type HtmlElement, HtmlValidate, type Plugin } from 'html-validate'

/** To find an element by its id, rules go through the document once for each reference: most of the time of a long one. */
const REMEMBERS: Plugin = {
  name: 'remembers',
  setup(_source, events) {
    events.on('dom:ready', (_event, { document }: { document: DOMTree }) => remember(document.root))
  },
}

const RULES: ConfigData = {
  root: true,
  plugins: [REMEMBERS],
  extends: ['html-validate:standard', 'html-validate:a11y', 'html-validate:document'],
  // Our scripts and styles are same-origin, where an integrity hash protects against nothing.
  rules: { 'require-sri': ['error', { target: 'crossorigin' }] },
}
const validator = new HtmlValidate(RULES)

/** Has a root that no longer changes find elements by their tag or id without looking at all of them again. */
function remember(root: HtmlElement): void {
  const byTag = new Map<string, HtmlElement[]>()
  const collect = root.getElementsByTagName.bind(root)
  root.getElementsByTagName = (tag) => {
    const known = byTag.get(tag) ?? collect(tag)
    byTag.set(tag, known)
    return known
  }
  const byId = Map.groupBy(collect('*'), ({ id }) => id)
  const query = root.querySelectorAll.bind(root)
  root.querySelectorAll = (selector) => {
    const [, id] = /^#([\w-]+)$/.exec(selector) ?? []
    return id === undefined ? query(selector) : (byId.get(id) ?? [])
  }
  root.querySelector = (selector) => root.querySelectorAll(selector)[0] ?? null
}

const checked = new Map<string, string[]>()

/** The html-validate errors of a document as sent, each with its line; checked once if it is sent again. */
export async function htmlErrorsOf(html: string): Promise<string[]> {
  const errors = checked.get(html) ?? (await validate(html))
  checked.set(html, errors)
  return errors
}

async function validate(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html)
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, line, message }) => `${ruleId} in line ${line}: ${message}`),
  )
}
