import { expect, test } from 'bun:test'
import { newPerson } from '../people.ts'
import { setStage } from './stage.ts'
import { follow, press, shows } from './waiting.ts'

const stage = setStage()

test('the form says which format an address asks for while it is typed; the format is chosen and changed', async () => {
  const person = await newPerson(stage.server)
  const { page, complaints } = await stage.open('/dashboard/webhooks/new', person)
  const chosen = () => page.getByLabel('Format').locator('option:checked').textContent()
  const proposed: [url: string, format: string][] = [
    ['', 'What the address asks for'],
    ['https://discord.com/api/webhooks/1/x', 'What the address asks for: Discord'],
    ['https://discord.com/channels/1', 'What the address asks for'],
    ['https://hooks.slack.com/services/T0/B0/x', 'What the address asks for: Slack'],
    ['https://ntfy.sh/launches', 'What the address asks for: ntfy'],
    ['https://prod-1.westus.logic.azure.com/workflows/x', 'What the address asks for: Teams'],
    ['https://93.184.216.34/hook', 'What the address asks for'],
  ]
  for (const [url, format] of proposed) {
    await page.getByLabel('URL').fill(url)
    expect(await chosen()).toBe(format)
  }
  await page.getByLabel('Format').selectOption('slack')
  await press(page, 'Create webhook')
  await shows(page, '.flash', 'Webhook created. Send a test message to see that it arrives.')
  await page.getByText('This is no address of Slack').waitFor()
  await follow(page, 'Edit the format')
  await page.getByRole('heading', { name: 'Edit webhook' }).waitFor()
  expect(await chosen()).toBe('Messages to Slack')
  await page.getByLabel('Format').selectOption('teams')
  await press(page, 'Save')
  await page.getByText('This is no address of Teams').waitFor()
  expect(complaints).toEqual([])
})
