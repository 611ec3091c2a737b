import { type ConfigData, HtmlValidate } from 'html-validate'

const RULES: ConfigData = {
  root: true,
  extends: ['html-validate:standard', 'html-validate:a11y', 'html-validate:document'],
  // Our scripts and styles are same-origin, where an integrity hash protects against nothing.
  rules: { 'require-sri': ['error', { target: 'crossorigin' }] },
}
const validator = new HtmlValidate(RULES)

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
