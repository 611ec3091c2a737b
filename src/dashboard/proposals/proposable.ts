import type { FormContent, FormInput } from '../editor/bundle-form.ts'

/** What of a form can be proposed: who may see a bundle is for its editors to decide, on its own page. */
export function proposable({ access: _, password: __, ...content }: FormInput): Omit<FormContent, 'access'> {
  return content
}
