/** The messages that a page can open with, by the value of the query parameter `notice`. */
export const MESSAGES = {
  created: 'Bundle created.',
  exampleCopied: 'This bundle is yours now. Replace the links with your own, then share it.',
  saved: 'Saved',
  unchanged: 'No changes to save.',
  proposed: 'Suggestion sent. An editor will review it.',
  accepted: 'Accepted',
  rejected: 'Suggestion rejected. The bundle hasn’t changed.',
  withdrawn: 'Suggestion withdrawn.',
  deleted: 'Bundle deleted. Its link no longer works.',
  restored: 'Bundle restored. Its link works again.',
  reverted: 'The earlier version is back',
  cleared: 'Rules cleared, so everyone gets the default tabs',
  keyRevoked: 'API key revoked. It no longer works.',
  keyMadeBefore:
    'You already created this key, and it was shown then. If you didn’t copy it, revoke it and create another.',
  webhookMadeBefore:
    'You already created this webhook, and its secret was shown then. If you didn’t copy it, delete it and create another.',
  webhookMade: 'Webhook created. Send a test message to see that it arrives.',
  webhookSaved: 'Webhook saved.',
  webhookEnabled: 'Webhook enabled. Waiting events are being sent.',
  webhookDisabled: 'Webhook disabled.',
  webhookDeleted: 'Webhook deleted.',
  testSent: 'Test message sent. Reload this page to see how it went.',
  redelivered: 'Sent again. Reload this page to see how it went.',
  organizationMade: 'Organisation created. It’s now your current workspace.',
  organizationDeleted: 'Organisation deleted.',
  invited: 'Invitation on its way. It can take a few minutes.',
  invitationCanceled: 'Invitation revoked. Its link no longer works.',
  roleChanged: 'Role changed.',
  memberRemoved: 'Member removed.',
  left: 'You’ve left the organisation.',
  settingsSaved: 'Settings saved.',
  verificationSent: 'Email on its way: it can take a few minutes. Open the link in it to confirm your address.',
  passwordChanged: 'Password changed. All other browsers are signed out.',
  passwordMailSent: 'Email on its way: it can take a few minutes. Open the link in it to choose a new password.',
  sessionEnded: 'Browser signed out.',
  sessionsEnded: 'All other browsers are signed out.',
  signedUp: 'Welcome! Your account is ready.',
  joined: 'You’ve joined the organisation.',
  pinned: 'Pinned to the top of your list. Only you see it there.',
  pinnedForEveryone: 'Pinned to the top of the start page, for everyone.',
  unpinned: 'Unpinned.',
  renamed: 'Link changed. The old one still leads here.',
  moved: 'Bundle moved. Its link stays the same.',
  movedAll: 'Selected bundles moved. Their links stay the same.',
  replaced: 'Link replaced. Each change is a version.',
  taggedAll: 'Tag added to every link of the selected bundles.',
  deletedAll: 'Selected bundles deleted. Their links no longer work.',
  restoredAll: 'Selected bundles restored. Their links work again.',
} as const

export type FlashName = keyof typeof MESSAGES

/** The address of a page that opens with a message; `slug` in `more` is the bundle it concerns. */
export function withFlash(path: string, name: FlashName, more: Record<string, string> = {}): string {
  const [pathname = '', query = ''] = path.split('?')
  const search = new URLSearchParams(query)
  search.set('notice', name)
  for (const key in more) search.set(key, more[key]!)
  return `${pathname}?${search}`
}
