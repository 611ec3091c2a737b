import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mint, newOrganization, newPerson } from '../contract/people.ts'
import { START_MS } from '../contract/support.ts'
import { startInProcess } from '../in-process.ts'
import { need } from '../needs.ts'
import type { Server } from '../server.ts'
import { blocksOf, pageOf, Shell } from './run.ts'

const PAGE = pageOf('api.md')
const blocks = blocksOf(PAGE, 'sh')
const shell = new Shell()
let server: Server
let key: string
let team: string
let teamKey: string
beforeAll(async () => {
  need('curl', 'jq')
  server = await startInProcess()
  const person = await newPerson(server)
  key = (await mint(server, person)).rawKey
  const organization = await newOrganization(server, person)
  team = organization.id
  await organization.join(await newPerson(server), 'editor')
  teamKey = (await mint(server, person, { scopes: ['keys:admin'] })).rawKey
}, START_MS)
afterAll(async () => {
  await server.stop()
  shell.remove()
})

const environment = () => ({ OPENALL: server.origin, KEY: key, TEAM: team, TEAM_KEY: teamKey })

test('the commands of the page work as written, one after the other', async () => {
  expect(blocks.length).toBeGreaterThanOrEqual(12)
  const { code, output, errors } = await shell.run(blocks.join('\n'), environment())
  expect([code, code === 0 ? '' : output + errors]).toEqual([0, ''])
  expect(output).toContain('"claimToken"')
  expect(output).toContain('"Launch day, moved"')
  expect(output).toContain('"On a phone"')
  expect(output).toContain('day,views,openAllClicks')
  expect(output).toContain('"deletedAt"')
  for (const done of ['"newcomer@example.com"', '"role":"viewer"', '"removedAt"', '"Acme Support"'])
    expect(output).toContain(done)
  expect(output).toContain(`"organizationId": "${team}"`)
  expect(output).toMatch(/^\w{10}\tLaunch day$/m)
}, 180_000)

test('a command that the service refuses fails the test', async () => {
  const { code } = await shell.run(blocks[1]!, { ...environment(), KEY: 'nonsense' })
  expect(code).not.toBe(0)
})

test('the page names every variable that it does not set, before the first command that has it', () => {
  const text = blocks.join('\n')
  const used = new Set(Array.from(text.matchAll(/\$\(?\(?([A-Z_]+)/g), ([, name = '']) => name))
  const given = [...used].filter((name) => !new RegExp(`^\\s*${name}=`, 'm').test(text))
  expect(given.sort()).toEqual(['KEY', 'OPENALL', 'TEAM', 'TEAM_KEY'])
  const before = (name: string) => PAGE.slice(0, PAGE.search(new RegExp(`\\$${name}\\b`)))
  expect(given.filter((name) => !before(name).includes(`\`${name}\``))).toEqual([])
})
