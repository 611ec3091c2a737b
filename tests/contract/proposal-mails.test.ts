import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { becomes, eventually } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { allTried, type ParsedMail, startMailSink } from '../mail-sink.ts'
import { actFor, linkIn, newEmail, newOrganization, type Person, signUp, type Visitor } from '../people.ts'
import { freePort } from '../ports.ts'
import { type Server, startServer, TARGETS } from '../server.ts'
import { startOn, testOnce } from '../targets.ts'

setDefaultTimeout(180_000)

const HOUR_MS = 3_600_000

describe.each(TARGETS.map((target) => ({ target })))('mails about proposals, $target.name', ({ target }) => {
  let sink: Awaited<ReturnType<typeof startMailSink>>
  let server: Server
  /** What a mail waits for at its server. */
  let hold = async () => {}
  beforeAll(async () => {
    sink = await startMailSink(freePort(), () => hold())
    server = await startOn(target, { SMTP_URL: sink.url, SERVICE_MAIL_FROM: 'service@openall.example' })
  })
  afterAll(async () => {
    await server?.stop()
    await sink?.stop()
  })

  /** A person with a proven address. */
  async function newPerson(name = ''): Promise<Person> {
    const person = await signUp(server, newEmail('mailed'))
    await server.sql('UPDATE user SET email_verified = 1 WHERE id = ? RETURNING 1', [person.userId])
    await person.api('POST', '/api/auth/update-user', { name })
    return person
  }
  /** An admin, an editor and a viewer of an organisation, and a bundle of it. */
  async function newTeam(title = 'Onboarding') {
    const [admin, editor, viewer] = await Promise.all([newPerson('Ada'), newPerson('Eve'), newPerson('Dana')])
    const { id } = await newOrganization(admin, [
      [editor, 'editor'],
      [viewer, 'viewer'],
    ])
    await actFor(admin, id)
    const { slug } = await admin.makeBundle({ title })
    return { id, admin, editor, viewer, slug }
  }
  async function propose(slug: string, by: Visitor, body: object = { title: 'Your first week' }) {
    const answer = await by.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, body)
    expect(answer.status).toBe(201)
    return answer.body.id
  }
  async function decide(slug: string, id: string, how: 'accept' | 'reject' | 'withdraw', by: Visitor, body?: object) {
    expect((await by.api('POST', `/api/links/${slug}/proposals/${id}/${how}`, body)).status).toBe(200)
  }
  const to = ({ email }: Person) => sink.mails.filter(({ recipients }) => recipients.includes(email)).filter(isOurs)
  const isOurs = ({ subject }: ParsedMail) => /suggest/.test(subject)
  const subjectsTo = (person: Person) => to(person).map(({ subject }) => subject)
  const lastTo = (person: Person) => to(person).at(-1)!
  /** Resolves once nothing is due any more, so that what has not been sent by then is not sent. */
  const allSent = async () => {
    await becomes(() => server.sql('SELECT 1 FROM notices WHERE due_at <= ?', [Date.now()]), [])
    await allTried(server)
  }
  /** Lets time pass for the mails to some people. */
  const later = async (ms: number, ...people: Person[]) => {
    for (const { userId } of people)
      await server.sql(
        'UPDATE notices SET due_at = due_at - ?, not_before = not_before - ? WHERE user_id = ? RETURNING 1',
        [ms, ms, userId],
      )
    await allSent()
  }
  const rowsOf = ({ userId }: Person) => server.sql('SELECT kind FROM notices WHERE user_id = ?', [userId])
  const unsubscribeOf = (mail: ParsedMail) => /^<(.*)>$/.exec(mail.headers.get('list-unsubscribe') ?? '')?.[1] ?? ''

  test('who may decide hears who suggests what, why and where; who suggested hears what became of it', async () => {
    const { admin, editor, viewer, slug } = await newTeam()
    const id = await propose(slug, viewer, {
      description: 'For your first week.',
      urls: ['https://a.example/', 'https://b.example/', 'https://c.example/'],
      reason: 'The handbook has moved.\nSee wiki.example',
    })
    await becomes(
      () => [subjectsTo(admin), subjectsTo(editor)],
      Array(2).fill(['Dana suggests a change to “Onboarding”']),
    )
    const mail = lastTo(editor)
    expect(mail.recipients).toEqual([editor.email])
    expect(mail.text).toContain(
      `Dana (${viewer.email}) suggests changing the description and 1 link of a bundle that you can edit:`,
    )
    expect(mail.text.split(/\r?\n/)).toContain('  “Onboarding”')
    expect(mail.text.split(/\r?\n/)).toContain('  “The handbook has moved. See wiki.\u200bexample”')
    const page = `${server.origin}/dashboard/links/${slug}/proposals/${id}`
    expect(mail.text).toContain(page)
    expect(await (await editor.fetch(page)).text()).toContain('<title>Suggestion · ')
    expect(subjectsTo(viewer)).toEqual([])

    await decide(slug, id, 'accept', editor)
    await becomes(() => subjectsTo(viewer), ['“Onboarding”: your suggestion was accepted'])
    expect(lastTo(viewer).text).toContain(
      `Eve (${editor.email}) accepted your suggestion to change the description and 1 link, as version 2:`,
    )
    expect(lastTo(viewer).text).toContain(page)

    const second = await propose(slug, viewer, { title: 'x' })
    await decide(slug, second, 'reject', admin, { note: 'Not yet.' })
    await later(HOUR_MS, viewer)
    await becomes(() => subjectsTo(viewer).at(-1), '“Onboarding”: your suggestion was rejected')
    expect(lastTo(viewer).text).toContain('rejected your suggestion to change the title:')
    expect(lastTo(viewer).text.split(/\r?\n/)).toContain('  “Not yet.”')
    expect([subjectsTo(admin).length, subjectsTo(editor).length]).toEqual([1, 1])
  })

  test('the first comes at once, then one an hour at most for a bundle, with all that still waits', async () => {
    const { admin, editor, viewer, slug } = await newTeam()
    await propose(slug, viewer)
    await becomes(() => subjectsTo(admin).length, 1)
    const withdrawn = await propose(slug, viewer, { title: 'withdrawn' })
    const rejected = await propose(slug, viewer, { title: 'rejected' })
    await propose(slug, viewer, { title: 'two', reason: 'second' })
    await propose(slug, editor, { title: 'three', reason: 'third' })
    await decide(slug, withdrawn, 'withdraw', viewer)
    await decide(slug, rejected, 'reject', editor)
    await later(HOUR_MS - 60_000, admin)
    expect(subjectsTo(admin).length).toBe(1)
    await later(60_000, admin, editor)
    await becomes(() => subjectsTo(admin).at(-1), '2 people suggest 2 changes to “Onboarding”')
    const { text } = lastTo(admin)
    expect([text.includes('“second”'), text.includes('“third”')]).toEqual([true, true])
    // One’s own are not news.
    await becomes(() => subjectsTo(editor).at(-1), 'Dana suggests a change to “Onboarding”')
    expect(lastTo(editor).text).not.toContain('“third”')
    // Another bundle has an hour of its own.
    const other = await admin.makeBundle({ title: 'Other' })
    await propose(other.slug, viewer)
    await becomes(() => subjectsTo(admin).at(-1), 'Dana suggests a change to “Other”')
  })

  test('what comes while a mail is on its way waits for the hour too', async () => {
    const { admin, editor, viewer, slug } = await newTeam()
    await server.sql('UPDATE user SET mail_proposed = 0 WHERE id = ? RETURNING 1', [editor.userId])
    // Those of the sign-ups come first.
    await allTried(server)
    const { promise, resolve } = Promise.withResolvers<void>()
    let isReached = false
    hold = () => {
      isReached = true
      return promise
    }
    try {
      await propose(slug, viewer)
      await becomes(() => isReached, true)
      await propose(slug, viewer, { title: 'two' })
    } finally {
      hold = async () => {}
      resolve()
    }
    await becomes(() => subjectsTo(admin).length, 1)
    await becomes(() => server.sql('SELECT lease FROM notices WHERE user_id = ?', [admin.userId]), [{ lease: null }])
    await later(HOUR_MS - 60_000, admin)
    expect(subjectsTo(admin).length).toBe(1)
    await later(60_000, admin)
    await becomes(() => subjectsTo(admin).length, 2)
  })

  test('one’s own decision is not mailed, whoever else’s proposal it was beside', async () => {
    const { admin, editor, viewer, slug } = await newTeam()
    const own = await propose(slug, editor, { description: 'mine' })
    const also = await propose(slug, editor, { description: 'mine too' })
    const theirs = await propose(slug, viewer, { description: 'theirs' })
    await becomes(() => [subjectsTo(admin).length, subjectsTo(editor).length], [1, 1])
    await decide(slug, own, 'accept', editor)
    await decide(slug, also, 'reject', editor)
    await decide(slug, theirs, 'reject', editor)
    await becomes(() => subjectsTo(viewer), ['“Onboarding”: your suggestion was rejected'])
    await allSent()
    expect(subjectsTo(editor)).toEqual(['Dana suggests a change to “Onboarding”'])
    expect(await rowsOf(editor)).toEqual([{ kind: 'proposed' }])
  })

  test('what is withdrawn before the mail sends none, and uses up no hour', async () => {
    const { admin, viewer, slug } = await newTeam()
    await propose(slug, viewer)
    await becomes(() => subjectsTo(admin).length, 1)
    await decide(slug, await propose(slug, viewer, { title: 'withdrawn' }), 'withdraw', viewer)
    await later(HOUR_MS, admin)
    expect(subjectsTo(admin).length).toBe(1)
    await propose(slug, viewer, { title: 'another' })
    await becomes(() => subjectsTo(admin).length, 2)
  })

  test('what somebody’s own key suggests is news to them, what they suggest themselves is not', async () => {
    const owner = await newPerson('Ada')
    const { slug } = await owner.makeBundle({ title: 'Mine' })
    await propose(slug, owner)
    const agent = await owner.program({ name: 'Claude on my laptop', scopes: ['links:propose'] })
    const id = await propose(slug, agent, { title: 'by an agent' })
    await becomes(() => subjectsTo(owner), ['Your key “Claude on my laptop” suggests a change to “Mine”'])
    await decide(slug, id, 'reject', owner)
    await allSent()
    expect(subjectsTo(owner).length).toBe(1)
  })

  test('who lost the right, is not proven, is kept out, deleted or wants none gets none', async () => {
    const { id, admin, viewer, slug } = await newTeam()
    const people = await Promise.all([newPerson(), newPerson(), newPerson(), newPerson(), newPerson()])
    const [left, unproven, disabled, deleted, unwilling] = people as [Person, Person, Person, Person, Person]
    for (const person of people) {
      await server.sql(
        "INSERT INTO member (id, organization_id, user_id, role, created_at) VALUES (?, ?, ?, 'editor', 1) RETURNING 1",
        [crypto.randomUUID(), id, person.userId],
      )
    }
    await propose(slug, viewer)
    await becomes(() => people.map((person) => subjectsTo(person).length), [1, 1, 1, 1, 1])
    await propose(slug, viewer, { title: 'again' })
    await server.sql("UPDATE member SET role = 'viewer' WHERE user_id = ? RETURNING 1", [left.userId])
    await server.sql('UPDATE user SET email_verified = 0 WHERE id = ? RETURNING 1', [unproven.userId])
    await server.sql('UPDATE user SET disabled_at = 1 WHERE id = ? RETURNING 1', [disabled.userId])
    expect((await deleted.api('POST', '/api/auth/delete-user', { password: 'correct horse battery' })).status).toBe(200)
    expect(await rowsOf(deleted)).toEqual([])
    const saved = await unwilling.form('/dashboard/settings', { change: 'mails', decided: 'yes' })
    expect(saved.headers.get('location')).toContain('notice=settingsSaved')
    await later(HOUR_MS, admin, ...people)
    await becomes(() => subjectsTo(admin).length, 2)
    expect(people.map((person) => subjectsTo(person).length)).toEqual([1, 1, 1, 1, 1])

    await server.sql('DELETE FROM member WHERE user_id = ? RETURNING 1', [viewer.userId])
    const [open] = await server.sql("SELECT id FROM proposals WHERE state = 'open' AND proposed_by = ? LIMIT 1", [
      viewer.userId,
    ])
    await decide(slug, String(open?.id), 'accept', admin)
    await allSent()
    expect(subjectsTo(viewer)).toEqual([])
  })

  test('one press in the mail program stops a kind, without signing in; a GET or a forged link stops nothing', async () => {
    const { admin, viewer, slug } = await newTeam()
    const id = await propose(slug, viewer)
    await becomes(() => subjectsTo(admin).length, 1)
    const mail = lastTo(admin)
    const link = unsubscribeOf(mail)
    expect(link).toStartWith(`${server.origin}/unsubscribe/proposed.${admin.userId}.`)
    expect(mail.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    expect(mail.text).toContain(link)
    const wants = async (person: Person) => (await person.api<{ mails: object }>('GET', '/api/me/export')).body.mails
    const stop = (url: string, init: RequestInit = {}) => fetch(url, { method: 'POST', redirect: 'manual', ...init })

    const shown = await fetch(link)
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Stop these emails?')])
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200)
    const forged = [
      link.replace(admin.userId, viewer.userId),
      link.replace('/proposed.', '/decided.'),
      link.slice(0, -1),
      `${server.origin}/unsubscribe/x`,
      `${server.origin}/unsubscribe/proposed.${admin.userId}.`,
    ]
    for (const url of forged) expect([url, (await stop(url)).status]).toEqual([url, 404])
    expect([await wants(admin), await wants(viewer)]).toEqual(
      Array(2).fill({ proposed: true, decided: true, keyEnds: true, linksBroken: true }),
    )

    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    const stopped = await stop(link, { body: form })
    expect([stopped.status, await stopped.text()]).toEqual([200, expect.stringContaining('You won’t get these emails')])
    expect([await wants(admin), await wants(viewer)]).toEqual([
      { proposed: false, decided: true, keyEnds: true, linksBroken: true },
      { proposed: true, decided: true, keyEnds: true, linksBroken: true },
    ])
    expect((await stop(link, { body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })).status).toBe(200)
    await propose(slug, viewer, { title: 'another' })
    expect(await server.sql('SELECT waiting FROM notices WHERE user_id = ?', [admin.userId])).toEqual([
      { waiting: '[]' },
    ])

    // It works for as long as the account does, whatever became of the proposal.
    await decide(slug, id, 'reject', admin)
    await admin.form('/dashboard/settings', {
      change: 'mails',
      proposed: 'yes',
      decided: 'yes',
      keyEnds: 'yes',
      linksBroken: 'yes',
    })
    expect(await wants(admin)).toEqual({ proposed: true, decided: true, keyEnds: true, linksBroken: true })
    expect((await stop(link)).status).toBe(200)
    expect(await wants(admin)).toEqual({ proposed: false, decided: true, keyEnds: true, linksBroken: true })
    await becomes(() => subjectsTo(viewer).length, 1)
    const ofViewer = unsubscribeOf(lastTo(viewer))
    expect((await viewer.api('POST', '/api/auth/delete-user', { password: 'correct horse battery' })).status).toBe(200)
    const gone = await stop(ofViewer)
    expect([gone.status, await gone.text()]).toEqual([410, expect.stringContaining('has been deleted')])
  })

  test('settings show all switches, on until somebody turns them off', async () => {
    const person = await newPerson()
    const checked = async () =>
      [
        ...(await (await person.fetch('/dashboard/settings')).text()).matchAll(/<input type="checkbox" name[^>]*>/g),
      ].map(([tag]) => [/name="(\w+)"/.exec(tag)?.[1], / checked/.test(tag)])
    expect(await checked()).toEqual([
      ['proposed', true],
      ['decided', true],
      ['keyEnds', true],
      ['linksBroken', true],
      // Of another form.
      ['checkLinks', true],
    ])
    await person.form('/dashboard/settings', { change: 'mails', proposed: 'yes' })
    expect(await checked()).toEqual([
      ['proposed', true],
      ['decided', false],
      ['keyEnds', false],
      ['linksBroken', false],
      ['checkLinks', true],
    ])
  })

  test('whoever suggests in many bundles sends nobody more than ten mails an hour; the others wait', async () => {
    const { admin, editor, viewer } = await newTeam()
    await server.sql('UPDATE user SET mail_proposed = 0 WHERE id = ? RETURNING 1', [editor.userId])
    for (let made = 0; made < 13; made += 1) {
      const { slug } = await admin.makeBundle({ title: `Bundle ${made}` })
      await propose(slug, viewer)
    }
    await becomes(() => subjectsTo(admin).length, 10)
    await allSent()
    expect(subjectsTo(admin).length).toBe(10)
    const held = () => server.sql("SELECT due_at FROM notices WHERE user_id = ? AND waiting <> '[]'", [admin.userId])
    // The server has a mail before it is stored that it was sent.
    await becomes(async () => (await held()).length, 3)
    for (const { due_at } of await held()) expect(Number(due_at)).toBeGreaterThan(Date.now())
  })

  test('texts of people bring no line, header, link or recipient into a mail', async () => {
    const { admin, viewer, slug } = await newTeam()
    // As no route would let them in.
    await server.sql('UPDATE bundles SET title = ? WHERE slug = ? RETURNING 1', [
      'Pay “now” at evil.example\r\nBcc: c@evil.example \u202eabc',
      slug,
    ])
    await server.sql('UPDATE user SET name = ? WHERE id = ? RETURNING 1', [
      'Dana\u2028\r\nx-injected: 1, evil.example',
      viewer.userId,
    ])
    await propose(slug, viewer, { title: 'x', reason: 'one\n\nhttps://evil.example/ “two” http://2130706433/' })
    await becomes(() => to(admin).length, 1)
    const { subject, text, html, headers, recipients } = lastTo(admin)
    expect(recipients).toEqual([admin.email])
    // Each part of a mail with a letterhead names its own encoding.
    expect([...headers.keys()].sort()).toEqual([
      'content-type',
      'date',
      'from',
      'list-unsubscribe',
      'list-unsubscribe-post',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ])
    expect(subject).toBe(
      "Dana x-injected: 1, evil.\u200bexample suggests a change to “Pay 'now' at evil.\u200bexample Bcc: c@evil.\u200bexample abc”",
    )
    expect(text.split(/\r?\n/)).toContain("  “one https:\u200b//evil.\u200bexample/ 'two' http:\u200b//2130706433/”")
    const links = Array.from(html?.matchAll(/href="([^"]*)"/g) ?? [], ([, link = '']) => new URL(link).origin)
    expect(links).toEqual([server.origin, server.origin])
  })

  test('a title as long as it may be is cut in the subject', async () => {
    const { admin, viewer, slug } = await newTeam('é'.repeat(200))
    await propose(slug, viewer)
    await becomes(() => subjectsTo(admin), [`Dana suggests a change to “${'é'.repeat(60)}…”`])
  })

  test('a mail server that does not answer delays nobody, and what it missed is sent once it is back', async () => {
    const { admin, viewer, slug } = await newTeam()
    await sink.stop()
    await propose(slug, viewer)
    await eventually(() => server.output().includes('a mail could not be sent; trying again'), 'it is tried')
    const log = server.output()
    for (const secret of [admin.email, 'Onboarding']) expect(log).not.toContain(secret)
    const port = Number(new URL(sink.url).port)
    const former = sink.mails
    sink = await startMailSink(port)
    const retry = () => server.sql('UPDATE mails SET due_at = 1 WHERE lease IS NULL RETURNING 1')
    // Under load, it may still be on its first try.
    await becomes(async () => (await retry()) && subjectsTo(admin), ['Dana suggests a change to “Onboarding”'])
    expect(former.filter(({ recipients }) => recipients.includes(admin.email)).filter(isOurs)).toEqual([])
  })

  test('a mail that cannot be made is tried again later and later, and keeps no other waiting', async () => {
    const { admin, editor, viewer, slug } = await newTeam()
    await propose(slug, viewer)
    await becomes(() => [subjectsTo(admin).length, subjectsTo(editor).length], [1, 1])
    const broken = await propose(slug, viewer, { title: 'broken' })
    await server.sql(`UPDATE proposals SET changes = '{"urls":5}' WHERE id = ? RETURNING 1`, [broken])
    await later(HOUR_MS, admin)
    const waiting = () => server.sql('SELECT attempts, lease FROM notices WHERE user_id = ?', [admin.userId])
    await becomes(waiting, [{ attempts: 1, lease: null }])
    const other = await admin.makeBundle({ title: 'Other' })
    await propose(other.slug, viewer)
    await becomes(() => subjectsTo(admin).at(-1), 'Dana suggests a change to “Other”')
    // The last try gives it up.
    await server.sql('UPDATE notices SET attempts = 4 WHERE user_id = ? AND attempts = 1 RETURNING 1', [admin.userId])
    await later(HOUR_MS, admin)
    const due = () => server.sql('SELECT 1 FROM notices WHERE user_id = ? AND due_at IS NOT NULL', [admin.userId])
    await becomes(due, [])
  })

  test('a mail that a process was sending when it died is sent by another, and by no other before', async () => {
    const { admin, viewer, slug } = await newTeam()
    await propose(slug, viewer)
    await becomes(() => subjectsTo(admin).length, 1)
    await propose(slug, viewer, { title: 'two' })
    // As a process leaves it that dies while it sends.
    await server.sql("UPDATE notices SET lease = 'of another', due_at = ? WHERE user_id = ? RETURNING 1", [
      Date.now() + HOUR_MS,
      admin.userId,
    ])
    await allSent()
    expect(subjectsTo(admin).length).toBe(1)
    await later(HOUR_MS, admin)
    await becomes(() => subjectsTo(admin).length, 2)
  })

  test('a bundle that is deleted is not told of', async () => {
    const { admin, editor, viewer, slug } = await newTeam()
    await propose(slug, viewer)
    await becomes(() => [subjectsTo(admin).length, subjectsTo(editor).length], [1, 1])
    await propose(slug, viewer, { title: 'two' })
    expect((await admin.api('DELETE', `/api/links/${slug}`)).status).toBe(200)
    await later(HOUR_MS, admin, editor)
    expect([subjectsTo(admin).length, subjectsTo(editor).length]).toEqual([1, 1])
  })
})

testOnce('whoever suggests every hour sends nobody more than thirty mails a day; the others wait', async () => {
  const sink = await startMailSink(freePort())
  const server = await startInProcess({ SMTP_URL: sink.url })
  let later = 0
  const now = performance.now.bind(performance)
  const clock = spyOn(performance, 'now').mockImplementation(() => now() + later)
  try {
    const owner = await signUp(server)
    await server.sql('UPDATE user SET email_verified = 1 RETURNING 1')
    const agent = await owner.program({ scopes: ['links:propose'] })
    const told = () => sink.mails.filter(({ subject }) => subject.includes('suggests')).length
    const held = async () =>
      (await server.sql("SELECT due_at FROM notices WHERE waiting <> '[]' AND due_at > ?", [Date.now()])).length
    // Two hours apart, so that those of the last hour never count.
    for (const [round, sent] of [8, 16, 24, 30, 30].entries()) {
      later = round * 2 * HOUR_MS
      for (let made = 0; made < 8; made += 1) {
        const { slug } = await owner.makeBundle()
        expect((await agent.api('POST', `/api/links/${slug}/proposals`, { title: 'x' })).status).toBe(201)
      }
      await becomes(async () => [told(), await held()], [sent, (round + 1) * 8 - sent])
    }
    // A day after the first, those that waited are sent.
    later = 25 * HOUR_MS
    await server.sql("UPDATE notices SET due_at = 1 WHERE waiting <> '[]' RETURNING 1")
    await becomes(async () => [told(), await held()], [38, 2])
  } finally {
    clock.mockRestore()
    await server.stop()
    await sink.stop()
  }
})

test('of two servers on one store, only one sends a mail', async () => {
  const sink = await startMailSink(freePort())
  const env = { SMTP_URL: sink.url, SERVICE_SECRET: 'a secret of the tests, forty characters long' }
  const first = await startServer({ env })
  const second = await startServer({ env, database: first.database })
  try {
    const [admin, viewer] = await Promise.all([signUp(first), signUp(first)])
    await first.sql('UPDATE user SET email_verified = 1 RETURNING 1')
    const { id } = await newOrganization(admin, [[viewer, 'viewer']])
    await actFor(admin, id)
    const slugs = await Promise.all(Array.from({ length: 8 }, async () => (await admin.makeBundle()).slug))
    for (const slug of slugs) await viewer.api('POST', `/api/links/${slug}/proposals`, { title: 'x' })
    const told = () =>
      sink.mails.filter(({ subject }) => subject.includes('suggests')).map(({ text }) => linkIn({ text }))
    await becomes(() => first.sql('SELECT 1 FROM notices WHERE not_before IS NULL'), [])
    await becomes(() => first.sql('SELECT 1 FROM mails'), [])
    expect(told().length).toBe(8)
    expect(new Set(told()).size).toBe(8)
  } finally {
    await Promise.all([first.stop(), second.stop(), sink.stop()])
  }
})

test('without a mail server nothing is noted, and settings have no switches', async () => {
  const server = await startOn(TARGETS[0]!, { NODE_ENV: 'production' })
  try {
    const owner = await signUp(server)
    await server.sql('UPDATE user SET email_verified = 1 WHERE id = ? RETURNING 1', [owner.userId])
    const { slug } = await owner.makeBundle()
    const agent = await owner.program({ scopes: ['links:propose'] })
    const { status } = await agent.api('POST', `/api/links/${slug}/proposals`, { title: 'x' })
    expect(status).toBe(201)
    expect(await server.sql('SELECT 1 FROM notices')).toEqual([])
    expect(await (await owner.fetch('/dashboard/settings')).text()).not.toContain('id="mails"')
  } finally {
    await server.stop()
  }
})
