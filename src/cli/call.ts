import { OPERATIONS, type OperationName } from '../operations/table.ts'
import { command } from './command.ts'
import { UsageError } from './exit.ts'
import { readJson } from './input.ts'
import { printJson } from './output.ts'
import { expectedVersionIn, IF_VERSION, methodOf } from './row.ts'

const NAMES = Object.keys(OPERATIONS)

export const call = command({
  summary: 'Call any API operation by name, with JSON input',
  examples: [
    `openall call get_insights '{"slug":"4k2mz7qy9p","range":"7d"}'`,
    'openall call create_bundle --file bundle.json',
  ],
  args: {
    operation: { type: 'positional', description: NAMES.join(', ') },
    input: { type: 'positional', optional: true, description: 'A JSON object with all fields' },
    file: { alias: 'f', valueHint: 'path', description: 'Read the input from a file; - is standard input' },
    'idempotency-key': { valueHint: 'text', description: 'With the same key, takes effect once in 24 hours' },
    'if-version': IF_VERSION,
  },
  async run({ args, client }) {
    if (!NAMES.includes(args.operation)) {
      throw new UsageError(`there is no operation ${args.operation}: it must be one of ${NAMES.join(', ')}`)
    }
    const input = args.file === undefined ? parsed(args.input ?? '{}') : await readJson(args.file)
    const answer = await methodOf(client, args.operation as OperationName)(input, {
      idempotencyKey: args['idempotency-key'],
      ...expectedVersionIn(args['if-version']),
    })
    if (answer !== undefined) printJson(answer)
  },
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('the input is not valid JSON')
  }
}
