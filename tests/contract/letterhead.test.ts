import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { startMailSink } from '../mail-sink.ts'
import { actFor, newEmail, newOrganization, newPerson, type Person } from '../people.ts'
import { freePort } from '../ports.ts'
import type { Server } from '../server.ts'
import { PICTURES } from './icon-files.ts'

// What mails of an organisation look like; what they say is tested where they are sent.

let sink: Awaited<ReturnType<typeof startMailSink>>
let server: Server
beforeAll(async () => {
  sink = await startMailSink(freePort())
  server = await startInProcess({
    SMTP_URL: sink.url,
    SERVICE_MAIL_FROM: 'service@openall.example',
    SERVICE_NAME: 'Go & see',
  })
})
afterAll(async () => {
  await server?.stop()
  await sink?.stop()
})

async function newTeam(look: object) {
  const admin = await proven(await newPerson(server))
  const { id } = await newOrganization(admin)
  await actFor(admin, id)
  const { body } = await admin.api<{ organization: { pictureUrl: string } }>('PATCH', `/api/organizations/${id}`, look)
  const { pictureUrl } = body.organization
  return { id, admin, pictureUrl }
}

async function proven(person: Person): Promise<Person> {
  await server.sql('UPDATE user SET email_verified = 1 WHERE id = ? RETURNING 1', [person.userId])
  return person
}

const PICTURED = { name: 'Orchard', color: 'teal', picture: Buffer.from(PICTURES.png).toString('base64') }

test('an invitation shows the picture, the name and the colour, with the service beside it; its text is the same', async () => {
  const { id, admin, pictureUrl } = await newTeam(PICTURED)
  const email = newEmail('invited')
  await admin.api('POST', `/api/organizations/${id}/invitations`, { email, role: 'viewer' })
  const { text, html, headers } = await sink.mailTo(email)
  expect(headers.get('content-type')).toStartWith('multipart/alternative')
  expect(html).toContain(`<img src="${pictureUrl}" alt="" width="40" height="40"`)
  expect(html).toContain('<strong>Orchard</strong><br>on Go &amp; see')
  expect(html).toContain('border-left:4px solid #0e6478')
  const [link = ''] = /^http\S+\/invitation\S+$/m.exec(text) ?? []
  expect(html).toContain(`<a href="${link}">${link}</a>`)
  // Nothing is in one part alone.
  const [, below = ''] = (html ?? '').split('</table>')
  const read = below
    .replace(/<\/p>/g, '\n\n')
    .replace(/<br>/g, '\n')
    .replace(/<[^>]+>/g, '')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&')
  expect(read.trim()).toBe(text.replaceAll('\r\n', '\n').trim())
  expect((await fetch(pictureUrl)).status).toBe(200)
})

test('without a picture, there is a letter; names are text, and lead nowhere', async () => {
  const name = '<img src=x onerror=alert(1)> “ & Acme.example'
  const { id, admin } = await newTeam({ name })
  const email = newEmail('invited')
  await admin.api('POST', `/api/organizations/${id}/invitations`, { email, role: 'viewer' })
  const { html } = await sink.mailTo(email)
  expect(html).not.toContain('<img')
  expect(html).toContain('<strong>&lt;img src=x onerror=alert(1)&gt; &#x27; &amp; Acme.\u200bexample</strong>')
  expect(html?.match(/href="[^"]*"/g)).toHaveLength(1)
})

test('so do the mails about its roles, webhooks and suggestions; those about a person’s own things are plain text', async () => {
  const { id, admin, pictureUrl } = await newTeam(PICTURED)
  const member = await proven(await newPerson(server))
  const email = newEmail('self')
  await admin.api('POST', `/api/organizations/${id}/invitations`, { email: member.email, role: 'viewer' })
  const invited = await server.sql('SELECT id FROM invitation WHERE email = ?', [member.email])
  await member.api('POST', '/api/auth/organization/accept-invitation', { invitationId: invited[0]?.id })
  await admin.api('PATCH', `/api/organizations/${id}/members/${member.userId}`, { role: 'editor' })
  await admin.api('POST', '/api/me/webhooks', { url: 'https://93.184.216.34/hook', events: ['bundle.created'] })
  const { slug } = await admin.makeBundle({ title: 'Team' })
  await actFor(member, null)
  const { slug: own } = await member.makeBundle({ title: 'Own' })
  const key = await member.program({ scopes: ['links:propose'] })
  for (const [path, by] of [
    [slug, member],
    [own, key],
  ] as const)
    expect((await by.api('POST', `/api/links/${path}/proposals`, { title: 'Better' })).status).toBe(201)
  for (const [person, subject] of [
    [member, 'Your role'],
    [admin, 'New webhook'],
  ] as const) {
    const { html } = await sink.mailTo(person.email, subject)
    expect([subject, html?.includes(pictureUrl)]).toEqual([subject, true])
  }
  const about = (person: Person, title: string) =>
    sink.mails.find(({ recipients, subject }) => recipients.includes(person.email) && subject.includes(title))
  const until = async (person: Person, title: string) => {
    for (let waited = 0; waited < 100 && about(person, title) === undefined; waited += 1) await Bun.sleep(100)
    return about(person, title)?.html
  }
  expect(await until(admin, 'Team')).toContain(pictureUrl)
  expect(await until(member, 'Own')).toBe(null)
  await member.api('POST', '/api/auth/sign-in/magic-link', { email })
  expect((await sink.mailTo(email)).html).toBe(null)
})
