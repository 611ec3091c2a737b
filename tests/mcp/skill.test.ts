import { expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import '../../src/core/schemas.ts'
import { operations } from '../../src/api/implementations.ts'
import { isTool } from '../../src/mcp/tools.ts'
import { mint, newPerson } from '../contract/people.ts'
import { onEveryTarget } from '../targets.ts'
import { legacyAgent } from './support.ts'

setDefaultTimeout(180_000)

const INDEX = '/.well-known/agent-skills/index.json'

interface Listed {
  name: string
  type: string
  description: string
  url: string
  digest: string
}

onEveryTarget({}, (at) => {
  async function readSkill() {
    const index = await fetch(at().origin + INDEX)
    const { $schema, skills } = (await index.json()) as { $schema: string; skills: Listed[] }
    const answer = await fetch(skills[0]!.url)
    return { index, $schema, skills, answer, text: await answer.text() }
  }

  test('the skill is listed where agents look, with the digest of what is served', async () => {
    const { index, $schema, skills, answer, text } = await readSkill()
    expect([index.headers.get('content-type'), index.headers.get('access-control-allow-origin')]).toEqual([
      'application/json; charset=utf-8',
      '*',
    ])
    expect($schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json')
    expect(skills).toHaveLength(1)
    const { name, type, description, url, digest } = skills[0]!
    expect([type, url]).toEqual(['skill-md', `${at().origin}/.well-known/agent-skills/${name}/SKILL.md`])
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    expect(description.length).toBeLessThanOrEqual(1024)
    expect(digest).toBe(`sha256:${createHash('sha256').update(text).digest('hex')}`)
    expect(answer.headers.get('content-type')).toStartWith('text/markdown')
    expect(text).toStartWith(`---\nname: ${name}\ndescription: ${description}\n---\n`)
  })

  test('every call that it shows is one of a tool, and does what it says, one after the other', async () => {
    const { text } = await readSkill()
    const shown = Array.from(text.matchAll(/```json\n(.*?)\n```/gs), ([, json = '']) => {
      return JSON.parse(json) as { tool: string; arguments: Record<string, unknown> }
    })
    expect(shown.length).toBeGreaterThan(10)
    const { rawKey } = await mint(at(), await newPerson(at()), { scopes: ['links:write'] })
    const agent = await legacyAgent(at(), rawKey)
    for (const { tool, arguments: args } of shown) {
      const { isError = false, content } = await agent.call(tool, args)
      expect([tool, isError, content[0]?.text]).toEqual([tool, false, expect.any(String)])
    }
    const { structuredContent } = await agent.call('get_bundle', { slug: 'launch-day' })
    expect(structuredContent).toMatchObject({
      title: 'Launch day',
      urls: ['https://example.com/plan', 'https://example.com/status'],
    })
    await agent.close()
    const tools = operations.filter(isTool).map(({ name }) => name)
    expect(shown.map(({ tool }) => tool).filter((tool) => !tools.includes(tool))).toEqual([])
  })
})
