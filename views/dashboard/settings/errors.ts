export interface SettingsErrors {
  name?: string
  currentPassword?: string
  newPassword?: string
  form?: string
}
