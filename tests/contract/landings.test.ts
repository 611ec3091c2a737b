import { expect, setDefaultTimeout, test } from 'bun:test'
import {
  actFor,
  addMember,
  arriveByMail,
  follow,
  invitationLink,
  linkIn,
  mailInBox,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  PASSWORD,
  type Person,
  press,
  signUp,
  Visitor,
} from '../people.ts'
import { pagesFor } from '../security/routes.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf, unescaped } from './html.ts'

// The timeout that `targets.ts` sets applies only to the first file that loads it.
setDefaultTimeout(180_000)

/** The text of a page on one line. */
async function textOf(answer: Response): Promise<string> {
  const html = (await answer.text()).replace(/<(title|style|script)\b.*?<\/\1>/gs, '')
  return unescaped(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')
}

const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '')

onEveryTarget({}, (at) => {
  /** Signs a person up on the page. Resolves to where that leads. */
  async function signUpOnPage(email: string, next: string): Promise<{ person: Visitor; to: string }> {
    const person = new Visitor(at())
    const answer = await person.form('/sign-up', { email, password: PASSWORD, name: '', next })
    expect(answer.status).toBe(303)
    return { person, to: answer.headers.get('location') ?? '' }
  }

  async function invite(admin: Person, email: string): Promise<{ id: string; path: string }> {
    const { id } = await newOrganization(admin)
    const sent = await admin.form(`/dashboard/organizations/${id}`, { email, role: 'editor' })
    expect(sent.status).toBe(303)
    // As an admin copies it: without the secret of the mail, which proves the address (see invitations.test.ts).
    return { id, path: pathOf(await invitationLink(at(), email)).replace(/\/[^/]*$/, '') }
  }

  test('making a bundle, signing up to claim it and then confirming the address leads on, not to an error', async () => {
    const { claimUrl, slug } = await new Visitor(at()).makeBundle()
    const claim = pathOf(claimUrl)
    const email = newEmail()
    const { person, to } = await signUpOnPage(email, claim)
    expect(to).toBe(`/claims?claimed=${slug}`)
    const claimed = await person.fetch(to)
    expect(await textOf(claimed.clone())).toContain('Edit bundle')
    expect(await textOf(claimed)).toContain(`Confirm ${email} with the link we sent.`)

    const link = linkIn(await mailTo(at(), email, 'Confirm your address'))
    const pressed = await press(person, link)
    const landing = await follow(person, pressed)
    expect(landing.status).toBe(200)
    const html = await landing.text()
    expect(html).toContain('Address confirmed')
    expect(html).toContain(`${email}</span>`)
    const onward = elementsOf(html).find(({ attributes }) => attributes.class === 'button primary')
    expect(onward?.attributes.href).toBe('/dashboard')
    expect((await person.fetch('/dashboard')).status).toBe(200)
  })

  test('confirming the address first leads to the bundle', async () => {
    const { claimUrl } = await new Visitor(at()).makeBundle()
    const email = newEmail()
    const person = new Visitor(at())
    const fields = { email, password: PASSWORD, name: '', callbackURL: pathOf(claimUrl) }
    expect((await person.api('POST', '/api/auth/sign-up/email', fields)).status).toBe(200)
    const pressed = await press(person, linkIn(await mailTo(at(), email, 'Confirm your address')))
    const landing = await (await follow(person, pressed)).text()
    expect(landing).toContain(`href="${pathOf(claimUrl)}"`)
    expect(landing).toContain('Continue to your bundle')
  })

  test('a claim link that no longer works says so, and leads to the dashboard or to signing in', async () => {
    const ann = await newPerson(at())
    const { claimUrl, slug } = await new Visitor(at()).makeBundle()
    const used = await ann.form(pathOf(claimUrl), {})
    expect([used.status, used.headers.get('location')]).toEqual([303, `/claims?claimed=${slug}`])
    for (const [visitor, way] of [
      [await newPerson(at()), 'Go to your dashboard'],
      [new Visitor(at()), 'Sign in'],
    ] as const) {
      for (const answer of [await visitor.fetch(pathOf(claimUrl)), await visitor.fetch('/claim/made-up')]) {
        expect(answer.status).toBe(404)
        const text = await textOf(answer)
        expect(text).toContain('This edit link no longer works')
        expect(text).toContain(way)
      }
    }
    const again = await ann.form(pathOf(claimUrl), {})
    expect(again.status).toBe(404)
    expect(await textOf(again)).toContain('This edit link no longer works')
  })

  test('going back to the claim link, and reloading, lead the claimer to the bundle, and nobody else', async () => {
    const [ann, bob] = [await newPerson(at()), await newPerson(at())]
    const { claimUrl, slug } = await new Visitor(at()).makeBundle({ title: 'Found again' })
    const claimed = (await ann.form(pathOf(claimUrl), {})).headers.get('location') ?? ''
    for (let times = 0; times < 2; times += 1) {
      const back = await ann.fetch(pathOf(claimUrl))
      expect([back.status, back.headers.get('location')]).toEqual([303, claimed])
      const text = await (await ann.fetch(claimed)).text()
      expect(text).toContain('Found again')
      expect(text).toContain(`href="/dashboard/links/${slug}"`)
    }
    expect((await bob.fetch(claimed)).status).toBe(403)
    const stranger = await new Visitor(at()).fetch(claimed)
    expect(stranger.headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(claimed)}`)
    for (const [name, value] of ann.cookies) if (name.startsWith('claimed-')) bob.cookies.set(name, value)
    expect((await (await follow(bob, await bob.fetch(pathOf(claimUrl)))).text()).includes('Found again')).toBe(false)
  })

  test('Sign in and keep it claims; a link that is gone leads to its page, and another site cannot claim', async () => {
    const ann = await signUp(at())
    const claims: string[] = []
    for (let n = 0; n < 2; n += 1) claims.push(pathOf((await new Visitor(at()).makeBundle()).claimUrl))
    const signIn = { email: ann.email, password: PASSWORD }
    const first = await new Visitor(at()).form('/sign-in', { ...signIn, next: claims[0] ?? '' })
    expect(first.status).toBe(303)
    expect(first.headers.get('location')).toStartWith('/claims?claimed=')
    const gone = await new Visitor(at()).form('/sign-in', { ...signIn, next: '/claim/made-up' })
    expect(gone.headers.get('location')).toBe('/claim/made-up')
    const elsewhere = await new Visitor(at()).form(
      '/sign-in',
      { ...signIn, next: claims[1] ?? '' },
      { 'sec-fetch-site': 'cross-site' },
    )
    expect(elsewhere.headers.get('location') ?? '').not.toStartWith('/claims')
  })

  test('signing in or up from a claim link names the bundle; a link that is gone or another page names none', async () => {
    const { claimUrl } = await new Visitor(at()).makeBundle({ title: 'Plan & <b>' })
    const lede = async (path: string, next: string) =>
      /<p class="lede">([^<]*)</.exec(
        await (await new Visitor(at()).fetch(`${path}?next=${encodeURIComponent(next)}`)).text(),
      )?.[1]
    expect(await lede('/sign-up', pathOf(claimUrl))).toBe('Create an account to keep editing “Plan &amp; &lt;b&gt;”.')
    expect(await lede('/sign-in', pathOf(claimUrl))).toBe('Sign in to keep editing “Plan &amp; &lt;b&gt;”.')
    for (const next of ['/claim/made-up', '/claims']) expect(await lede('/sign-up', next)).toBeUndefined()
  })

  test('/login and /signup lead to the pages, with what they were asked', async () => {
    for (const [typed, page] of [
      ['/login?next=/claims', '/sign-in?next=/claims'],
      ['/signup', '/sign-up'],
    ] as const) {
      const answer = await new Visitor(at()).fetch(typed)
      expect([answer.status, answer.headers.get('location')]).toEqual([303, page])
    }
  })

  test('a claim that comes too late is reported on the list of bundles to keep', async () => {
    const email = newEmail()
    const ann = await arriveByMail(at(), email)
    const { slug } = await new Visitor(at()).makeBundle({ email })
    const claimed = await follow(ann, await ann.form('/claims', { slug }))
    expect(await textOf(claimed)).toContain('This bundle is now yours')
    const late = await ann.form('/claims', { slug })
    expect(late.status).toBe(404)
    expect(await textOf(late)).toContain('Bundles to keep')
  })

  test('a sign-up announces the email, the same whether or not the address is known', async () => {
    const known = (await newPerson(at())).email
    const told: string[] = []
    for (const email of [newEmail(), known]) {
      const { person, to } = await signUpOnPage(email, '/dashboard')
      const text = await textOf(await person.fetch(to))
      expect(text).toContain('Welcome! Your account is ready.')
      expect(text).toContain(`Confirm ${email} with the link we sent.`)
      told.push(text.replaceAll(email, 'ADDRESS'))
    }
    expect(told[1]?.replace(/\d+ (seconds?|minutes?) ago/g, '')).toBe(
      told[0]?.replace(/\d+ (seconds?|minutes?) ago/g, ''),
    )
    expect((await mailTo(at(), known, 'You already have an account')).text).toContain('/sign-in')
  })

  test('every dashboard page asks to confirm the address until it is confirmed', async () => {
    const ann = await signUp(at())
    const button = 'Resend confirmation email'
    const pages = (await pagesFor(at(), ann, null)).filter((path) => path.startsWith('/dashboard'))
    for (const path of pages) {
      const html = await (await ann.fetch(path)).text()
      expect([path, html.split(button).length - 1]).toEqual([path, 1])
    }
    const resent = await ann.form('/dashboard/settings', { change: 'verification', next: '/dashboard/keys' })
    expect(resent.headers.get('location')).toBe('/dashboard/keys?notice=verificationSent')
    await press(ann, linkIn(await mailTo(at(), ann.email, 'Confirm your address')))
    expect(await (await ann.fetch('/dashboard')).text()).not.toContain(button)
  })

  test('an accepted invitation is reported, and its link leads to the organisation from then on', async () => {
    const [ann, bob] = [await newPerson(at()), await newPerson(at())]
    const { id, path } = await invite(ann, bob.email)
    const signedOut = await new Visitor(at()).fetch(path)
    expect(signedOut.headers.get('location')).toBe(`/sign-in?next=${path}`)
    const signIn = await textOf(await new Visitor(at()).fetch(`/sign-in?next=${path}`))
    expect(signIn).toContain('Sign in with the invited address to join the organisation.')

    const accepted = await bob.form(path, {})
    expect(accepted.headers.get('location')).toBe('/dashboard?notice=joined')
    expect(await textOf(await bob.fetch('/dashboard?notice=joined'))).toMatch(/You joined Organisation \d+\./)
    const again = await bob.fetch(path)
    expect(again.status).toBe(200)
    const html = await again.text()
    expect(html).toContain('You’ve already accepted this invitation')
    expect(html).toContain(`/dashboard/organizations/${id}`)
  })

  test('an invitation that is revoked, unknown or for another person says so, and reveals no more', async () => {
    const [ann, bob, eve] = [await newPerson(at()), await newPerson(at()), await newPerson(at())]
    const { id, path } = await invite(ann, bob.email)
    const invitation = path.split('/').at(-1)
    const texts = [await textOf(await eve.fetch(path)), await textOf(await eve.fetch('/invitations/made-up'))]
    await ann.form(`/dashboard/organizations/${id}/invitations/${invitation}/cancel`, {})
    const revoked = await bob.fetch(path)
    expect(revoked.status).toBe(404)
    texts.push((await textOf(revoked)).replaceAll(bob.email, eve.email))
    expect(texts[0]).toContain('This invitation isn’t available')
    expect(texts[0]).toContain('Switch accounts')
    expect(new Set(texts).size).toBe(1)
    expect((await bob.form(path, {})).status).toBe(404)
  })

  test('an invitation waits until the address is confirmed, and the confirmation leads back to it', async () => {
    const [ann, email] = [await newPerson(at()), newEmail()]
    const { path } = await invite(ann, email)
    const { person } = await signUpOnPage(email, path)
    expect(await textOf(await person.fetch(path))).toContain('Confirm your address first')
    const pressed = await press(person, linkIn(await mailTo(at(), email, 'Confirm your address')))
    const landing = await (await follow(person, pressed)).text()
    expect(landing).toContain('See your invitation')
    expect(landing).toContain(`href="${path}"`)
    expect((await person.form(path, {})).headers.get('location')).toBe('/dashboard?notice=joined')
  })

  test('an expired link leads on: to signing in, or for signed-in people straight ahead', async () => {
    const nobody = new Visitor(at())
    for (const path of ['/confirm/made-up', '/sign-in/link/made-up', '/password/made-up']) {
      const answer = await nobody.fetch(path)
      expect(answer.status).toBe(410)
      const html = await answer.text()
      expect(html).toContain('This link has expired')
      expect(html).toContain('href="/sign-in?next=')
    }
    const ann = await signUp(at())
    const offers = { '/confirm/made-up': 'verification', '/password/made-up': 'passwordMail' }
    for (const [path, change] of Object.entries(offers)) {
      const fields = elementsOf(await (await ann.fetch(path)).text()).map(({ attributes }) => attributes.value)
      expect(fields).toContain(change)
    }
    const used = await textOf(await ann.fetch('/sign-in/link/made-up'))
    expect(used).toContain(`You’re already signed in as ${ann.email}`)
  })

  test('signed-in people are not asked to sign in, unless they choose to', async () => {
    const ann = await signUp(at())
    for (const path of ['/sign-in?next=/dashboard/keys', '/sign-up?next=/dashboard/keys']) {
      const html = await (await ann.fetch(path)).text()
      expect(html).toContain(`Stay signed in as ${ann.email}`)
      expect(html).toContain('href="/dashboard/keys"')
      expect(html).not.toContain('type="password"')
    }
    const other = await (await ann.fetch('/sign-in?as=other&next=/claims')).text()
    expect(other).toContain('type="password"')
    expect(other).not.toContain(ann.email)
    const again = elementsOf(await (await ann.fetch('/sign-in?as=again&next=/dashboard')).text())
    expect(again.find(({ attributes }) => attributes.name === 'email')?.attributes.value).toBe(ann.email)
  })

  test('signing in again in the same browser keeps one session, and the acting subject', async () => {
    const [ann, bob] = [await signUp(at()), await newPerson(at())]
    await press(ann, linkIn(await mailTo(at(), ann.email, 'Confirm your address')))
    const { id } = await newOrganization(bob)
    await addMember(bob, id, ann, 'editor')
    await actFor(ann, id)
    const sessions = () => at().sql('SELECT count(*) AS open FROM session WHERE user_id = ?', [ann.userId])
    expect(await sessions()).toEqual([{ open: 1 }])
    const next = '/dashboard/settings'
    expect((await ann.form('/sign-in', { email: ann.email, password: PASSWORD, next })).status).toBe(303)
    expect(await sessions()).toEqual([{ open: 1 }])
    const { body } = await ann.api<{ subject: unknown }>('GET', '/api/me')
    expect(body.subject).toEqual({ type: 'organization', organizationId: id })

    // Another person in this browser acts for themselves.
    const eve = await signUp(at())
    ann.cookies.delete('device')
    await ann.form('/sign-in', { email: eve.email, password: PASSWORD, next })
    expect(await sessions()).toEqual([{ open: 0 }])
    const { body: others } = await ann.api<{ subject: unknown }>('GET', '/api/me')
    expect(others.subject).toEqual({ type: 'user', userId: eve.userId })
  })

  test('the mailbox says its times as people read them', async () => {
    await newPerson(at())
    const text = await textOf(await fetch(`${at().origin}/dev/mailbox`))
    expect(text).toMatch(/ at \d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d(:\d\d)? UTC/)
    expect(text).not.toMatch(/\d{4}-\d\d-\d\dT/)
  })

  test('the mailbox knows who is signed in', async () => {
    const ann = await newPerson(at())
    const text = await textOf(await ann.fetch('/dev/mailbox'))
    expect([text.includes(ann.email), text.includes('Sign out'), / Sign in /.test(text.split('Mailbox')[0]!)]).toEqual([
      true,
      true,
      false,
    ])
  })

  test('a claim link in an email names the bundle and the day', async () => {
    const email = newEmail()
    const { url } = await new Visitor(at()).makeBundle({ email })
    const { text } = await mailInBox(at(), email, 'private edit link')
    expect(text).toContain('You created a bundle on Openall:')
    expect(text).toContain(url)
    expect(text).toMatch(/by \d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC:/)
  })
})
