import { expect, test } from 'bun:test'
import { newEmail, PASSWORD, URL_A, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// Names that every JavaScript object inherits, where users or clients choose the name.
const NAMES = ['constructor', '__proto__']

onEveryTarget({}, (at) => {
  test('browsers with names like “constructor” break neither rules nor the settings', async () => {
    for (const name of NAMES) {
      const browser = { 'user-agent': `${name}/1.0 x` }
      const person = new Visitor(at(), browser)
      await person.api('POST', '/api/auth/sign-up/email', { email: newEmail(), password: PASSWORD, name: 'Somebody' })
      const when = { op: 'contains', field: 'browser', value: name }
      const rules = [{ name: 'Odd', when, tabs: [{ url: 'https://odd.example/' }] }]
      const { slug } = await person.makeBundle({ urls: [URL_A], resolutionPolicy: { version: 1, rules } })
      const launcher = await fetch(`${at().origin}/l/${slug}`, { headers: browser })
      expect([name, launcher.status]).toEqual([name, 200])
      expect(await launcher.text()).toContain('https://odd.example/')
      expect([name, (await person.fetch('/dashboard/settings')).status]).toEqual([name, 200])
    }
  })

  test('an unknown error leads back to the sign-in page, whatever its name', async () => {
    for (const name of NAMES) {
      const answer = await fetch(`${at().origin}/sign-in?error=${name}`)
      expect([name, answer.status]).toEqual([name, 200])
      expect(await answer.text()).toContain('We couldn’t sign you in.')
    }
  })
})
