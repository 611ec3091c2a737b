import type { BrowserContext, Page } from 'playwright-core'
import type { CreatedBundle } from '../../src/bundles/content/answers.ts'
import { actFor, newOrganization, newPerson, type Person } from '../people.ts'
import type { Server } from '../server.ts'
import { accountScenes } from './account-scenes.ts'
import { CUSTOMER, CUSTOMER_RULED, ODD, ONBOARDING, RULES } from './bundles.ts'
import { entryScenes } from './entry-scenes.ts'
import { expand } from './links.ts'
import { makeBroken, makeCounts, makeHistory } from './past.ts'
import { addSession } from './people.ts'
import { createBundle } from './service.ts'
import { ODD_NAME, PICTURE, prepareTeam, type Team } from './team.ts'
import { DESK } from './variables.ts'

/** The data that scenes need: anonymous bundles, and people with dashboards. */
export interface World {
  server: Server
  origin: string
  onboarding: CreatedBundle
  odd: CreatedBundle
  /** Has bundles of every kind, the odd one newest, and is admin of an organisation. */
  owner: Person
  /** The slugs of the owner's onboarding bundle and of the odd one. */
  slug: string
  oddSlug: string
  /** The slug of the owner's bundle with rules. */
  ruledSlug: string
  /** A person without bundles. */
  newcomer: Person
  team: Team
}

/** Creates the data for the scenes. */
export async function prepareWorld(server: Server): Promise<World> {
  const { origin } = server
  const [owner, newcomer] = [await newPerson(server), await newPerson(server)]
  await newOrganization(owner)
  for (let n = 1; n <= 24; n += 1) await owner.makeBundle({ title: `Reading list ${n}` })
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { slug: ruledSlug } = await owner.makeBundle({ ...ONBOARDING, resolutionPolicy: RULES })
  const { slug: oddSlug } = await owner.makeBundle({ ...ODD })
  await makeHistory(owner, slug, oddSlug)
  await makeCounts(server, slug)
  const [onboarding, odd] = [await createBundle(origin, ONBOARDING), await createBundle(origin, ODD)]
  const team = await prepareTeam(server)
  return { server, origin, onboarding, odd, owner, slug, oddSlug, ruledSlug, newcomer, team }
}

const CHAT = `Hi all, reading for Monday:
[10:02] Dana Reyes: morning! agenda is here https://docs.northwind.example/d/1a2b3c, please read
[10:03] Sam: https://github.com/northwind/app/pull/42
[10:05] Sam: and the board https://linear.app/northwind/board
[10:06] Kim: https://wiki.northwind.example/a/very/long/path/that/goes/on?with=query&and=more
see you there
[10:09] Kim: https://crm.northwind.example/{customer} ${'a very long title '.repeat(8)}`

const LOCKED = { ...ONBOARDING, access: 'password', password: 'four stairs down' }

async function lockedLink({ owner }: World): Promise<string> {
  return (await owner.makeBundle(LOCKED)).url
}

export type Scene = (page: Page, world: World) => Promise<unknown>

/** Every page, in the states that are checked and photographed. */
export const scenes = {
  launcher: (page, { onboarding }) => page.goto(onboarding.url),
  'launcher-opened': async (page, { onboarding }) => {
    await page.addInitScript("window.open = window.open.bind(window, 'about:blank')")
    await page.goto(onboarding.url)
    await page.click('#open')
    await page.locator('#again').waitFor()
  },
  'launcher-blocked': async (page, { onboarding }) => {
    await blockNetwork(page.context())
    await page.goto(onboarding.url)
    await page.click('#open')
    await page.bringToFront()
  },
  'launcher-qr': async (page, { onboarding }) => {
    await page.goto(onboarding.url)
    await page.click('.qr summary')
  },
  'launcher-odd': (page, { odd }) => page.goto(odd.url),
  'launcher-owned': (page, { origin, slug }) => page.goto(`${origin}/l/${slug}`),
  'launcher-closed': async (page, { owner }) =>
    page.goto((await owner.makeBundle({ ...ONBOARDING, opensAt: '2099-12-24T18:00:00Z' })).url),
  'variables-blank': async (page, { origin }) => page.goto((await createBundle(origin, DESK)).url),
  'variables-filled': async (page, { origin }) => page.goto(`${(await createBundle(origin, DESK)).url}/4711`),
  'variables-wrong': async (page, { origin }) =>
    page.goto(`${(await createBundle(origin, DESK)).url}?customer=${'very-long-'.repeat(21)}&range=9d`),
  'variables-odd': async (page, { origin }) =>
    page.goto(`${(await createBundle(origin, DESK)).url}?customer=${'very-long-'.repeat(20)}&range=30d`),
  remind: (page, { onboarding }) => page.goto(`${onboarding.url}/remind`),
  'remind-made': async (page, { origin }) =>
    page.goto(
      `${(await createBundle(origin, DESK)).url}/remind?customer=4711&every=week&days=mon&days=wed&at=09:00&zone=Europe/Berlin`,
    ),
  'remind-wrong': (page, { odd }) => page.goto(`${odd.url}/remind?every=week&at=&zone=Nowhere`),
  'start-page': async (page, world) => page.goto((await startPageOf(world)).start),
  'launcher-of-organization': async (page, world) => page.goto((await startPageOf(world)).launcher),
  report: (page, { onboarding }) => page.goto(`${onboarding.url}/report`),
  copy: async (page, { owner }) => {
    const { url } = await owner.makeBundle({ ...ODD, copyable: true })
    await page.goto(url)
    await page.getByRole('link', { name: 'Make a copy' }).click()
    await page.locator('.more summary').click()
  },
  locked: async (page, world) => {
    await page.goto(await lockedLink(world))
    await page.fill('#password', 'three stairs down')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.locator('#password-error').waitFor()
  },
  unlocked: async (page, world) => {
    await page.goto(await lockedLink(world))
    await page.fill('#password', LOCKED.password)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.locator('#open').waitFor()
  },
  home: (page, { origin }) => page.goto(origin),
  'home-list': async (page, { origin }) => {
    await page.goto(origin)
    await page.fill('#urls', CHAT)
    await page.getByRole('button', { name: 'Remove The board' }).click()
    await page.locator('.found-row .gone').waitFor()
  },
  'home-errors': (page, world) => paste(page, world, 'Nothing to open here'),
  'home-too-many': (page, world) =>
    paste(page, world, Array.from({ length: 26 }, (_, n) => `https://example.com/${n}`).join('\n')),
  result: (page, world) => paste(page, world, 'https://example.com/agenda\nTeam notes | https://notes.example.com'),
  missing: (page, { origin }) => page.goto(`${origin}/l/nothing-here`),
  docs: (page, { origin }) => page.goto(`${origin}/docs`),
  guide: (page, { origin }) => page.goto(`${origin}/docs/cookbook`),
  found: (page, { origin }) => page.goto(`${origin}/docs?q=variables+of+a+link`),
  privacy: (page, { origin }) => page.goto(`${origin}/privacy`),
  'docs-tried': async (page, { origin }) => {
    await page.goto(`${origin}/docs#create_bundle`)
    await page.click('#create_bundle .try summary')
    await page.click('#create_bundle .try button')
    await page.waitForSelector('#create_bundle .outcome .status')
  },
  dashboard: (page, world) => asOwner(page, world, '/dashboard'),
  'dashboard-menu': async (page, world) => {
    await asOwner(page, world, '/dashboard')
    await page.click('.row .menu summary')
  },
  'dashboard-chosen': async (page, world) => {
    await asOwner(page, world, '/dashboard')
    await page.locator('.row input[name=slug]').first().check()
  },
  palette: async (page, world) => {
    await asOwner(page, world, '/dashboard')
    await page.keyboard.press('Control+k')
    await page.locator('#palette-count').getByText('results').waitFor()
  },
  shortcuts: async (page, world) => {
    await asOwner(page, world, '/dashboard')
    await page.keyboard.press('?')
    await page.locator('#shortcuts[open]').waitFor()
  },
  'dashboard-nothing-found': (page, world) => asOwner(page, world, '/dashboard?q=nothing+like+it'),
  'dashboard-empty': async (page, { newcomer, origin }) => {
    await addSession(page.context(), newcomer)
    await page.goto(`${origin}/dashboard`)
  },
  versions: (page, world) => asOwner(page, world, `/dashboard/links/${world.slug}/versions?version=3`),
  'versions-first': (page, world) => asOwner(page, world, `/dashboard/links/${world.ruledSlug}/versions`),
  'versions-compared': (page, world) => asOwner(page, world, `/dashboard/links/${world.slug}/versions?from=4&to=5`),
  'versions-wrong': (page, world) => asOwner(page, world, `/dashboard/links/${world.slug}/versions?from=0&to=99`),
  'versions-odd': (page, world) => asOwner(page, world, `/dashboard/links/${world.oddSlug}/versions?version=1`),
  overview: (page, world) => asOwner(page, world, '/dashboard/overview?chart=open-all'),
  'overview-empty': async (page, { newcomer, origin }) => {
    await addSession(page.context(), newcomer)
    await page.goto(`${origin}/dashboard/overview`)
  },
  insights: async (page, world) => {
    await asOwner(page, world, `/dashboard/links/${world.slug}/insights`)
    await page
      .locator('.chart .hit')
      .nth(20)
      .hover({ position: { x: 4, y: 60 } })
  },
  'insights-90-days': (page, world) => asOwner(page, world, `/dashboard/links/${world.slug}/insights?range=90d`),
  'insights-empty': (page, world) => asOwner(page, world, `/dashboard/links/${world.oddSlug}/insights`),
  'bundle-new': (page, world) => asOwner(page, world, '/dashboard/links/new'),
  bundle: (page, world) => asOwner(page, world, `/dashboard/links/${world.slug}`),
  'bundle-odd': (page, world) => asOwner(page, world, `/dashboard/links/${world.oddSlug}`),
  'bundle-errors': async (page, world) => {
    await asOwner(page, world, `/dashboard/links/${world.slug}`)
    await expand(page, 1, 3)
    await page.locator('.link-row [name=url]').nth(1).fill('ftp://files.example.com')
    await page.locator('.link-row').nth(3).getByRole('button', { name: 'Remove' }).click()
    await page.locator('.link-row .error').waitFor()
  },
  'bundle-conflict': async (page, world) => {
    const { slug } = await world.owner.makeBundle({ ...ONBOARDING })
    await asOwner(page, world, `/dashboard/links/${slug}`)
    const urls = [...ONBOARDING.urls.slice(1), 'https://wiki.northwind.example/']
    await world.owner.api('PATCH', `/api/links/${slug}`, { title: 'Week one at Northwind', urls })
    await page.fill('#title', 'Welcome to Northwind')
    await page.locator('.save-bar .primary').click()
    await page.locator('.conflict').waitFor()
  },
  'bundle-variables': async (page, world) => {
    const { slug } = await world.owner.makeBundle(CUSTOMER)
    await asOwner(page, world, `/dashboard/links/${slug}`)
    await expand(page, 1)
  },
  'bundle-access': async (page, world) => {
    const { slug } = await world.owner.makeBundle(LOCKED)
    await asOwner(page, world, `/dashboard/links/${slug}`)
  },
  'bundle-broken': async (page, world) => {
    const { person, slug } = await personWithBroken(world)
    await addSession(page.context(), person)
    await page.goto(`${world.origin}/dashboard/links/${slug}`)
  },
  'dashboard-broken': async (page, world) => {
    const { person } = await personWithBroken(world)
    await addSession(page.context(), person)
    await page.goto(`${world.origin}/dashboard?health=broken`)
  },
  replace: (page, world) => asOwner(page, world, '/dashboard/replace?from=https://wiki.example/'),
  'replace-found': async (page, world) => {
    await asOwner(page, world, `/dashboard/replace?${new URLSearchParams({ from: ONBOARDING.urls[0]! })}`)
    await page.fill('#to', 'https://wiki.northwind.example/start')
    await page.click('button[value=look]')
    await page.locator('button[value=replace]').waitFor()
  },
  'bundle-rename-wrong': async (page, world) => {
    await asOwner(page, world, `/dashboard/links/${world.slug}/rename`)
    await page.fill('#newSlug', 'No slug!')
    await page.locator('#newSlug-error').waitFor()
  },
  'bundle-move': (page, world) => asOwner(page, world, `/dashboard/links/${world.oddSlug}/move`),
  'bundles-move': async (page, world) => {
    await asOwner(page, world, '/dashboard')
    for (const nth of [0, 1]) await page.locator('.row input[name=slug]').nth(nth).check()
    await page.click('#bulk button[value=move]')
    await page.locator('input[name=to]').waitFor()
  },
  'bundle-move-wrong': async (page, world) => {
    const { person, slug } = await movingPerson(world)
    await person.api('POST', '/api/auth/organization/create', { name: ODD_NAME, slug: crypto.randomUUID() })
    await addSession(page.context(), person)
    await page.goto(`${world.origin}/dashboard/links/${slug}/move`)
    await page.evaluate(() => document.querySelector('form.panel')?.setAttribute('novalidate', ''))
    await page.click('button.primary')
    await page.waitForSelector('#to-error')
  },
  'bundle-move-nowhere': async (page, { newcomer, origin }) => {
    const { slug } = await newcomer.makeBundle()
    await addSession(page.context(), newcomer)
    await page.goto(`${origin}/dashboard/links/${slug}/move`)
    await newcomer.api('DELETE', `/api/links/${slug}`)
  },
  'organization-move': async (page, world) => {
    const { person, id } = await movingPerson(world)
    await addSession(page.context(), person)
    await page.goto(`${world.origin}/dashboard/organizations/${id}/move?notice=organizationMade`)
  },
  'proposals-empty': async (page, { newcomer, origin }) => {
    await addSession(page.context(), newcomer)
    await page.goto(`${origin}/dashboard/proposals`)
  },
  'proposal-conflict': async (page, world) => asOwner(page, world, await conflictingProposal(world)),
  'proposal-edit': async (page, world) => asOwner(page, world, `${await conflictingProposal(world)}/edit`),
  import: (page, world) => asOwner(page, world, '/dashboard/links/import'),
  'import-plan': (page, world) => planImport(page, world),
  imported: async (page, world) => {
    await planImport(page, world)
    await page.getByRole('button', { name: 'Create 2 bundles' }).click()
    await page.locator('.made').waitFor()
  },
  rules: (page, world) => asOwner(page, world, `/dashboard/links/${world.ruledSlug}/policy`),
  'rules-open': async (page, world) => {
    await asOwner(page, world, `/dashboard/links/${world.ruledSlug}/policy`)
    await page.click('#rules-0-edit')
    await page.waitForSelector('#rules-0-name')
    await page.locator('.custom > summary').click()
    await page.check('[name="viewer.signedIn"]')
    await page.fill('#viewer-emailDomain', 'mail.northwind.example')
    await page.selectOption('#viewer-device', 'mobile')
    await page.waitForSelector('.outcome.yes')
  },
  'rules-json': async (page, world) => {
    await asOwner(page, world, `/dashboard/links/${world.ruledSlug}/policy`)
    await page.click('button[value=json]')
    await page.waitForSelector('#json')
  },
  'rules-variables': async (page, world) => {
    const { slug } = await world.owner.makeBundle(CUSTOMER_RULED)
    await asOwner(page, world, `/dashboard/links/${slug}/policy`)
    await page.click('#rules-0-edit')
    await page.waitForSelector('#rules-0-name')
    await page.fill('#viewer-values-customer', 'EU-4711')
    await page.waitForSelector('.outcome.yes')
  },
  'rules-odd': (page, world) => asOwner(page, world, `/dashboard/links/${world.oddSlug}/policy`),
  'rules-empty': async (page, world) => {
    const { slug } = await world.owner.makeBundle({ ...ONBOARDING })
    await asOwner(page, world, `/dashboard/links/${slug}/policy`)
  },
  'rules-conflict': async (page, world) => {
    const { slug } = await world.owner.makeBundle({ ...ONBOARDING, resolutionPolicy: RULES })
    await asOwner(page, world, `/dashboard/links/${slug}/policy`)
    await world.owner.api('PATCH', `/api/links/${slug}`, {
      resolutionPolicy: { ...RULES, rules: RULES?.rules.slice(1) },
    })
    await page.click('#rules-1-up')
    await page.locator('#unsaved a').waitFor()
    await page.click('button[value=save]')
    await page.locator('.conflict').waitFor()
  },
  ...accountScenes(),
  ...entryScenes(),
} satisfies Record<string, Scene>

/** Somebody with a bundle in which a link is broken, and another has moved. */
async function personWithBroken({ server }: World) {
  const person = await newPerson(server)
  await person.makeBundle()
  const { slug } = await person.makeBundle({ ...ONBOARDING })
  await makeBroken(server, slug, ONBOARDING.urls)
  return { person, slug }
}

/** Somebody with bundles of their own and a new organisation. */
async function movingPerson({ server }: World) {
  const person = await newPerson(server)
  const { slug } = await person.makeBundle({ ...ONBOARDING })
  await person.makeBundle({ ...ODD })
  await person.makeBundle({ title: null })
  const { id } = await newOrganization(person)
  return { person, slug, id }
}

/** The start page of a new organisation with a picture: bundles of all kinds, one pinned; and the launcher of that one. */
async function startPageOf({ server, origin }: World): Promise<{ start: string; launcher: string }> {
  const admin = await newPerson(server)
  const { id } = await newOrganization(admin)
  await actFor(admin, id)
  const handle = `northwind-${id.toLowerCase().replace(/[^a-z0-9]/g, '')}`.slice(0, 40)
  await admin.api('PATCH', `/api/organizations/${id}`, { handle, name: 'Northwind', color: 'teal', picture: PICTURE })
  const tags = [{ tags: ['on-call', 'every-morning'] }]
  await admin.makeBundle({ ...ODD, listed: true })
  await admin.makeBundle({ ...CUSTOMER, listed: true })
  await admin.makeBundle({ title: 'Checkout is down', listed: true, urlMetadata: tags })
  const { slug } = await admin.makeBundle({ ...ONBOARDING, listed: true })
  await admin.api('POST', `/api/links/${slug}/pin`, { forEveryone: true })
  return { start: `${origin}/o/${handle}`, launcher: `${origin}/l/${slug}` }
}

/** A proposal for a bundle that was edited since. @returns its page. */
async function conflictingProposal({ owner }: World): Promise<string> {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const path = `/links/${slug}/proposals`
  const fields = {
    title: 'Welcome to Northwind',
    description: null,
    urls: ONBOARDING.urls.slice(1),
    reason: 'Shorter.',
  }
  const { body } = await owner.api<{ id: string }>('POST', `/api${path}`, fields)
  await owner.api('PATCH', `/api/links/${slug}`, { title: 'Week one at Northwind' })
  return `/dashboard${path}/${body.id}`
}

async function planImport(page: Page, world: World): Promise<void> {
  await asOwner(page, world, '/dashboard/links/import')
  const [first = '', ...urls] = ONBOARDING.urls
  await page.fill(
    '#text',
    `# Monday\n- [Team handbook](${first})\nmailto:ann@northwind.example\n# Later\n${urls.join('\n')}`,
  )
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('.plan').waitFor()
}

async function asOwner(page: Page, { owner, origin }: World, path: string): Promise<void> {
  await addSession(page.context(), owner)
  await page.goto(`${origin}${path}`)
}

async function paste(page: Page, { origin }: World, text: string): Promise<void> {
  await page.goto(origin)
  await page.fill('#urls', text)
  // The title comes with the first link.
  if (text.includes('https://')) await page.fill('#title', 'Team offsite')
  await page.locator('#found .found-head').waitFor()
  await page.getByRole('button', { name: 'Get the link' }).click()
  await page.waitForLoadState()
}

/** Answers every request to another site with an empty page: only the tabs matter. */
export function blockNetwork(context: BrowserContext): Promise<unknown> {
  return context.route(/^(?!http:\/\/localhost)/, (route) => route.fulfill({ body: '' }))
}
