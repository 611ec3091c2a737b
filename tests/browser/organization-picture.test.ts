import { expect, test } from 'bun:test'
import { PICTURES } from '../contract/icon-files.ts'
import { actFor, newOrganization, newPerson } from '../people.ts'
import { setStage } from './stage.ts'
import { press, shows } from './waiting.ts'

const stage = setStage()

test('a chosen picture is shown before it is saved, then in the menu; one that is refused says so beside its field', async () => {
  const admin = await newPerson(stage.server)
  const { id } = await newOrganization(admin)
  await actFor(admin, id)
  const { page, complaints } = await stage.open(`/dashboard/organizations/${id}`, admin)
  const field = page.locator('#picture')
  const look = page.locator('.look')
  await field.setInputFiles({ name: 'logo.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(PICTURES.jpg) })
  await look.locator('canvas').waitFor()
  expect(await look.locator('.monogram').isVisible()).toBe(false)
  const size = await look.boundingBox()
  await press(page, 'Save')
  await shows(page, '.flash', 'saved')
  await look.locator('img').waitFor()
  expect(await look.boundingBox().then((box) => [box?.width, box?.height])).toEqual([size?.width, size?.height])
  expect(await page.locator('.subjects summary img').evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(
    128,
  )

  const text = Buffer.from('no picture')
  await field.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: text })
  await press(page, 'Save')
  await shows(page, '#picture-error', 'This can’t be used as a picture.')
  await page.getByLabel('Remove the picture').check()
  await field.setInputFiles([])
  await press(page, 'Save')
  await look.locator('span.monogram').waitFor()
  expect(complaints.filter((one) => !one.includes('400'))).toEqual([])
})
