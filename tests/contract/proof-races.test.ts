import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { linkIn, mailTo, PASSWORD, press, signUp, Visitor } from '../people.ts'
import { onEveryTargetWithSlowPasswords } from '../targets.ts'

// Proof before rights, when the owner of an address arrives while a password is being hashed.

setDefaultTimeout(180_000)

onEveryTargetWithSlowPasswords({}, (at) => {
  const sessionStatus = async (person: Visitor) => (await person.api('GET', '/api/me')).status

  describe('proving an address ends what others hold there:', () => {
    test.each(['sign-in', 'sign-up'])(
      'a password that a %s is comparing when the owner arrives opens nothing',
      async (way) => {
        for (const delay of [0, 20, 60, 120]) {
          const squatter = await signUp(at())
          const { email, userId } = squatter
          await new Visitor(at()).api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
          const link = linkIn(await mailTo(at(), email, 'Your sign-in link'))
          const [owner, late] = [new Visitor(at()), Array.from({ length: 3 }, () => new Visitor(at()))]
          const words = { email, password: PASSWORD, name: '' }
          const attempts = late.map((visitor) => visitor.api('POST', `/api/auth/${way}/email`, words))
          await Bun.sleep(delay)
          await press(owner, link)
          await Promise.all(attempts)
          const left = await at().sql('SELECT count(*) AS sessions FROM session WHERE user_id = ?', [userId])
          expect([delay, left]).toEqual([delay, [{ sessions: 1 }]])
        }
      },
    )

    test.each([
      ['change-password', { currentPassword: PASSWORD, newPassword: 'a squatter’s horse', revokeOtherSessions: true }],
      ['delete-user', { password: PASSWORD }],
    ])('a %s in progress when the owner arrives has no effect', async (path, words) => {
      for (const delay of [0, 30, 100]) {
        const squatter = await signUp(at())
        const { email, userId } = squatter
        await new Visitor(at()).api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
        const link = linkIn(await mailTo(at(), email, 'Your sign-in link'))
        const owner = new Visitor(at())
        const underWay = squatter.api('POST', `/api/auth/${path}`, words)
        await Bun.sleep(delay)
        await press(owner, link)
        const { status } = await underWay
        // Before the owner arrived, the account was the squatter's to delete.
        if (path === 'delete-user' && status === 200) continue
        expect([delay, await sessionStatus(owner), await sessionStatus(squatter)]).toEqual([delay, 200, 401])
        expect((await owner.api('GET', '/api/me')).body.subject).toEqual({ type: 'user', userId })
        expect(await at().sql('SELECT 1 FROM account WHERE user_id = ?', [userId])).toEqual([])
      }
    })
  })
})
