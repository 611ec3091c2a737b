/** Errors of the settings forms, by field. */
export interface SettingsErrors {
  name?: string
  currentPassword?: string
  newPassword?: string
  form?: string
}
