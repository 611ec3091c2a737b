/** What is wrong with a form of the page, by its field. */
export interface SettingsErrors {
  name?: string
  currentPassword?: string
  newPassword?: string
  form?: string
}
