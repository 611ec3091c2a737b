import { type } from 'arktype'
import { COLORS, DIMENSIONS } from '../../db/schema.ts'
import { HANDLE_DOC } from '../accounts/operations.ts'
import { BUNDLES, Versions, wholeWithHealth } from '../bundles/content/answers.ts'
import { CreatedAt, DeletedAt, OrganizationId, Slug, UpdatedAt, UserId } from '../core/fields.ts'
import { lazy } from '../core/lazy.ts'
import { object, says, Time } from '../core/shape.ts'
import { EventList } from '../events/shapes.ts'
import { Acting, Me } from '../identity/answers.ts'
import { ROLES } from '../identity/caller.ts'
import { CLICKS_DOC, DAY_DOC, OPENS_DOC, RULE_ID_DOC, VIEWS_DOC } from '../insights/shapes.ts'
import { KeyList } from '../keys/shapes.ts'
import { TAB_DOCS } from '../policies/shapes.ts'
import { ListedProposals, Proposal } from '../proposals/answers.ts'
import { WebhookList } from '../webhooks/shapes.ts'

const DAY = says('string', ...DAY_DOC)
const VIEWS = says('number.integer >= 0', ...VIEWS_DOC)

const insights = lazy(() =>
  object({
    counts: says(
      object({
        day: DAY,
        views: VIEWS,
        openAllClicks: says('number.integer >= 0', ...CLICKS_DOC),
        ruleId: says('string | null', ...RULE_ID_DOC),
      }).array(),
      'Per UTC day and rule, oldest day first.',
    ),
    viewers: says(
      object({ day: DAY, viewers: says('number.integer >= 0', 'Distinct viewers on that day.', 12) }).array(),
      'Distinct viewers per UTC day, oldest first.',
    ),
    breakdowns: says(
      object({
        day: DAY,
        dimension: says(type.enumerated(...DIMENSIONS), 'What the views are counted by.', 'referrer'),
        value: says(
          'string | null',
          'The value; null for none, `*` for what a day has beyond those it keeps.',
          'news.example',
        ),
        views: says('number.integer >= 1', ...VIEWS_DOC),
      }).array(),
      'Views per UTC day by referrer, device, language and country, oldest day first.',
    ),
    opens: says(
      object({
        day: DAY,
        url: says('string', ...TAB_DOCS.url),
        opens: says('number.integer >= 1', ...OPENS_DOC),
      }).array(),
      'How often each link was opened per UTC day, oldest day first.',
    ),
  }),
)

const PERSON = ['The member’s name; `""` if they gave none.', 'Ada Lovelace'] as const
const Organization = {
  id: OrganizationId,
  name: says('string', 'The organisation’s name.', 'Acme'),
} as const

/** How an organisation presents itself. */
const presented = () =>
  ({
    handle: says('string | null', ...HANDLE_DOC),
    color: says(type.enumerated(...COLORS).or('null'), 'Its colour; null for none.', 'teal'),
  }) as const

/** The part that only a user’s export has. */
const ofUser = lazy(
  () =>
    ({
      'profile?': says(
        object({
          id: UserId,
          name: says('string', 'The user’s name; `""` if they gave none.', 'Ada Lovelace'),
          email: says('string', 'The account’s email address.', 'ada@example.com'),
          emailVerified: says('boolean', 'Whether the address is verified.', true),
          image: says('string | null', 'The URL of a picture; null for none.', null),
          createdAt: CreatedAt(),
          updatedAt: UpdatedAt(),
        }),
        'The account; only in a user’s export.',
      ),
      'mails?': says(
        object({
          proposed: says('boolean', 'When somebody suggests a change to a bundle that the user can edit.', true),
          decided: says('boolean', 'When a change that the user suggested is accepted or rejected.', true),
          keyEnds: says('boolean', 'When one of the user’s API keys ends in a week.', true),
          linksBroken: says('boolean', 'When links of a bundle that the user can edit are broken.', true),
        }),
        'Which emails the user wants, besides those about their account.',
      ),
      'signInMethods?': says(
        object({
          provider: says('string', '`credential` for a password, `oidc` for single sign-on.', 'credential'),
          createdAt: CreatedAt(),
        }).array(),
        'How the user can sign in.',
      ),
      'sessions?': says(
        object({
          userAgent: says(
            'string | null',
            'The browser’s User-Agent at sign-in; null if it sent none.',
            'Mozilla/5.0 (X11; Linux x86_64)',
          ),
          createdAt: CreatedAt(),
        }).array(),
        'Where the user is signed in.',
      ),
      'organizations?': says(
        object({ ...Organization, ...presented(), role: Me().get('role') }).array(),
        'The organisations that the user belongs to.',
      ),
    }) as const,
)

/** The part that only an organisation’s export has. */
const ofOrganization = lazy(
  () =>
    ({
      'organization?': says(
        object({
          ...Organization,
          ...presented(),
          picture: says('string | null', 'Its picture, the Base64 of a PNG; null for none.', null),
          createdAt: CreatedAt(),
        }),
        'The organisation; only in an organisation’s export.',
      ),
      'members?': says(
        object({
          userId: UserId,
          name: says('string', ...PERSON),
          email: says('string', 'The member’s address.', 'ada@example.com'),
          role: says(
            type.enumerated(...ROLES),
            'The member’s role: viewers read, editors also write, admins also delete and manage.',
            'editor',
          ),
          since: says(Time(), 'When they became a member.', '2026-11-20T09:00:00.000Z'),
        }).array(),
        'The members of the organisation.',
      ),
      'invitations?': says(
        object({
          email: says('string', 'The invited address.', 'ada@example.com'),
          role: says(type.enumerated(...ROLES), 'The role they would get.', 'viewer'),
          expiresAt: says(Time(), 'When it expires.', '2026-11-27T09:00:00.000Z'),
        }).array(),
        'Open invitations.',
      ),
    }) as const,
)

/** The answer of GET /api/me/export, of a user or an organisation. */
export const ExportedData = lazy(() =>
  object({
    exportedAt: says(Time(), 'When the export started.', '2026-11-20T09:30:00.000Z'),
    subject: Acting(),
    ...ofUser(),
    ...ofOrganization(),
    'pins?': says(
      object({
        slug: Slug,
        pinnedAt: says(Time(), 'When it was pinned.', '2026-11-21T09:00:00.000Z'),
      }).array(),
      'The bundles that the person has pinned.',
    ),
    'proposals?': says(ListedProposals(), 'The proposals that the user made.'),
    apiKeys: KeyList().get('apiKeys'),
    webhooks: WebhookList().get('webhooks'),
    bundles: says(
      object({
        ...wholeWithHealth(),
        'deletedAt?': DeletedAt(),
        insights: says(insights(), 'All counts of the bundle.'),
        versions: Versions(),
        proposals: says(Proposal().array(), 'Its proposals, newest first.'),
      }).array(),
      BUNDLES,
    ),
    checkLinks: says('boolean', 'Whether the service checks the links of the subject’s bundles.', true),
    events: EventList().get('events'),
  }),
)
