import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { linkIn, mailTo, newPerson, PASSWORD, signUp } from '../people.ts'
import { setStage } from './stage.ts'

const stage = setStage()

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with' : 'without'

  test(`Enter in the address asks for a link, ${how} JavaScript`, async () => {
    const { email } = await newPerson(stage.server)
    const { page } = await stage.open('/sign-in', null, { javaScriptEnabled })
    expect(await page.locator('#password').isVisible()).toBe(false)
    await page.fill('#email', email)
    await page.press('#email', 'Enter')
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    expect(linkIn(await mailTo(stage.server, email, 'Your sign-in link'))).toStartWith(stage.server.origin)
  })

  test(`Enter in the password signs in with it, ${how} JavaScript`, async () => {
    const { email } = await signUp(stage.server)
    const { page } = await stage.open('/sign-in', null, { javaScriptEnabled })
    await page.fill('#email', email)
    await page.getByText('Use a password').click()
    await page.fill('#password', 'not this one')
    await page.press('#password', 'Enter')
    await page.getByRole('alert').getByText('Wrong email or password.').waitFor()
    // It stays open, with the address.
    expect(await page.inputValue('#email')).toBe(email)
    await page.fill('#password', PASSWORD)
    await page.press('#password', 'Enter')
    await page.waitForURL('**/dashboard')
  })
}

test('a password can be seen while it is typed, and its field is one of passwords again when it is sent', async () => {
  const { page } = await stage.open('/sign-up', null)
  await page.fill('#email', 'nobody')
  await page.fill('#password', PASSWORD)
  const button = page.getByRole('button', { name: 'Show password' })
  await button.click()
  expect([await page.getAttribute('#password', 'type'), await button.getAttribute('aria-pressed')]).toEqual([
    'text',
    'true',
  ])
  expect(await page.inputValue('#password')).toBe(PASSWORD)
  await button.click()
  expect([await page.getAttribute('#password', 'type'), await button.getAttribute('aria-pressed')]).toEqual([
    'password',
    'false',
  ])
  await button.click()
  await page.evaluate(() => {
    const [form] = document.forms
    form?.addEventListener('submit', (event) => event.preventDefault())
    form?.dispatchEvent(new SubmitEvent('submit', { cancelable: true }))
  })
  await becomes(() => page.getAttribute('#password', 'type'), 'password')
  const plain = await stage.open('/sign-up', null, { javaScriptEnabled: false })
  expect(await plain.page.getByRole('button', { name: 'Show password' }).count()).toBe(0)
})
