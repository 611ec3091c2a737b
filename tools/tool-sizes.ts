import { operations } from '../src/api/implementations.ts'
import { isTool, toTool } from '../src/mcp/tools.ts'

// What each tool costs an agent before its first call, in bytes; `tests/mcp/door.test.ts` bounds their sum.

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

const rows = operations
  .filter(isTool)
  .map((operation) => ({ scope: operation.keyScope ?? operation.auth, ...toTool(operation) }))
  .map(({ scope, ...tool }) => ({
    tool: tool.name,
    scope,
    bytes: bytes(tool),
    words: bytes(tool.title) + bytes(tool.description),
    input: bytes(tool.inputSchema),
    output: bytes(tool.outputSchema),
  }))
  .sort((a, b) => b.bytes - a.bytes)
const sum = (part: 'bytes' | 'words' | 'input' | 'output') => rows.reduce((total, row) => total + row[part], 0)
console.table([
  ...rows,
  { tool: 'all', scope: '', bytes: sum('bytes'), words: sum('words'), input: sum('input'), output: sum('output') },
])
process.exit()
