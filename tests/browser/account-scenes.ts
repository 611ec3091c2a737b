import type { Page } from 'playwright-core'
import { askPath, beginDevice, newApp, newProof } from '../oauth.ts'
import { newPerson } from '../people.ts'
import { unsubscribeLinkOf } from '../unsubscribing.ts'
import { addSession } from './people.ts'
import type { Scene, World } from './scenes.ts'
import type { Team } from './team.ts'

/** Scenes of keys, webhooks, organisations and settings. */
export function accountScenes() {
  const as =
    (who: 'admin' | 'editor' | 'newcomer', path: (team: Team) => string): Scene =>
    async (page, { origin, team, newcomer }) => {
      await addSession(page.context(), who === 'newcomer' ? newcomer : team[who])
      await page.goto(origin + path(team))
    }
  const newKey = async (page: Page, world: World, limit: string) => {
    await as('admin', () => '/dashboard/keys/new')(page, world)
    await page.fill('#name', 'A scene of a key')
    await page.evaluate(() => document.querySelector('form.panel')?.setAttribute('novalidate', ''))
    await page.fill('#rateLimitPerHour', limit)
    await page.click('button.primary')
  }
  const organization =
    (rest = '') =>
    ({ id }: Team) =>
      `/dashboard/organizations/${id}${rest}`
  return {
    keys: as('admin', () => '/dashboard/keys'),
    'keys-empty': as('newcomer', () => '/dashboard/keys'),
    'keys-of-admins': as('editor', () => '/dashboard/keys'),
    'keys-new': as('admin', () => '/dashboard/keys/new'),
    'keys-wrong': async (page, world) => {
      await newKey(page, world, '100001')
      await page.waitForSelector('#rateLimitPerHour-error')
    },
    'keys-made': async (page, world) => {
      await newKey(page, world, '100')
      await page.waitForSelector('#key')
    },
    'connect-app': async (page, world) => {
      const redirect = 'http://127.0.0.1:7777/callback'
      const app = await newApp(world, { client_name: 'An agent of a scene', redirect_uris: [redirect] })
      await as('admin', () => askPath(app, newProof().challenge, { redirect_uri: redirect }))(page, world)
    },
    'connect-app-refused': async (page, world) => {
      const path = askPath(await newApp(world), newProof().challenge, { scope: 'everything' })
      await as('admin', () => path)(page, world)
    },
    device: as('admin', () => '/device'),
    'device-wrong': async (page, world) => {
      await as('admin', () => '/device')(page, world)
      await page.fill('#code', 'BCDF-GHJK')
      await page.click('main button.primary')
      await page.waitForSelector('#code-error')
    },
    'device-asked': async (page, world) => {
      const { body } = await beginDevice(world)
      await as('admin', () => '/device')(page, world)
      await page.fill('#code', body.user_code)
      await page.click('main button.primary')
      await page.waitForSelector('button[value=connect]')
    },
    'keys-revoke': as('admin', ({ keyId }) => `/dashboard/keys/${keyId}/revoke`),
    webhooks: as('admin', () => '/dashboard/webhooks'),
    'webhooks-empty': as('newcomer', () => '/dashboard/webhooks'),
    'webhooks-wrong': async (page, world) => {
      await as('admin', () => '/dashboard/webhooks/new')(page, world)
      await page.fill('#url', 'http://localhost:8080/')
      await page.click('button.primary')
      await page.waitForSelector('#url-error')
    },
    webhook: as('admin', () => '/dashboard/webhooks/wh_working'),
    'webhook-chat': as('admin', () => '/dashboard/webhooks/wh_paused'),
    'webhook-disabled': as('admin', () => '/dashboard/webhooks/wh_failing'),
    organizations: as('admin', () => '/dashboard/organizations'),
    'organizations-invited': as('editor', () => '/dashboard/organizations'),
    'organizations-empty': as('newcomer', () => '/dashboard/organizations'),
    organization: as('admin', organization()),
    'organization-as-editor': as('editor', organization()),
    'organization-move-empty': as('admin', organization('/move')),
    'organization-menu': async (page, world) => {
      await as('admin', organization())(page, world)
      await page.click('.person .menu summary')
    },
    'organization-remove': as('admin', (team) => organization(`/members/${team.editorMemberId}/remove`)(team)),
    'organization-leave': as('editor', organization('/leave')),
    'organization-delete': as('admin', organization('/delete')),
    settings: as('admin', () => '/dashboard/settings'),
    activity: as('editor', () => '/dashboard/settings/activity'),
    'activity-none': as('newcomer', () => '/dashboard/settings/activity?type=webhook'),
    'activity-of-organization': as('admin', organization('/activity')),
    'settings-without-password': as('editor', () => '/dashboard/settings'),
    'settings-delete': as('editor', () => '/dashboard/settings/delete'),
    'settings-delete-blocked': as('admin', () => '/dashboard/settings/delete'),
    unsubscribe: (page, { server, team }) => page.goto(unsubscribeLinkOf(server, team.admin)),
    unsubscribed: async (page, { server }) => {
      await page.goto(unsubscribeLinkOf(server, await newPerson(server)))
      await page.click('button.primary')
      await page.getByRole('heading', { name: 'You won’t get these emails' }).waitFor()
    },
    'unsubscribe-invalid': (page, { origin }) => page.goto(`${origin}/unsubscribe/a-token-of-a-scene`),
    'password-by-mail': (page, { origin }) => page.goto(`${origin}/password/a-token-of-a-scene`),
  } satisfies Record<string, Scene>
}
