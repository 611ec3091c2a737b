import { expect, test } from 'bun:test'
import '../../src/core/schemas.ts'
import { operations } from '../../src/api/implementations.ts'
import { prompts } from '../../src/mcp/server.ts'
import { isTool } from '../../src/mcp/tools.ts'
import { blocksOf, pageOf } from './run.ts'

const PAGE = pageOf('mcp.md')

test('the configurations for agents are valid as written, and send the key to the right place', () => {
  const blocks = blocksOf(PAGE, 'json').map((block) => JSON.stringify(JSON.parse(block)))
  blocks.push(...blocksOf(PAGE, 'toml').map((block) => JSON.stringify(Bun.TOML.parse(block))))
  expect(blocks.length).toBeGreaterThanOrEqual(4)
  for (const block of blocks) {
    expect(block).toContain('https://openall.example/api/mcp')
    expect(block).toMatch(/"Authorization":"Bearer \$|bearer_token_env_var/)
  }
})

test('the page names every tool and every prompt', () => {
  for (const { name } of [...operations.filter(isTool), ...prompts]) expect(PAGE).toContain(`\`${name}\``)
})
