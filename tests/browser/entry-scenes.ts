import type { Page } from 'playwright-core'
import {
  invitationLink,
  linkIn,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  PASSWORD,
  type Person,
  signUp,
  Visitor,
} from '../people.ts'
import { addSession } from './people.ts'
import type { Scene, World } from './scenes.ts'

/** Scenes of coming in: claims, signing up and in, invitations and mailed links. */
export function entryScenes() {
  const open =
    (path: string): Scene =>
    (page, { origin }) =>
      page.goto(origin + path)
  const as = async (page: Page, person: Person, address: string) => {
    await addSession(page.context(), person)
    await page.goto(address)
  }
  const unclaimed = async ({ server }: World, bundle = {}) =>
    (await new Visitor(server).makeBundle({ title: 'Our reading list', ...bundle })).claimUrl
  const mailed = async ({ server }: World, to: string, subject: string) => linkIn(await mailTo(server, to, subject))
  /** Fills in an account's form and sends it as a browser does that checks nothing. */
  const send = async (page: Page, path: string, email: string, button: string) => {
    await page.goto(path)
    await page.evaluate(() => {
      for (const form of document.forms) form.noValidate = true
    })
    await page.fill('#email', email)
    if (await page.locator('#password').isVisible()) await page.fill('#password', PASSWORD)
    await page.getByRole('button', { name: button }).click()
  }
  /** An invitation by mail, to somebody with or without an account. */
  const invite = async (world: World, email: string) => {
    const host = await newPerson(world.server)
    const { id } = await newOrganization(host)
    await host.api('POST', '/api/auth/organization/invite-member', { email, role: 'editor', organizationId: id })
    return invitationLink(world.server, email)
  }
  return {
    'claim-signed-out': async (page, world) => page.goto(await unclaimed(world)),
    'claim-signed-in': async (page, world) => as(page, world.newcomer, await unclaimed(world)),
    claimed: async (page, world) => {
      await as(page, await newPerson(world.server), await unclaimed(world))
      await page.getByRole('button', { name: 'Keep this bundle' }).click()
      await page.getByRole('link', { name: 'Open launcher' }).waitFor()
    },
    'claim-gone': open('/claim/made-up'),
    claims: async (page, world) => {
      const person = await newPerson(world.server)
      await unclaimed(world, { email: person.email })
      await as(page, person, `${world.origin}/claims`)
    },
    'claims-none': async (page, world) => as(page, world.newcomer, `${world.origin}/claims`),
    'sign-up': open('/sign-up'),
    'sign-up-wrong': async (page, { origin }) => {
      await send(page, `${origin}/sign-up`, 'nobody', 'Create account')
      await page.locator('#email-error').waitFor()
    },
    'sign-in': open('/sign-in'),
    'sign-in-wrong': async (page, { origin }) => {
      await page.goto(`${origin}/sign-in`)
      await page.fill('#email', newEmail())
      await page.getByText('Use a password').click()
      await page.fill('#password', `not ${PASSWORD}`)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.locator('[role=alert]').waitFor()
    },
    'link-sent': async (page, { origin }) => {
      await send(page, `${origin}/sign-in`, newEmail(), 'Email me a link')
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    },
    'sign-in-link': async (page, world) => {
      const email = newEmail()
      await new Visitor(world.server).api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
      await page.goto(await mailed(world, email, 'Your sign-in link'))
    },
    confirm: async (page, world) => {
      const { email } = await signUp(world.server)
      await page.goto(await mailed(world, email, 'Confirm your address'))
    },
    confirmed: async (page, world) => {
      const person = await signUp(world.server)
      await as(page, person, await mailed(world, person.email, 'Confirm your address'))
      await page.click('main button.primary')
      await page.getByText('Address confirmed').first().waitFor()
    },
    invitation: async (page, world) => {
      const person = await newPerson(world.server)
      await as(page, person, await invite(world, person.email))
    },
    'invitation-unconfirmed': async (page, world) => {
      const person = await signUp(world.server)
      // As an admin copies it, without the secret of the mail.
      const copied = (await invite(world, person.email)).replace(/\/[^/]*$/, '')
      await as(page, person, copied)
    },
    'invitation-new': async (page, world) => page.goto(await invite(world, newEmail())),
    'invitation-new-wrong': async (page, world) => {
      await page.goto(await invite(world, newEmail()))
      await page.fill('#password', 'password1')
      await page.click('main button.primary')
      await page.locator('#password-error').waitFor()
    },
    'invitation-known': async (page, world) => page.goto(await invite(world, (await newPerson(world.server)).email)),
    'invitation-other': async (page, world) => as(page, world.newcomer, await invite(world, newEmail('somebody-else'))),
    'invitation-gone': open('/invitations/made-up/made-up'),
    'invitation-used': async (page, world) => {
      const address = await invite(world, newEmail())
      await new Visitor(world.server).form(new URL(address).pathname, { password: PASSWORD })
      await page.goto(address)
    },
    mailbox: async (page, world) => {
      await invite(world, newEmail())
      await page.goto(`${world.origin}/dev/mailbox`)
    },
  } satisfies Record<string, Scene>
}
