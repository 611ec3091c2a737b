/** The tabs of Settings. */
export const SETTINGS_PAGES = [
  { href: '/dashboard/settings', name: 'Account' },
  { href: '/dashboard/settings/activity', name: 'Activity' },
] as const
