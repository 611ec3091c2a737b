import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { contentOf, WHOLE } from '../every-field.ts'
import { newPerson } from '../people.ts'
import { setStage } from './stage.ts'
import { shows } from './waiting.ts'

const stage = setStage()

test('the editor with its script saves another title, and nothing else of any field', async () => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle({ ...WHOLE })
  const { page, complaints } = await stage.open(`/dashboard/links/${slug}`, owner)
  await page.fill('#title', 'Another')
  await page.keyboard.press('Control+s')
  await shows(page, '#messages', 'Saved · View version')
  expect(await contentOf(owner, slug)).toEqual({ ...WHOLE, title: 'Another' })
  // A moved link takes its fields along.
  await page.getByRole('button', { name: 'Move down' }).first().click()
  await page.keyboard.press('Control+s')
  const [first, second, ...urls] = WHOLE.urls as string[]
  const [{ section: _, ...metadata } = {}, ...others] = WHOLE.urlMetadata as Record<string, unknown>[]
  await becomes(async () => (await contentOf(owner, slug)).urls, [second, first, ...urls])
  const { urlMetadata } = await contentOf(owner, slug)
  expect(urlMetadata).toEqual([{}, expect.objectContaining(metadata), ...others.slice(1)])
  expect(complaints).toEqual([])
})
