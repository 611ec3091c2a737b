import { expect, test } from 'bun:test'
import { eventually } from '../eventually.ts'
import { newEmail, Visitor } from '../people.ts'
import { startServer } from '../server.ts'
import { create, URL_OK } from './support.ts'

/** What a server without a mail server logs when somebody requests a sign-in link. */
async function loggedFor(env: Record<string, string>) {
  const server = await startServer({ env })
  const email = newEmail()
  const { claimToken } = (await create(server, { urls: [URL_OK], email })).body
  await new Visitor(server).api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
  await eventually(() => server.output().includes('was not sent'), 'the log tells of the mail')
  await server.stop()
  // Whoever has it in the answer needs no mail, and nobody else may claim the bundle.
  expect(claimToken.length).toBeGreaterThan(20)
  expect(server.output()).not.toContain(claimToken)
  const hasLink = /\/sign-in\/link\/\w+/.test(server.output())
  return { hasLink, hasAddress: server.output().includes(email), hasSubject: server.output().includes('sign-in link') }
}

test('in production no sign-in link is logged, only that a mail was not sent', async () => {
  const NODE_ENV = 'production'
  expect(await loggedFor({ NODE_ENV })).toEqual({ hasLink: false, hasAddress: false, hasSubject: true })
  expect(await loggedFor({ NODE_ENV, SERVICE_LOG_MAILS: 'on' })).toEqual({
    hasLink: true,
    hasAddress: true,
    hasSubject: true,
  })
})

test('otherwise the log has the mail, unless disabled', async () => {
  expect(await loggedFor({})).toEqual({ hasLink: true, hasAddress: true, hasSubject: true })
  expect((await loggedFor({ SERVICE_LOG_MAILS: 'off' })).hasLink).toBe(false)
})
