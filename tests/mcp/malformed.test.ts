import { expect, setDefaultTimeout, test } from 'bun:test'
import { mint, newPerson } from '../contract/people.ts'
import { onEveryTarget } from '../targets.ts'
import { send } from './support.ts'

setDefaultTimeout(180_000)

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const REF = { type: 'ref/resource', uri: 'bundle://{slug}' }
const CLIENT = { capabilities: {}, clientInfo: { name: 'x', version: '1' } }

/** Malformed parameters of every method that has any, and the field that is wrong. */
const MALFORMED: [method: string, params: Record<string, unknown> | undefined, field: string][] = [
  ['initialize', undefined, 'params'],
  ['initialize', {}, 'protocolVersion'],
  ['initialize', { ...CLIENT, protocolVersion: 5 }, 'protocolVersion'],
  ['initialize', { ...CLIENT, protocolVersion: '2025-11-25', clientInfo: [] }, 'clientInfo'],
  ['tools/list', { cursor: 5 }, 'cursor'],
  ['tools/call', undefined, 'params'],
  ['tools/call', {}, 'name'],
  ['tools/call', { name: 5 }, 'name'],
  ['tools/call', { name: 'who_am_i', arguments: [] }, 'arguments'],
  ['tools/call', { name: 'who_am_i', arguments: 'x' }, 'arguments'],
  ['resources/list', { cursor: [] }, 'cursor'],
  ['resources/read', undefined, 'params'],
  ['resources/read', {}, 'uri'],
  ['resources/read', { uri: 5 }, 'uri'],
  ['resources/read', { uri: null }, 'uri'],
  ['resources/templates/list', { cursor: {} }, 'cursor'],
  ['prompts/list', { cursor: true }, 'cursor'],
  ['prompts/get', undefined, 'params'],
  ['prompts/get', {}, 'name'],
  ['prompts/get', { name: [] }, 'name'],
  ['prompts/get', { name: 'write_policy', arguments: { slug: 5 } }, 'arguments.slug'],
  ['completion/complete', {}, 'ref'],
  ['completion/complete', { ref: 5, argument: { name: 'slug', value: '' } }, 'ref'],
  ['completion/complete', { ref: { type: 'x' }, argument: { name: 'slug', value: '' } }, 'ref'],
  ['completion/complete', { ref: REF }, 'argument'],
  ['completion/complete', { ref: REF, argument: { name: 'slug', value: 5 } }, 'argument.value'],
  ['logging/setLevel', {}, 'level'],
  ['logging/setLevel', { level: 'loud' }, 'level'],
]
/** Methods that the stateless revision has not. */
const NOT_MODERN = /^(?:initialize|logging)/

onEveryTarget({}, (at) => {
  test('malformed parameters are -32602 and a sentence that names the field, in every method and revision', async () => {
    const { rawKey } = await mint(at(), await newPerson(at()), { scopes: ['keys:admin'] })
    const asked = async (method: string, params: object | undefined, more: Record<string, string> = {}) => {
      const message = { jsonrpc: '2.0', id: 7, method, ...(params === undefined ? {} : { params }) }
      return (await send(at(), message, { authorization: `Bearer ${rawKey}`, ...more })).body
    }
    const check = (row: unknown, field: string, { id, error }: Awaited<ReturnType<typeof asked>>) => {
      expect([row, id, error?.code]).toEqual([row, 7, -32602])
      expect([row, error.message.startsWith(`${field} `), /^[^\n]{10,200}\.$/.test(error.message)]).toEqual([
        row,
        true,
        true,
      ])
      expect(error.message).not.toMatch(/undefined|invalid_type|ZodError/)
    }
    for (const row of MALFORMED) {
      const [method, params, field] = row
      check(row, field, await asked(method, params))
      if (params === undefined || NOT_MODERN.test(method)) continue
      const named = (params.name ?? params.uri) as unknown
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }
      const answer = await asked(
        method,
        { ...params, _meta: META },
        { ...headers, ...(typeof named === 'string' ? { 'mcp-name': named } : {}) },
      )
      check(row, field, answer)
    }
    expect(at().output()).not.toContain('failed')
  })
})
