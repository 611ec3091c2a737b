import { expect, test } from 'bun:test'
import { OAuth2Server } from 'oauth2-mock-server'
import { startInProcess } from '../in-process.ts'
import { newEmail } from '../people.ts'
import { axeViolations } from './flaws.ts'
import { setStage } from './stage.ts'

const stage = setStage()

test('single sign-on leads to the provider and back, despite the page’s form-action policy', async () => {
  const provider = new OAuth2Server()
  await provider.issuer.keys.generate('RS256')
  await provider.start(0, '127.0.0.1')
  const email = newEmail()
  const claims = { sub: email, email, email_verified: true, name: 'Olga' }
  provider.service.on('beforeTokenSigning', (token) => Object.assign(token.payload, claims))
  const env = { OIDC_ISSUER: String(provider.issuer.url), OIDC_CLIENT_ID: 'openall' }
  const withOidc = await startInProcess(env)
  const address = `${withOidc.origin}/sign-in?next=/claims`
  const { page: copy } = await stage.open(address, null, { bypassCSP: true })
  expect(await axeViolations(copy)).toEqual([])
  const { page } = await stage.open(address, null)
  await page.click('text=Continue with single sign-on')
  await page.waitForURL(`${withOidc.origin}/claims`)
  expect(await page.textContent('h1')).toBe('Bundles to keep')
  await withOidc.stop()
  await provider.stop()
})
