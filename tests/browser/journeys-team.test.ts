import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { startMailSink } from '../mail-sink.ts'
import { linkIn, newEmail, PASSWORD } from '../people.ts'
import { freePort } from '../ports.ts'
import type { Server } from '../server.ts'
import { kindsOfWay } from './engines.ts'
import { At, button, link } from './journey.ts'
import { becomes } from './launching.ts'
import type { Engine } from './viewer.ts'

// A team lead and a colleague, each in a browser of their own, with mails that went over SMTP.

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(300_000)

const CHAT = `Hi all, reading for Monday:
[10:02] Dana Reyes: morning! agenda is here https://a.example/agenda, please read
[10:03] Sam: https://b.example/board
[10:05] Dana Reyes: design files: https://c.example/d`

let server: Server
let sink: Awaited<ReturnType<typeof startMailSink>>
beforeAll(async () => {
  const port = freePort()
  sink = await startMailSink(port)
  server = await startInProcess({ SMTP_URL: `smtp://127.0.0.1:${port}` })
})
afterAll(async () => {
  await server.stop()
  await sink.stop()
})

describe.each(kindsOfWay('WebKit'))('$name', (kind) => {
  const engines: Engine[] = []
  /** Opens a page in a browser that nobody has used. */
  const inOwnBrowser = async (url: string) => {
    const engine = await kind.start()
    engines.push(engine)
    return new At(server.origin, await engine.open(url, { popups: 'as-is' }))
  }
  const [dana, sam] = [newEmail('dana'), newEmail('sam')]
  const mailed = async (email: string, subject: string) => linkIn(await sink.mailTo(email, subject))
  let lead: At
  let colleague: At
  let bundle: string
  beforeAll(async () => {
    lead = await inOwnBrowser(`${server.origin}/`)
  })
  afterAll(async () => {
    for (const { viewer } of [lead, colleague]) await viewer?.close()
    for (const engine of engines) await engine.stop()
  })

  test('the lead pastes a chat, corrects a title and gets the link', async () => {
    await lead.paste('[name=urls]', CHAT)
    await becomes(() => lead.values('[aria-label^="Title of link"]'), ['Agenda', '', 'Design files'])
    expect(await lead.values('[name=title]')).toEqual(['Reading for Monday'])
    await lead.fill('[aria-label="Title of link 3"]', 'Designs')
    await lead.click(button('Get the link'))
    await lead.sees('Reading for Monday')
    const url = await lead.viewer.read<string>("document.querySelector('a.shared').href")
    bundle = `/dashboard/links/${url.split('/').at(-1)}`
    const launcher = await (await fetch(url)).text()
    for (const title of ['Agenda', 'Designs']) expect(launcher).toContain(title)
    expect(launcher).not.toContain('Dana Reyes')
  })

  test('the lead makes an account, which takes the bundle, and confirms the address', async () => {
    await lead.click('a[href*="/claim/"]')
    await lead.click('a[href^="/sign-up"]')
    await lead.fill('[name=email]', dana)
    await lead.fill('[name=name]', 'Dana')
    await lead.fill('[name=password]', PASSWORD)
    await lead.click('main form [type=submit]')
    await lead.has(`a[href="${bundle}"]`)
    await lead.open(await mailed(dana, 'Confirm'))
    await lead.click('main form [type=submit]')
    await lead.lacks('main form [type=submit]')
  })

  test('the lead makes an organisation, moves the bundle there and invites a colleague', async () => {
    await lead.open('/dashboard/organizations')
    await lead.fill('[name=name]', 'Northwind')
    await lead.click(button('Create organisation'))
    await lead.click('//label[contains(., "Reading for Monday")]//input[@type="checkbox"]')
    await lead.click('form[action$="/move"] [type=submit]')
    await lead.lacks('form[action$="/move"]')
    await lead.open('/dashboard')
    await lead.has(link('Reading for Monday'))
    await lead.open('/dashboard/organizations')
    await lead.click(link('Northwind'))
    await lead.fill('[name=email]', sam)
    await lead.choose('[name=role]', 'viewer')
    await lead.click(button('Send invitation'))
    await lead.sees(sam)
  })

  test('the colleague joins in two steps: the link of the mail, and a password', async () => {
    colleague = await inOwnBrowser(await mailed(sam, 'Dana invited you to Northwind'))
    expect(await colleague.values('[name=email], [type=email], [autocomplete=username]')).toEqual([sam])
    await colleague.fill('[name=name]', 'Sam')
    await colleague.fill('[name=password]', PASSWORD)
    await colleague.click('main form [type=submit]')
    await colleague.has(link('Reading for Monday'))
    expect(await colleague.path()).toBe('/dashboard')
  })

  test('the colleague suggests an edit, and the lead is told and sees that one waits', async () => {
    await colleague.click(link('Reading for Monday'))
    await colleague.click('a[href$="/suggest"]')
    await colleague.fill('[name=title]', 'Reading for Tuesday')
    await colleague.fill('[name=reason]', 'Monday is a holiday.')
    await colleague.click(button('Send suggestion'))
    await colleague.sees('Monday is a holiday.')
    const asked = await mailed(dana, 'Sam suggests')
    expect(new URL(asked).pathname).toStartWith(`${bundle}/proposals/`)
    await lead.open('/dashboard')
    await lead.has(`//main//a[contains(@href, "${bundle}/proposals")]`)
    await lead.click(link('Reading for Monday'))
    await lead.has(`//main//a[@href="${bundle}/proposals"][contains(., "1")]`)
    await lead.open(asked)
    await lead.sees('Monday is a holiday.')
  })

  test('the lead accepts, the versions name the colleague, and the colleague is told', async () => {
    await lead.click('form[action$="/accept"] [type=submit]')
    await lead.has('//h1[contains(., "Reading for Tuesday")]')
    await lead.open(`${bundle}/versions`)
    await lead.sees('Sam, accepted by you')
    await colleague.open(await mailed(sam, '“Reading for Tuesday”'))
    await colleague.has('//h1[contains(., "Reading for Tuesday")]')
    await colleague.sees('Accepted by Dana')
    await colleague.open(`${bundle}/versions`)
    await colleague.sees('You, accepted by Dana')
    expect(await lead.texts(`main a[href="${bundle}/proposals"]`)).not.toContain('1')
  })

  test.if(kind.name !== 'WebKit')('no page has left an error or a warning in the console', async () => {
    for (const { viewer } of [lead, colleague]) expect(await viewer.complaints?.()).toEqual([])
  })
})
