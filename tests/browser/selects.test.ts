import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { signUp } from '../people.ts'
import type { Server } from '../server.ts'
import { kindsOfWay } from './engines.ts'
import { At, button } from './journey.ts'
import { becomes } from './launching.ts'
import type { Engine } from './viewer.ts'

// The selects of the rules page, whose look is ours and whose lists are the browser's.

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(180_000)

let server: Server
beforeAll(async () => {
  server = await startInProcess({})
})
afterAll(() => server.stop())

/** What is wrong with a visible select: too low for a finger, or a chosen text that is cut. */
const FLAWS = `[...document.querySelectorAll('select')].filter((one) => one.checkVisibility() && one.getClientRects().length > 0).flatMap((one) => {
  const style = getComputedStyle(one)
  const canvas = document.createElement('canvas').getContext('2d')
  canvas.font = style.font
  const text = canvas.measureText(one.selectedOptions[0]?.text ?? '').width
  const room = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
  const { height } = one.getBoundingClientRect()
  return height < 24 || text > room + 1 ? [one.name + ': ' + Math.round(height) + ' high, ' + Math.round(text) + ' in ' + Math.round(room)] : []
})`

describe.each(kindsOfWay('Firefox'))('$name', (kind) => {
  let engine: Engine
  let at: At
  beforeAll(async () => {
    engine = await kind.start()
    at = new At(server.origin, await engine.open(`${server.origin}/sign-in`, { popups: 'as-is' }))
  })
  afterAll(async () => {
    await at?.viewer.close().catch(() => {})
    await engine?.stop()
  })

  test('show their whole choice, take another one, and keep it', async () => {
    const owner = await signUp(server)
    const when = { op: 'equals', field: 'device', value: 'mobile' }
    const rules = [{ name: 'Phones', when, tabs: [{ url: 'https://m.example/' }] }]
    const { slug } = await owner.makeBundle({ resolutionPolicy: { version: 1, rules } })
    await at.signIn(owner.email)
    await at.open(`/dashboard/links/${slug}/policy`)
    await at.click('[aria-label^="Edit "]')
    await becomes(() => at.viewer.read(`document.querySelector('.rule-name') !== null`), true)
    // A page at rest: the answer may still be on its way into it.
    await at.holdsFocus()
    expect(await at.viewer.read<number>("document.querySelectorAll('select').length")).toBeGreaterThan(1)
    expect(await at.viewer.read<string[]>(FLAWS)).toEqual([])
    const name = await at.viewer.read<string>(
      `[...document.querySelectorAll('select')].find(({ value }) => value === 'mobile').name`,
    )
    await at.viewer.choose(`select[name="${name}"]`, 'tablet')
    await at.click(button('Save rules'))
    const chosen = async () => {
      const { body } = await owner.api<{ resolutionPolicy: { rules: { when: { value: string } }[] } }>(
        'GET',
        `/api/links/${slug}`,
      )
      return body.resolutionPolicy.rules[0]?.when.value
    }
    await becomes(chosen, 'tablet')
    expect(await at.viewer.read<string[]>(FLAWS)).toEqual([])
  })
})
