import type { SentEvent } from '../../db/schema.ts'
import { Bundle, BundleWithHealth } from '../bundles/content/answers.ts'
import { pick } from '../bundles/content/content.ts'
import type { JsonSchema } from '../core/shape.ts'
import { LoggedEvent } from '../events/shapes.ts'
import { TOLD } from '../events/stored.ts'
import { SubjectShape } from '../identity/answers.ts'
import type { Described, OpenApi, Parameter } from '../operations/openapi-types.ts'
import { Proposal } from '../proposals/answers.ts'
import { type Naming, schemaOf } from './json-schema.ts'
import { exampleOf, named } from './openapi-answers.ts'

// The requests that the service sends to webhooks, for the document.

type About = 'bundle' | 'bundle with health' | 'deleted bundle' | 'proposal' | 'test'

/** Each event: when it is sent, and what it is about. */
const EVENTS: Record<SentEvent, readonly [when: string, about: About]> = {
  'bundle.created': ['A bundle was created, imported or copied', 'bundle'],
  'bundle.updated': ['A bundle was edited, or an old version restored', 'bundle'],
  'bundle.deleted': ['A bundle was deleted', 'deleted bundle'],
  'bundle.restored': ['The deletion of a bundle was undone', 'bundle'],
  'bundle.claimed': ['A bundle that was created without an account was claimed', 'bundle'],
  'bundle.transferred': ['A bundle moved to another owner', 'bundle'],
  'bundle.links_broken': ['Links in a bundle are broken', 'bundle with health'],
  'proposal.opened': ['Somebody suggested an edit of a bundle', 'proposal'],
  'proposal.accepted': ['A suggested edit was accepted', 'proposal'],
  'proposal.rejected': ['A suggested edit was rejected', 'proposal'],
  'webhook.test': ['Its owner asked for a test', 'test'],
}

/** The request for each event. */
export function webhookPosts(naming: Naming): OpenApi['webhooks'] {
  const events = Object.entries(EVENTS) as [SentEvent, (typeof EVENTS)[SentEvent]][]
  return Object.fromEntries(events.map(([event, words]) => [event, { post: toldOf(event, words, naming) }]))
}

function toldOf(event: SentEvent, [when, about]: (typeof EVENTS)[SentEvent], naming: Naming): Described {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      type: { type: 'string', const: event, description: 'The event.' },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
      ...(about === 'test' ? {} : eventFields(naming)),
      subject: { ...schemaOf(SubjectShape(), naming), description: 'Whose webhook it is.' },
      data: dataOf(about, naming),
    },
    required: ['type', 'timestamp', 'subject', 'data'],
  }
  return {
    operationId: `receive_${event.replace('.', '_')}`,
    tags: ['Webhooks'],
    summary: when,
    description:
      'Sent to each webhook that wants the event, signed as Standard Webhooks specifies, and again until it is accepted: ' +
      'the same event may arrive twice, with the same `webhook-id`. Events may get more fields.',
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema, examples: named(exampleOf(schema, naming.definitions)) } },
    },
    responses: { '2XX': { description: 'The event is accepted. Nothing else of the answer is read.' } },
  }
}

/** The logged fields of the event that are sent. */
function eventFields(naming: Naming): Record<string, JsonSchema> {
  schemaOf(LoggedEvent(), naming)
  const { properties } = naming.definitions.get('LoggedEvent') as { properties: Record<string, JsonSchema> }
  return pick(TOLD, properties as Record<(typeof TOLD)[number], JsonSchema>)
}

function dataOf(about: About, naming: Naming): JsonSchema {
  if (about === 'proposal') return schemaOf(Proposal(), naming)
  if (about === 'bundle with health') return schemaOf(BundleWithHealth(), naming)
  if (about === 'test') {
    const webhookId = { type: 'string', description: 'The webhook.' }
    return { type: 'object', properties: { webhookId }, required: ['webhookId'] }
  }
  const bundle = schemaOf(Bundle(), naming)
  if (about === 'bundle') return bundle
  const { properties, required, ...rest } = naming.definitions.get('Bundle') as {
    properties: Record<string, JsonSchema>
    required: string[]
  }
  const deletedAt = { type: 'string', format: 'date-time', description: 'When it was deleted.' }
  return { ...rest, properties: { ...properties, deletedAt }, required: [...required, 'deletedAt'] }
}

function header(name: string, description: string, pattern: string, example: string): Parameter {
  return { name, in: 'header', required: true, description, schema: { type: 'string', pattern }, example }
}

const HEADERS = [
  header(
    'openall-webhook-id',
    'The webhook, by which a receiver of several knows whose secret to check with.',
    '^wh_[A-Za-z0-9]+$',
    'wh_4fGk2bNq8ZxT7mQa',
  ),
  header('webhook-id', 'The id of the event: the same each time it is sent.', '^msg_[A-Za-z0-9]+$', 'msg_2mWz3fGkQ9xT'),
  header('webhook-timestamp', 'When it was sent: seconds since 1970.', '^[0-9]+$', '1795166400'),
  header(
    'webhook-signature',
    'Signatures of id, timestamp and body, with a space between them.',
    '^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]
